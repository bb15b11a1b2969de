package intersected_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/pld"
)

// workload is a row of the reference, with the true ε.
type workload struct {
	id       string
	q, sigma float64
	steps    int
	delta    float64
	truth    float64
}

func (w workload) event() accounting.Event { return sgd(w.q, w.sigma, w.steps) }

func workloads(t testing.TB) []workload {
	t.Helper()
	f, err := os.Open("../../contour/testdata/reference.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []workload
	for _, fields := range records[1:] {
		var v [5]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(fields[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, workload{fields[0], v[0], v[1], int(v[2]), v[3], v[4]})
	}
	return out
}

// BenchmarkWorkloads answers the 12 workloads with each accountant: time, memory, and the width of the
// interval relative to ε.
func BenchmarkWorkloads(b *testing.B) {
	for _, a := range []accounting.Accountant{contour.NewAccountant(), pld.NewAccountant(), intersected.NewAccountant()} {
		for _, w := range workloads(b) {
			b.Run(a.Name()+"/"+w.id, func(b *testing.B) {
				b.ReportAllocs()
				var e accounting.Interval
				for b.Loop() {
					g, err := a.EpsilonAt(w.event(), w.delta)
					if err != nil {
						b.Fatal(err)
					}
					e = g.Epsilon
				}
				b.ReportMetric(e.Width()/e.Upper, "relative-width")
			})
		}
	}
}

// BenchmarkCalibrate finds the noise multiplier of the first workload for ε 8.
func BenchmarkCalibrate(b *testing.B) {
	w := workloads(b)[0]
	for b.Loop() {
		if _, err := (accounting.Calibration{Accountant: intersected.NewAccountant(), Event: func(sigma float64) accounting.Event {
			return sgd(w.q, sigma, w.steps)
		}, Target: accounting.Target{Epsilon: 8, Delta: w.delta}}).NoiseMultiplier(); err != nil {
			b.Fatal(err)
		}
	}
}

// measured is one answer: seconds, and what was said of ε.
type measured struct {
	seconds    float64
	eps        float64
	low, upper float64 // NaN if not given
	failure    string
}

// verdict says where the truth is.
func (m measured) verdict(truth float64) string {
	slop := 2e-8 * math.Max(1, truth)
	switch {
	case m.failure != "":
		return "fails"
	case !math.IsNaN(m.low) && m.low <= truth+slop && m.upper >= truth-slop:
		return fmt.Sprintf("inside, %.1e wide", m.upper-m.low)
	case !math.IsNaN(m.low) && m.low > truth+slop:
		return fmt.Sprintf("**lower end %.1e above**", m.low-truth)
	case m.eps < truth-slop:
		return fmt.Sprintf("**%.1e below**", truth-m.eps)
	}
	return fmt.Sprintf("%.1e above", m.eps-truth)
}

func (m measured) cell(truth, ours float64) string {
	if strings.Contains(m.failure, "ModuleNotFoundError") {
		return "not installed"
	}
	if strings.Contains(m.failure, "killed") {
		return fmt.Sprintf("no answer in %v", peerLimit)
	}
	if m.failure != "" {
		return fmt.Sprintf("fails after %.3g s", m.seconds)
	}
	return fmt.Sprintf("%s; %s", duration(m.seconds, ours), m.verdict(truth))
}

func duration(seconds, ours float64) string {
	text := fmt.Sprintf("%.3g s", seconds)
	if seconds < 0.1 {
		text = fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	if ours > 0 {
		text += fmt.Sprintf(" (%.3gx)", seconds/ours)
	}
	return text
}

// TestPeers prints the 12 workloads, ours beside other libraries, as Markdown. Their scripts and libraries
// are not in this tree: DPLAB_PEERS is the folder of the scripts (measure.py, calib.py), DPLAB_PYTHON the
// interpreter that has the libraries, DPLAB_ACCS a list of names of measure.py.
//
//	DPLAB_PEERS=... DPLAB_PYTHON=... go test -count=1 -v -timeout 2h -run TestPeers ./accounting/internal/intersected
//
// Both sides are called in one process each: the median of repeated calls, imports not counted.
func TestPeers(t *testing.T) {
	dir, python := os.Getenv("DPLAB_PEERS"), os.Getenv("DPLAB_PYTHON")
	if dir == "" || python == "" {
		t.Skip("DPLAB_PEERS and DPLAB_PYTHON are not set: other libraries are not measured")
	}
	names := strings.Fields(os.Getenv("DPLAB_ACCS"))
	if len(names) == 0 {
		names = strings.Fields("dpacc_pld_1e-4 prv_0.01 opacus_prv dpacc_rdp autodp_rdp riskcal_ctd")
	}
	fmt.Printf("%s, %s/%s, %d processors, %s\n\n", time.Now().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	header := append([]string{"workload", "truth", "contour", "pld"}, names...)
	fmt.Printf("| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for _, w := range workloads(t) {
		line := ours(t, contour.NewAccountant(), w)
		cells := []string{w.id, fmt.Sprintf("%.7g", w.truth), line.cell(w.truth, 0), ours(t, pld.NewAccountant(), w).cell(w.truth, line.seconds)}
		for _, name := range names {
			cells = append(cells, peer(t, python, dir, name, w).cell(w.truth, line.seconds))
		}
		fmt.Printf("| %s |\n", strings.Join(cells, " | "))
	}
	calibrations(t, python, dir)
}

// ours measures an accountant: the median of 25 calls, or of as many as take a second, five at least.
func ours(t *testing.T, a accounting.Accountant, w workload) measured {
	t.Helper()
	var times []float64
	var e accounting.Interval
	for total := 0.0; len(times) < 5 || len(times) < 25 && total < 1; {
		start := time.Now()
		g, err := a.EpsilonAt(w.event(), w.delta)
		took := time.Since(start).Seconds()
		if err != nil {
			t.Fatal(err)
		}
		e = g.Epsilon
		times, total = append(times, took), total+took
	}
	slices.Sort(times)
	return measured{seconds: times[len(times)/2], eps: e.Upper, low: e.Lower, upper: e.Upper}
}

// peerLimit is how long another library may take for one workload, its second and third call included.
const peerLimit = 90 * time.Second

// peer runs one measurement of another library.
func peer(t *testing.T, python, dir, name string, w workload) measured {
	t.Helper()
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	start := time.Now()
	out, err := python3(t, python, filepath.Join(dir, "measure.py"), name, number(w.q), number(w.sigma), strconv.Itoa(w.steps), number(w.delta), "--id", w.id)
	nan := math.NaN()
	var got struct {
		Eps, Low, Up *float64
		Wall         float64 `json:"wall_s"`
		Error        string
	}
	if err != nil || json.Unmarshal(out, &got) != nil {
		return measured{seconds: time.Since(start).Seconds(), failure: fmt.Sprint(err)}
	}
	m := measured{seconds: got.Wall, low: nan, upper: nan, failure: got.Error}
	if got.Eps != nil {
		m.eps = *got.Eps
	} else if m.failure == "" {
		m.failure = "no number"
	}
	if got.Low != nil && got.Up != nil {
		m.low, m.upper = *got.Low, *got.Up
	}
	if math.IsNaN(m.eps) || math.IsInf(m.eps, 0) {
		m.failure = "not a number"
	}
	return m
}

// python3 runs a script with a limit. The scripts look for Opacus's sources in the folder OPACUS_SRC, if that
// is set, and for a module of true values, which is not needed here and replaced by one that knows nothing.
func python3(t *testing.T, python string, args ...string) ([]byte, error) {
	t.Helper()
	stub := t.TempDir()
	if err := os.WriteFile(filepath.Join(stub, "exact.py"), []byte("def truth(*a):\n    return dict(eps=float('nan'), spread=0)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), peerLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, args...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+stub, "OPENBLAS_NUM_THREADS=2")
	return cmd.Output()
}

// calibrations prints how long it takes to find the noise of the first workload for ε 8.
func calibrations(t *testing.T, python, dir string) {
	t.Helper()
	w := workloads(t)[0]
	start := time.Now()
	sigma, err := accounting.Calibration{Accountant: intersected.NewAccountant(), Event: func(sigma float64) accounting.Event { return sgd(w.q, sigma, w.steps) }, Target: accounting.Target{Epsilon: 8, Delta: w.delta}}.NoiseMultiplier()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nCalibration to ε 8: ours %s, σ %.7g", duration(time.Since(start).Seconds(), 0), sigma)
	for _, tool := range []string{"dpacc_pld", "opacus_prv", "riskcal"} {
		file := filepath.Join(t.TempDir(), "out.jsonl")
		_, err := python3(t, python, filepath.Join(dir, "calib.py"), file, tool, "8")
		text, readErr := os.ReadFile(file)
		var got struct {
			Sigma float64
			Wall  float64 `json:"wall_s"`
			Error string
		}
		if err != nil || readErr != nil || json.Unmarshal([]byte(strings.ReplaceAll(string(text), "NaN", "null")), &got) != nil || got.Error != "" {
			fmt.Printf("; %s fails", tool)
			continue
		}
		fmt.Printf("; %s %s, σ %.7g", tool, duration(got.Wall, 0), got.Sigma)
	}
	fmt.Println()
}
