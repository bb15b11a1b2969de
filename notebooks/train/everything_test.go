package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/notebooks/experiments"
)

// named returns a toy of another name.
func named(item string, run func(ctx context.Context, shard int, env experiments.Env) error) experiments.Any {
	e := toy(run)
	e.Name = "toy2026/" + item
	return e
}

// -all trains the entries in their order, skips what lacks its data set, goes on after a fault, and
// stores each shard. A second run trains only what is left.
func TestAllTrainsInOrder(t *testing.T) {
	repository(t)
	var ran []string
	notes := func(item string, fault error) entry {
		return entry{experiment: named(item, func(_ context.Context, shard int, _ experiments.Env) error {
			ran = append(ran, fmt.Sprint(item, shard))
			return fault
		}), profile: "quick"}
	}
	lacks := fmt.Errorf("data: moons: 1 of 1 files are missing: %w\nput it there", data.ErrNotFound)
	order := []entry{notes("b", nil), notes("lacking", lacks), notes("broken", errors.New("no memory")), notes("a", nil)}

	list := askAll(t.Context(), order, "-all -list")
	list.want(t, 0, "shards left: 16; known on go: 0s; trainings of unknown time: 4")
	if b, a := strings.Index(list.stdout, "toy2026/b"), strings.Index(list.stdout, "toy2026/a "); b < 0 || a < b || len(ran) > 0 {
		t.Errorf("the list is not in order, or trained %v:\n%s", ran, list.stdout)
	}
	first := askAll(t.Context(), order, "-all")
	first.want(t, exitFault, "skipped: ", "data: moons: 1 of 1 files are missing", "no memory", "shards trained: 8, left: 8")
	if strings.Contains(first.stdout, "put it there") {
		t.Errorf("the summary is not one line for each training:\n%s", first.stdout)
	}
	if want := []string{"b0", "b1", "b2", "b3", "lacking0", "broken0", "a0", "a1", "a2", "a3"}; !slices.Equal(ran, want) {
		t.Errorf("trained %v, want %v", ran, want)
	}
	if got := files(t, "notebooks/results"); !slices.Equal(got, []string{"toy2026-a-quick.json.gz", "toy2026-b-quick.json.gz"}) {
		t.Errorf("files %q", got)
	}
	ran = nil
	askAll(t.Context(), order[:2], "-all").want(t, exitFault, "shards trained: 0, left: 4", "moons", "put it there")
	if !slices.Equal(ran, []string{"lacking0"}) {
		t.Errorf("the second run trained %v", ran)
	}
	askAll(t.Context(), order[:1], "-all -list").want(t, 0, "shards left: 0")
	askAll(t.Context(), order[:1], "-all -budget 1s").want(t, 0, "shards trained: 0, left: 0")
}

// -only keeps the entries whose names match, in the order of the list.
func TestAllOnly(t *testing.T) {
	repository(t)
	var ran []string
	notes := func(item string) entry {
		return entry{experiment: named(item, func(_ context.Context, shard int, _ experiments.Env) error {
			if shard == 0 {
				ran = append(ran, item)
			}
			return nil
		}), profile: "quick"}
	}
	order := []entry{notes("b-two"), notes("a"), notes("b-one"), notes("c")}
	list := askAll(t.Context(), order, "-all -only toy2026/b-* -list")
	list.want(t, 0, "toy2026/b-two", "toy2026/b-one", "shards left: 8")
	if strings.Contains(list.stdout, "toy2026/a") || strings.Contains(list.stdout, "toy2026/c") {
		t.Errorf("the list has others:\n%s", list.stdout)
	}
	askAll(t.Context(), order, "-all -only toy2026/c,toy2026/b-*").want(t, 0, "shards trained: 12, left: 0")
	if want := []string{"b-two", "b-one", "c"}; !slices.Equal(ran, want) {
		t.Errorf("trained %q, want %q", ran, want)
	}
	askAll(t.Context(), order, "-all -only toy2026/d,toy2026/a").want(t, exitUsage, `-only "toy2026/d": must match at least one of toy2026/a, toy2026/b-one, toy2026/b-two, toy2026/c`)
	askAll(t.Context(), order, "-all -only toy2026/[").want(t, exitUsage, `-only "toy2026/[": must be names`)
	askAll(t.Context(), order, "-only toy2026/a").want(t, exitUsage, "-only: must be given with -all")
	if len(ran) != 3 {
		t.Errorf("a wrong command line trained %q", ran[3:])
	}
}

// lasts returns a toy whose shards take a time and report each thousandth of it.
func lasts(item string, seconds float64) entry {
	return entry{experiment: named(item, func(ctx context.Context, _ int, env experiments.Env) error {
		for i := range 1001 {
			env.Report(i, 1000, "")
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Duration(seconds / 1000 * float64(time.Second))):
			}
		}
		return nil
	}), profile: "quick"}
}

