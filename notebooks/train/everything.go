package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/notebooks/experiments"
)

// listOrder prints what -all would train, in its order, and the sum of the known times.
func (p program) listOrder(ctx context.Context, o options) error {
	table := p.table(o)
	var seconds float64
	var left, unknown int
	for _, e := range p.order {
		l, err := p.line(ctx, e, o)
		if err != nil {
			return err
		}
		if l.left == 0 {
			continue
		}
		if left, seconds = left+l.left, seconds+l.seconds; l.seconds == 0 {
			unknown++
		}
		fmt.Fprintln(table, l.text)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stdout, "shards left: %d; known on %s: %s; trainings of unknown time: %d\n", left, o.backend, round(seconds), unknown)
	return err
}

// outcome is what -all did with one entry.
type outcome struct {
	job           experiments.Job
	trained, left int
	note          string // why shards are left, in short
}

// everything trains what is left of each entry, in the order of the list, until the budget ends. It
// goes on with the next entry if a data set is missing, a shard would take too long, or a shard
// fails. It stops if a shard cannot be stored. If nothing was trained, the error gives the time of
// the first shard that was too long, or else the first data set that is missing.
func (p program) everything(ctx context.Context, o options) error {
	var err error
	if o.backend, err = backend.Resolve(o.backend); err != nil {
		return err
	}
	timed, cancel := o.timed(ctx)
	defer cancel()
	var outcomes []outcome
	var faults []error
	var short, missing error // the first of each kind
	trained, stopped := 0, false
	for _, e := range p.order {
		did, err := p.entry(ctx, timed, e, o, stopped)
		trained += did.trained
		switch {
		case err == nil && did.left > 0:
			did.note = "not reached"
			if did.trained > 0 {
				did.note = "the budget ended"
			}
		case err == nil:
		case errors.As(err, new(usageError)):
			return err // as for a folder that does not exist: nothing ran
		case errors.As(err, new(tooShort)):
			did.note, short = shortNote(err), cmp.Or(short, err)
		case errors.Is(err, data.ErrNotFound):
			did.note, missing = "skipped: "+firstLine(err), cmp.Or(missing, err)
		default:
			did.note, faults = firstLine(err), append(faults, err)
			stopped = stopped || ctx.Err() != nil || errors.As(err, new(saveError))
		}
		outcomes = append(outcomes, did)
	}
	if err := p.summary(outcomes); err != nil {
		return err
	}
	switch {
	case len(faults) > 0:
		return errors.Join(faults...)
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted: %w", ctx.Err())
	case trained == 0:
		return cmp.Or(short, missing)
	}
	return nil
}

// entry trains what is left of one entry, unless the time is over or stopped is true.
func (p program) entry(ctx, timed context.Context, e entry, o options, stopped bool) (outcome, error) {
	job, err := e.experiment.Job(e.profile)
	if err != nil {
		return outcome{}, err
	}
	did := outcome{job: job}
	w, err := p.worker(job, o)
	if err != nil {
		return did, err
	}
	did.left = len(w.shards)
	if did.left == 0 || timed.Err() != nil || stopped {
		return did, nil
	}
	w.yields = true
	fmt.Fprintf(p.stderr, "%v: shards left: %d\n", job, did.left)
	err = w.run(ctx, timed)
	did.trained, did.left = w.done, did.left-w.done
	return did, err
}

// summary prints what was done and what is left.
func (p program) summary(outcomes []outcome) error {
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "experiment\tprofile\ttrained\tleft\tnote")
	var trained, left int
	for _, d := range outcomes {
		if trained, left = trained+d.trained, left+d.left; d.trained+d.left > 0 || d.note != "" {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", d.job.Experiment, d.job.Profile, d.trained, d.left, d.note)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stdout, "shards trained: %d, left: %d\n", trained, left)
	return err
}

// shortNote returns the time that one shard takes, if it is known.
func shortNote(err error) string {
	var short tooShort
	if errors.As(err, &short) && short.seconds > 0 {
		return fmt.Sprintf("too little time: one shard takes about %s", round(short.seconds))
	}
	return "too little time for one shard"
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// mergeAll adds the shards of every entry in a folder to the stores.
func (p program) mergeAll(o options) error {
	found := false
	for _, e := range p.order {
		job, err := e.experiment.Job(e.profile)
		if err != nil {
			return err
		}
		records, unusable, err := experiments.Folder{Dir: o.folder, Job: job}.Records()
		if err != nil {
			return err
		}
		if len(records)+len(unusable) == 0 {
			continue
		}
		if found = true; len(records) == 0 {
			fmt.Fprintf(p.stderr, "not used: %v\n", errors.Join(unusable...))
			continue
		}
		if err := p.merge(job, o); err != nil {
			return err
		}
	}
	if !found {
		if o.only != "" {
			return fmt.Errorf("-from %s: holds no shard of an experiment that -only %s names", o.folder, o.only)
		}
		return fmt.Errorf("-from %s: holds no shard of an experiment that -all trains", o.folder)
	}
	return nil
}
