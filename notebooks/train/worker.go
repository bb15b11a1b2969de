package main

import (
	"context"
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
	budget   time.Duration // as it was given, for errors; 0 for none
	yields   bool          // stops a shard that will not finish before the budget ends
	seconds  float64       // time of a shard; 0 if unknown
	done     int           // of shards
	log      io.Writer
}

// saveError is a fault of storing a shard. It concerns all shards that follow.
type saveError struct{ error }

func (e saveError) Unwrap() error { return e.error }

// run trains until all shards are done, or timed or ctx ends. The deadline of timed, a child of
// ctx, is the end of the budget. If the time is too short for one shard, run returns a tooShort.
func (w *worker) run(ctx, timed context.Context) error {
	end, limited := timed.Deadline()
	for _, shard := range w.shards {
		switch late := limited && time.Until(end).Seconds() < w.seconds; {
		case late && w.done > 0:
			return nil // the next one would not finish in time
		case late:
			return w.tooShort(w.seconds, "like those that are done")
		}
		label := fmt.Sprintf("shard %d (%d of %d here)", shard, w.done+1, len(w.shards))
		seen := &progress{log: w.log, label: label, start: time.Now(), told: time.Now()}
		here, stop := context.WithCancel(timed)
		w.env.Progress = func(done, total int, detail string) {
			if seen.report(done, total, detail); limited && w.yields && seen.late(end) {
				stop()
			}
		}
		r, err := w.job.Compute(here, shard, w.env, w.revision)
		ended := here.Err() != nil
		stop()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted: shard %d is lost: %w", shard, ctx.Err())
		case ended && w.done > 0:
			return nil
		case ended:
			return w.tooShort(seen.whole(), "estimated from its progress")
		default:
			return err
		}
		if err := w.save(r); err != nil {
			return saveError{err}
		}
		w.done, w.seconds = w.done+1, r.Seconds
		fmt.Fprintf(w.log, "shard %d is done after %s\n", shard, round(r.Seconds))
	}
	return nil
}

// tooShort is the error of a budget that does not suffice for one shard.
type tooShort struct {
	budget  time.Duration
	job     experiments.Job
	backend string
	seconds float64 // of one shard; 0 if it has reported no progress
	how     string  // the seconds are known
}

func (w *worker) tooShort(seconds float64, how string) error {
	return tooShort{w.budget, w.job, w.env.Performance.Backend, seconds, how}
}

func (e tooShort) Error() string {
	if e.seconds == 0 {
		return fmt.Sprintf("-budget %v: no shard was finished, and none reported its progress: must be longer", e.budget)
	}
	return fmt.Sprintf("-budget %v: one shard of %v takes about %s on %s, %s: must be at least that",
		e.budget, e.job, round(e.seconds), e.backend, e.how)
}

// timeLeft returns a note on the time of the given number of shards.
func (w *worker) timeLeft(shards int) string {
	if shards == 0 || w.seconds == 0 {
		return ""
	}
	return fmt.Sprintf(" (about %s on %s)", round(float64(shards)*w.seconds), w.env.Performance.Backend)
}

// progress follows one shard and prints a line now and then.
type progress struct {
	log         io.Writer
	label       string
	start, told time.Time
	first, last point
}

// point records how much was done, and when.
type point struct {
	done, total int
	at          time.Time
}

// between is the time between two lines.
const between = 5 * time.Second

func (p *progress) report(done, total int, detail string) {
	p.last = point{done, total, time.Now()}
	if p.first.done == 0 {
		p.first = p.last // the first one above 0 comes after compiling
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

// patience is the time that a shard runs before its progress is trusted.
const patience = time.Minute

// late reports whether a shard that has run for a while needs, by its progress, more than twice the
// time that is left.
func (p *progress) late(end time.Time) bool {
	now := p.last.at
	left := p.whole() - now.Sub(p.start).Seconds()
	return now.Sub(p.start) >= patience && left > 2*end.Sub(now).Seconds()
}

// whole estimates the seconds of the whole shard from its progress, compiling included. It returns
// 0 if the shard has reported none.
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

// typical returns the median seconds of a shard on a backend, or 0.
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

// ranges formats increasing numbers as "0-3, 7".
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
