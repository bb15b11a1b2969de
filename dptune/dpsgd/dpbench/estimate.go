package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// estimated is one JSON line of -estimate.
type estimated struct {
	Experiment     string  `json:"experiment"`
	Part           string  `json:"part"`
	Model          string  `json:"model"`
	Batch          int     `json:"batch"`
	Models         int     `json:"models"`
	Steps          int     `json:"steps"`
	Repetitions    int     `json:"repetitions"`
	Backend        string  `json:"backend"`
	Replicas       int     `json:"replicas"`       // measured at the same time
	MeasuredBatch  int     `json:"measured_batch"` // less than batch if a step takes long; times are then scaled up
	ModelSteps     float64 `json:"model_steps"`
	ModelStepsPerS float64 `json:"model_steps_per_s"` // 0 if not measured
	Hours          float64 `json:"hours"`
}

// estimate measures each part of an experiment for a few seconds, and extrapolates.
func (o options) estimate(ctx context.Context, stdout, stderr io.Writer) error {
	if o.estimateOf == "list" {
		for _, e := range experiments {
			fmt.Fprintf(stdout, "%s (%s)\n", e.name, e.source)
			for _, p := range e.parts {
				fmt.Fprintf(stdout, "\t%s: %s, batch %d, %d models x %d steps x %d\n", p.what, p.model, p.batch, p.replicas, p.steps, p.repetitions)
			}
		}
		return nil
	}
	e, _ := findExperiment(o.estimateOf)
	total, complete := time.Duration(0), true
	for _, p := range e.parts {
		line, err := o.estimatePart(ctx, e, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.what, err)
		}
		if line.ModelStepsPerS == 0 {
			complete = false
			fmt.Fprintf(stderr, "%s: no model %s to measure\n", p.what, p.model)
		} else {
			took := time.Duration(line.Hours * float64(time.Hour))
			total += took
			fmt.Fprintf(stderr, "%s: %d models x %d steps x %d at %.4g model-steps/s%s: %s\n",
				p.what, p.replicas, p.steps, p.repetitions, line.ModelStepsPerS, line.scaled(), human(took))
		}
		if err := json.NewEncoder(stdout).Encode(line); err != nil {
			return err
		}
	}
	if complete {
		fmt.Fprintf(stderr, "%s in all: %s on %s\n", e.name, human(total), o.backend)
	} else {
		fmt.Fprintf(stderr, "%s, the parts that were measured: %s on %s\n", e.name, human(total), o.backend)
	}
	return nil
}

func (o options) estimatePart(ctx context.Context, e experiment, p part) (estimated, error) {
	line := estimated{
		Experiment: e.name, Part: p.what, Model: p.model, Batch: p.batch, Models: p.replicas, Steps: p.steps, Repetitions: p.repetitions,
		Backend: o.backend, ModelSteps: p.modelSteps(),
	}
	named, ok := findModel(p.model)
	if !ok {
		return line, nil
	}
	o.model, o.batch, o.batches = p.model, p.batch, "own"
	if p.shared {
		o.batches = "shared"
	}
	model, err := named.Build()
	if err != nil {
		return line, fmt.Errorf("model %s: %w", named.Name, err)
	}
	if !o.set["replicas"] {
		o.replicas = min(p.replicas, replicasFor(named.Size))
	}
	o.shorten(operations(model))
	line.Replicas, line.MeasuredBatch = o.replicas, o.batch
	b, err := o.benchmark()
	if err != nil {
		return line, err
	}
	m, err := b.measure(ctx)
	if err != nil {
		return line, err
	}
	share := float64(o.batch) / float64(p.batch)
	line.ModelStepsPerS = round(share*float64(o.replicas)/max(m.median(), 1).Seconds(), 4)
	line.Hours = round(p.modelSteps()/line.ModelStepsPerS/3600, 3)
	return line, nil
}

// shorten reduces the measurement if a step would take longer than some seconds by the operations
// of its products. It takes fewer replicas, unless their number was given, then fewer examples, and
// single steps. The fixed cost of a step is then counted too often.
func (o *options) shorten(perExample float64) {
	most := 1e11 // operations of a step; products take at least a sixth of the time
	if o.backend == "go" {
		most = 1e10
	}
	fit := func(each float64, now int) int { return max(1, min(now, int(most/each))) }
	replicas, batch := o.replicas, o.batch
	if !o.set["replicas"] {
		o.replicas = fit(perExample*float64(batch), replicas)
	}
	o.batch = fit(perExample*float64(o.replicas), batch)
	if o.replicas < replicas || o.batch < batch {
		o.steps = 1
	}
}

// scaled describes how the rate was scaled, if it was not measured with whole batches.
func (e estimated) scaled() string {
	if e.MeasuredBatch == e.Batch {
		return ""
	}
	return fmt.Sprintf(" (by %d of its %d examples)", e.MeasuredBatch, e.Batch)
}

// replicasFor returns how many models of a size are measured at the same time: enough to fill the
// machine, with at most 2^20 parameters in all.
func replicasFor(size int) int { return max(2, min(512, (1<<20)/size)) }

// human prints a duration to about two digits.
func human(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.2g s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
