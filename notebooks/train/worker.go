package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dplab/dplab/notebooks/experiments"
)

// worker runs shards one after the other.
type worker struct {
	job      experiments.Job
	env      experiments.Env
	shards   []int // to run, in this order
	save     func(experiments.Record) error
	revision string
	budget   time.Duration // 0 for none
	seconds  float64       // that a shard takes, as far as known; 0 if not
	done     int           // of shards
	log      io.Writer
}

var errBudget = errors.New("the budget ended")

// run trains until all shards are done, the budget ends or ctx does. A budget that not even one shard fits in is an
// error that says how long one takes.
func (w *worker) run(ctx context.Context) error {
	if w.budget > 0 && len(w.shards) > 0 && w.seconds > w.budget.Seconds() {
		return w.tooShort(w.seconds, "as those that are done did")
	}
	timed, cancel := ctx, context.CancelFunc(func() {})
	if w.budget > 0 {
		timed, cancel = context.WithTimeoutCause(ctx, w.budget, errBudget)
	}
	defer cancel()
	for _, shard := range w.shards {
		if end, ok := timed.Deadline(); ok && w.done > 0 && time.Until(end).Seconds() < w.seconds {
			return nil // the next one would not be done in time
		}
		label := fmt.Sprintf("shard %d (%d of %d here)", shard, w.done+1, len(w.shards))
		seen := &progress{log: w.log, label: label, start: time.Now(), told: time.Now()}
		w.env.Progress = seen.report
		r, err := w.job.Compute(timed, shard, w.env, w.revision)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted: shard %d is lost: %w", shard, ctx.Err())
		case timed.Err() != nil && w.done > 0:
			return nil
		case timed.Err() != nil:
			return w.tooShort(seen.whole(), "by how far it came")
		default:
			return err
		}
		if err := w.save(r); err != nil {
			return err
		}
		w.done, w.seconds = w.done+1, r.Seconds
		fmt.Fprintf(w.log, "shard %d is done after %s\n", shard, round(r.Seconds))
	}
	return nil
}

// tooShort says how long one shard takes.
func (w *worker) tooShort(seconds float64, how string) error {
	if seconds == 0 {
		return fmt.Errorf("-budget %v: not one shard was done, and none has said how far it is: must be longer", w.budget)
	}
	return fmt.Errorf("-budget %v: one shard of %v takes about %s on %s, %s: must be at least that",
		w.budget, w.job, round(seconds), w.env.Performance.Backend, how)
}

// timeLeft says how long so many shards take.
func (w *worker) timeLeft(shards int) string {
	if shards == 0 || w.seconds == 0 {
		return ""
	}
	return fmt.Sprintf(" (about %s on %s)", round(float64(shards)*w.seconds), w.env.Performance.Backend)
}

// progress follows one shard and writes a line now and then.
type progress struct {
	log         io.Writer
	label       string
	start, told time.Time
	first, last point
}

// point is how much was done when.
type point struct {
	done, total int
	at          time.Time
}

// between is the time between two lines.
const between = 5 * time.Second

func (p *progress) report(done, total int, detail string) {
	p.last = point{done, total, time.Now()}
	if p.first.done == 0 {
		p.first = p.last // the first that is above 0: compiling is before it
	}
	if p.last.at.Sub(p.told) < between {
		return
	}
	p.told = p.last.at
	if detail != "" {
		detail = ", " + detail
	}
	fmt.Fprintf(p.log, "%s: %d of %d after %s%s\n", p.label, done, total, round(p.last.at.Sub(p.start).Seconds()), detail)
}

// whole returns the seconds that the whole shard takes by how far it came, compiling included; 0 if it has not said.
func (p *progress) whole() float64 {
	if p.last.done <= 0 {
		return 0
	}
	steps, since := p.last.done, p.start
	if p.last.done > p.first.done {
		steps, since = p.last.done-p.first.done, p.first.at
	}
	pace := p.last.at.Sub(since).Seconds() / float64(steps)
	return p.last.at.Sub(p.start).Seconds() + pace*float64(p.last.total-p.last.done)
}

// typical returns the median of the seconds that shards took on a backend, or 0.
func typical(records []experiments.Record, backend string) float64 {
	var seconds []float64
	for _, r := range records {
		if r.Backend == backend {
			seconds = append(seconds, r.Seconds)
		}
	}
	if len(seconds) == 0 {
		return 0
	}
	slices.Sort(seconds)
	return seconds[len(seconds)/2]
}

// round writes seconds for people.
func round(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// ranges writes growing numbers as "0-3, 7".
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		text := fmt.Sprint(numbers[i])
		if j > i {
			text += fmt.Sprintf("-%d", numbers[j])
		}
		parts, i = append(parts, text), j+1
	}
	return strings.Join(parts, ", ")
}
