package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/notebooks/experiments"
)

// cuda is the name of the backend on an NVIDIA GPU.
const cuda = "xla:cuda"

// list prints a line for each experiment and profile with what is done and what is left.
func (p program) list(ctx context.Context, o options) error {
	if o.measure || o.backend == backend.Auto {
		var err error
		if o.backend, err = backend.Resolve(o.backend); err != nil {
			return err
		}
	}
	if o.all {
		return p.listOrder(ctx, o)
	}
	listed := p.experiments
	if o.name != "" {
		e, err := p.find(o.name)
		if err != nil {
			return err
		}
		listed = []experiments.Any{e}
	}
	table := p.table(o)
	for _, e := range listed {
		for _, profile := range e.Describe().Profiles {
			if o.profile != "" && o.profile != profile {
				continue
			}
			l, err := p.line(ctx, entry{experiment: e, profile: profile}, o)
			if err != nil {
				return err
			}
			fmt.Fprintln(table, l.text)
		}
	}
	return table.Flush()
}

// table returns a table of lines, with its header.
func (p program) table(o options) *tabwriter.Writer {
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "experiment\tprofile\tshards\tmodel-steps left\tleft on %s\tshows\tstored by\n", o.backend) // the widest is last
	return table
}

// line is a line of the list.
type line struct {
	text    string
	left    int     // shards
	seconds float64 // of these; 0 if unknown
}

func (p program) line(ctx context.Context, e entry, o options) (line, error) {
	job, err := e.experiment.Job(e.profile)
	if err != nil {
		return line{}, err
	}
	stored := "nothing"
	records, err := job.Stored(o.stored())
	switch {
	case errors.Is(err, experiments.ErrOtherVersion):
		stored = "of another version"
	case err != nil:
		return line{}, err
	case len(records) > 0:
		stored = experiments.NewAccount(job, records).Origin()
	}
	missing := job.Missing(records)
	seconds, how := typical(records, o.backend)*float64(len(missing)), ""
	if o.measure && len(missing) > 0 {
		one, err := p.measure(ctx, job, missing[0], o)
		switch {
		case errors.Is(err, data.ErrNotFound) && o.all:
			how = "its data set is missing"
		case err != nil:
			return line{}, err
		case one > 0:
			seconds, how = one*float64(len(missing)), ", measured"
		}
	}
	if seconds == 0 && o.backend == cuda {
		if seconds = e.onH100(len(missing), job); seconds > 0 {
			how = ", estimated for an H100"
		}
	}
	left := cmp.Or(how, "unknown")
	if len(missing) == 0 {
		left = "-"
	} else if seconds > 0 {
		left = round(seconds) + how
	}
	return line{fmt.Sprintf("%s\t%s\t%d of %d\t%.2g\t%s\t%s\t%s",
		job.Experiment, e.profile, len(records), job.Shards, float64(len(missing))*job.ModelSteps, left, e.experiment.Describe().Title, stored),
		len(missing), seconds}, nil
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
