package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/notebooks/experiments"
)

// list prints a line for each experiment and profile with what is done and what is left.
func (p program) list(ctx context.Context, o options) error {
	listed := p.experiments
	if o.name != "" {
		e, err := p.find(o.name)
		if err != nil {
			return err
		}
		listed = []experiments.Any{e}
	}
	if o.measure || o.backend == backend.Auto {
		var err error
		if o.backend, err = backend.Resolve(o.backend); err != nil {
			return err
		}
	}
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "experiment\tprofile\tshards\tmodel-steps left\tleft on %s\tshows\tstored by\n", o.backend) // the widest is last
	for _, e := range listed {
		for _, profile := range e.Describe().Profiles {
			if o.profile != "" && o.profile != profile {
				continue
			}
			line, err := p.line(ctx, e, profile, o)
			if err != nil {
				return err
			}
			fmt.Fprintln(table, line)
		}
	}
	return table.Flush()
}

func (p program) line(ctx context.Context, e experiments.Any, profile string, o options) (string, error) {
	job, err := e.Job(profile)
	if err != nil {
		return "", err
	}
	stored := "nothing"
	records, err := job.Stored(o.stored())
	switch {
	case errors.Is(err, experiments.ErrOtherVersion):
		stored = "of another version"
	case err != nil:
		return "", err
	case len(records) > 0:
		stored = experiments.NewAccount(job, records).Origin()
	}
	missing := job.Missing(records)
	seconds, how := typical(records, o.backend), ""
	if o.measure && len(missing) > 0 {
		if seconds, err = p.measure(ctx, job, missing[0], o); err != nil {
			return "", err
		}
		how = ", measured"
	}
	left := "unknown"
	if len(missing) == 0 {
		left = "-"
	} else if seconds > 0 {
		left = round(float64(len(missing))*seconds) + how
	}
	return fmt.Sprintf("%s\t%s\t%d of %d\t%.2g\t%s\t%s\t%s",
		job.Experiment, profile, len(records), job.Shards, float64(len(missing))*job.ModelSteps, left, e.Describe().Title, stored), nil
}

// measuring is the longest time of a measurement.
const measuring = 15 * time.Second

// measure returns the seconds of one shard. It trains one for a while and drops it. It returns 0 if
// the shard has reported no progress.
func (p program) measure(ctx context.Context, job experiments.Job, shard int, o options) (float64, error) {
	timed, cancel := context.WithTimeout(ctx, measuring)
	defer cancel()
	seen := &progress{log: io.Discard, start: time.Now()}
	env := o.env()
	env.Progress = seen.report
	r, err := job.Compute(timed, shard, env, "")
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("interrupted: %w", ctx.Err())
	case err == nil:
		return r.Seconds, nil
	case timed.Err() != nil:
		return seen.whole(), nil
	}
	return 0, err
}