// A shard that will not end in time is stopped after a minute, and the rest of the budget goes to
// later entries. A budget that no shard fits into is an error with the time of a shard.
func TestAllKeepsToItsBudget(t *testing.T) {
	repository(t)
	order := []entry{lasts("hours", 3600), lasts("minutes", 60)}
	var a answer
	var took time.Duration
	budgeted := func(line string) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			a = askAll(t.Context(), order, line)
			took = time.Since(start)
		})
	}
	budgeted("-all -budget 4m")
	a.want(t, 0, "too little time: one shard takes about 1h", "the budget ended", "shards trained: 2, left: 6")
	if took > 4*time.Minute {
		t.Errorf("a budget of 4m took %v", took)
	}
	budgeted("-all -budget 30s")
	a.want(t, exitFault, "-budget 30s: one shard of toy2026/hours, profile quick takes about 1h", "must be at least that", "shards trained: 0, left: 6")
	if took > 30*time.Second {
		t.Errorf("a budget of 30s took %v", took)
	}
}

// A worker on a bare machine leaves the shards of all entries in one folder, and one merge stores
// them.
func TestAllOnABareMachine(t *testing.T) {
	dir := t.TempDir()
	ends(t, dir, "-all -out out", 0, "shards trained: 6, left: 0")
	ends(t, dir, "-all -out out", 0, "shards trained: 0, left: 0")
	if left, err := filepath.Glob(filepath.Join(dir, "out", "*.shard.json")); len(left) != 6 || err != nil {
		t.Errorf("files %q, %v", left, err)
	}
	ends(t, dir, "merge -all -from out -results results", 0, "shards added: 4, present before: 0; it has 4 of 4")
	ends(t, dir, "merge -all -from out -results results", 0, "shards added: 0, present before: 2; it has 2 of 2")
}

// An interrupt ends the whole run, which still prints what is left.
func TestAllIsInterrupted(t *testing.T) {
	repository(t)
	ctx, interrupt := context.WithCancel(t.Context())
	stops := entry{experiment: named("a", func(ctx context.Context, shard int, _ experiments.Env) error {
		if shard == 1 {
			interrupt()
		}
		return ctx.Err()
	}), profile: "quick"}
	never := entry{experiment: named("b", func(context.Context, int, experiments.Env) error { return errors.New("ran") }), profile: "quick"}
	a := askAll(ctx, []entry{stops, never}, "-all")
	a.want(t, exitAgain, "interrupted: shard 1 is lost", "not reached", "shards trained: 1, left: 7")
	if strings.Contains(a.stdout, ": ran") {
		t.Errorf("went on after an interrupt:\n%s", a.stdout)
	}
}

// If a shard cannot be stored, nothing else is trained.
func TestAllStopsIfItCannotStore(t *testing.T) {
	repository(t)
	path := filepath.Join("notebooks", "results", "toy2026-a-quick.json.gz")
	spoils := entry{experiment: named("a", func(context.Context, int, experiments.Env) error {
		return os.WriteFile(path, []byte("no store"), 0o600)
	}), profile: "quick"}
	never := entry{experiment: named("b", func(context.Context, int, experiments.Env) error { return errors.New("ran") }), profile: "quick"}
	a := askAll(t.Context(), []entry{spoils, never}, "-all")
	a.want(t, exitFault, "toy2026-a-quick.json.gz is not a complete store", "shards trained: 0, left: 8")
	if strings.Contains(a.stdout+a.stderr, ": ran") {
		t.Errorf("went on without a store:\n%s%s", a.stdout, a.stderr)
	}
}

// The order has each experiment at its largest profile, and no training twice. ResNet18, which takes
// many hours, is last.
func TestOrder(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range inOrder {
		job, err := e.experiment.Job(e.profile)
		if err != nil {
			t.Error(err)
			continue
		}
		if seen[job.String()] {
			t.Errorf("%v is there twice", job)
		}
		seen[job.String()] = true
	}
	for _, e := range all {
		profiles := e.Describe().Profiles
		if name := e.Describe().Name + ", profile " + profiles[len(profiles)-1]; !seen[name] {
			t.Errorf("%s is not in the order", name)
		}
	}
	if last := inOrder[len(inOrder)-1].experiment.Describe().Name; last != "cebere2024/resnet18" {
		t.Errorf("%s is last", last)
	}
}

// Every record of one -all names the commit at its start, though the sources change meanwhile.
func TestAllNamesOneCommit(t *testing.T) {
	repository(t)
	commit = "0123456789abcdef"
	defer func() { commit = "" }()
	moves := func(context.Context, int, experiments.Env) error {
		commit = "fedcba9876543210"
		return nil
	}
	order := []entry{{experiment: named("a", moves), profile: "quick"}, {experiment: named("b", moves), profile: "quick"}}
	askAll(t.Context(), order, "-all").want(t, 0, "shards trained: 8, left: 0")
	list := askAll(t.Context(), order, "")
	if strings.Count(list.stdout, "commit 0123456789ab") != 2 || strings.Contains(list.stdout, "fedcba987654") {
		t.Errorf("the commits of the records:\n%s", list.stdout)
	}
}
