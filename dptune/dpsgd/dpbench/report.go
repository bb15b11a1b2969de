package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// report is one JSON line. The scripts that measure other libraries print the first eleven fields
// too.
type report struct {
	System          string  `json:"system"`
	Model           string  `json:"model"`
	Batch           int     `json:"batch"`
	Replicas        int     `json:"replicas"`
	Mode            string  `json:"mode"`
	Backend         string  `json:"backend"`
	MsPerStepMin    float64 `json:"ms_per_step_min"`
	MsPerStepMedian float64 `json:"ms_per_step_median"`
	CPUMsPerStep    float64 `json:"cpu_ms_per_step"`
	PeakRSSMB       float64 `json:"peak_rss_mb"`
	CompileS        float64 `json:"compile_s"`

	CompileCPUS        float64 `json:"compile_cpu_s"`
	Parameters         int     `json:"params"`
	ModelStepsPerS     float64 `json:"model_steps_per_s"`      // by the median
	ModelStepsPerSBest float64 `json:"model_steps_per_s_best"` // by the least
	ExamplesPerS       float64 `json:"samples_per_s"`
	FloorCPUMs         float64 `json:"floor_cpu_ms_per_step"`    // 0 on a GPU, like the next four
	ProductsCPUMs      float64 `json:"products_cpu_ms_per_step"` // the products' part of the floor
	NoiseCPUMs         float64 `json:"noise_cpu_ms_per_step"`    // the noise's part of it
	ProductsShare      float64 `json:"products_share"`           // the products' part of the floor over cpu_ms_per_step
	GFLOPPerCPUSecond  float64 `json:"gflop_per_cpu_s"`          // of a large product on this backend
	EstimatedMB        float64 `json:"estimated_mb"`             // of memory, by engine.EstimateMemory
	Sampling           string  `json:"sampling"`
	Batches            string  `json:"batches"`
	Precision          string  `json:"precision"`
	Generator          string  `json:"generator"` // of the noise, "" without privacy
	Goroutines         int     `json:"goroutines"`
	ReplicasPerCall    int     `json:"chunk"`
	Microbatch         int     `json:"microbatch"`
	StepsPerCall       int     `json:"steps_per_call"`
	StepsPerRun        int     `json:"steps_per_run"`
	StepsTimed         int     `json:"steps_timed"`
	ForeignCores       float64 `json:"foreign_cores"` // cores that other processes kept busy; -1 if not known
	Threads            int     `json:"threads"`
	Kernels            string  `json:"kernels"` // of the go backend: AVX-512, AVX2 or none; "" on others
	Go                 string  `json:"go"`
}

func newReport(b benchmark, m measured) report {
	perSecond := func(step time.Duration) float64 { return round(float64(b.replicas)/max(step, 1).Seconds(), 5) }
	precision, generator, kernels := "float32", "", ""
	if b.backend == backend.Go {
		kernels = kernel.VectorLevel()
	}
	if b.mode != "nonprivate" {
		generator = m.generator.String()
	}
	if b.float64 {
		precision = "float64"
	}
	return report{
		System: "dplab", Model: b.named.Name, Batch: b.batch, Replicas: b.replicas, Mode: b.mode, Backend: b.backend,
		MsPerStepMin: ms(m.least()), MsPerStepMedian: ms(m.median()), CPUMsPerStep: ms(m.cpu),
		PeakRSSMB: round(m.rss, 4), CompileS: round(m.compile.Seconds(), 3),
		CompileCPUS: round(m.compileCPU.Seconds(), 3), Parameters: b.model.Size(), ModelStepsPerS: perSecond(m.median()), ModelStepsPerSBest: perSecond(m.least()),
		ExamplesPerS: round(float64(b.batch*b.replicas)/max(m.median(), 1).Seconds(), 5),
		FloorCPUMs:   ms(m.floor.total()), ProductsCPUMs: ms(m.floor.products), NoiseCPUMs: ms(m.floor.noise),
		ProductsShare:     round(float64(m.floor.products)/float64(max(m.cpu, 1)), 3),
		GFLOPPerCPUSecond: round(m.floor.rate/1e9, 3),
		EstimatedMB:       round(float64(m.estimate.Total())/1e6, 4),
		Sampling:          b.sampling, Batches: b.batches, Precision: precision, Generator: generator,
		Goroutines: m.performance.Goroutines, ReplicasPerCall: m.performance.ReplicasPerCall, Microbatch: m.performance.Microbatch, StepsPerCall: m.performance.StepsPerCall,
		StepsPerRun: m.steps, StepsTimed: m.steps * len(m.runs), ForeignCores: round(m.foreign, 2),
		Threads: runtime.GOMAXPROCS(0), Kernels: kernels, Go: runtime.Version(),
	}
}

func ms(d time.Duration) float64 { return round(float64(d)/1e6, 4) }

// round keeps a number of significant digits.
func round(x float64, digits int) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	scale := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

func (r report) writeJSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// line returns the report for people.
func (r report) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%d parameters), batch %d (%s), R = %d, %s on %s: ", r.Model, r.Parameters, r.Batch, r.Sampling, r.Replicas, r.Mode, r.Backend)
	fmt.Fprintf(&b, "%g ms a step (best %g, processor %g), %g model-steps/s, ", r.MsPerStepMedian, r.MsPerStepMin, r.CPUMsPerStep, r.ModelStepsPerS)
	fmt.Fprintf(&b, "%.0f MB, compiled in %g s", r.PeakRSSMB, r.CompileS)
	if r.FloorCPUMs > 0 {
		fmt.Fprintf(&b, "; floor %g processor-ms, products %.0f %% of the time", r.FloorCPUMs, 100*r.ProductsShare)
	}
	if r.Kernels != "" {
		fmt.Fprintf(&b, "; vector kernels: %s", r.Kernels)
	}
	if r.ForeignCores > 0.2 {
		fmt.Fprintf(&b, "; others kept %g cores busy: measure again", r.ForeignCores)
	}
	return b.String()
}
