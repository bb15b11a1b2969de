package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"github.com/gomlx/compute"

	"github.com/dplab/dplab/accounting/command/badinput"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/notebooks/experiments"
)

// count is the config of the toys: shard i holds the numbers from i*Each on.
type count struct{ Shards, Each int }

// toy counts; run, if not nil, is called in each shard before it does.
func toy(run func(ctx context.Context, shard int, env experiments.Env) error) experiments.Experiment[count, experiments.Floats, float64] {
	return experiments.Experiment[count, experiments.Floats, float64]{
		Name: "toy2026/count", Title: "sum of the first numbers", Version: 1,
		Profiles:   map[string]count{"quick": {4, 5}, "mid": {10, 10}},
		Shards:     func(c count) int { return c.Shards },
		ModelSteps: func(c count) float64 { return float64(c.Each) },
		Run: func(ctx context.Context, c count, shard int, env experiments.Env) (out experiments.Floats, err error) {
			if run != nil {
				err = run(ctx, shard, env)
			}
			for k := range c.Each {
				out = append(out, float32(shard*c.Each+k))
			}
			return out, err
		},
		Merge: func(_ count, parts []experiments.Part[experiments.Floats]) (sum float64, _ error) {
			for _, p := range parts {
				for _, v := range p.Result {
					sum += float64(v)
				}
			}
			return sum, nil
		},
	}
}

// answer is what a command line gave.
type answer struct {
	code           int
	stdout, stderr string
}

// ask runs a command line. -all trains the profiles quick and mid of the experiment.
func ask(ctx context.Context, e experiments.Any, line string) answer {
	return askAll(ctx, []entry{{experiment: e, profile: "quick"}, {experiment: e, profile: "mid"}}, line)
}

// askAll runs a command line with an order for -all.
func askAll(ctx context.Context, order []entry, line string) answer {
	var list []experiments.Any
	var stdout, stderr bytes.Buffer
	for _, e := range order {
		if len(list) == 0 || list[len(list)-1].Describe().Name != e.experiment.Describe().Name {
			list = append(list, e.experiment)
		}
	}
	code := program{list, order, &stdout, &stderr}.run(ctx, strings.Fields(line))
	return answer{code, stdout.String(), stderr.String()}
}

// want checks the exit code and what standard output and error say together.
func (a answer) want(t *testing.T, code int, says ...string) {
	t.Helper()
	if a.code != code {
		t.Errorf("exit code %d, want %d", a.code, code)
	}
	for _, s := range says {
		if !strings.Contains(a.stdout+a.stderr, s) {
			t.Errorf("does not say %q", s)
		}
	}
	if t.Failed() {
		t.Fatalf("standard output:\n%s\nstandard error:\n%s", a.stdout, a.stderr)
	}
}

// repository makes the working directory one with an empty folder of results.
func repository(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("notebooks/results", 0o755); err != nil {
		t.Fatal(err)
	}
}

// files names what is in a folder, but for locks.
func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".lock") {
			names = append(names, e.Name())
		}
	}
	return names
}

func sum(t *testing.T, profile string) (float64, experiments.Account) {
	t.Helper()
	s, err := toy(nil).LoadFrom(os.DirFS("notebooks/results"), profile)
	if err != nil {
		t.Fatal(err)
	}
	return s.Result, s.Account
}

func TestTrainStoresEachShardOnce(t *testing.T) {
	repository(t)
	var ran []int
	e := toy(func(_ context.Context, shard int, env experiments.Env) error {
		ran = append(ran, shard)
		if env.Performance.ReplicasPerCall != 7 || env.Performance.Backend != "go" {
			return fmt.Errorf("the shard runs with %+v", env.Performance)
		}
		return nil
	})
	ask(t.Context(), e, "toy2026/count -profile quick -chunk 7").want(t, 0, "toy2026/count, profile quick: shards trained: 4, left: 0")
	if got, account := sum(t, "quick"); got != 190 || account.Done != 4 { // 0 + ... + 19
		t.Errorf("%g of %+v, want 190", got, account)
	}
	ask(t.Context(), e, "toy2026/count -profile quick -chunk 7").want(t, 0, "shards trained: 0, left: 0")
	if !slices.Equal(ran, []int{0, 1, 2, 3}) {
		t.Errorf("shards ran: %v", ran)
	}
	if got := files(t, "notebooks/results"); !slices.Equal(got, []string{"toy2026-count-quick.json.gz"}) {
		t.Errorf("files %q", got)
	}
	ask(t.Context(), e, "").want(t, 0, "toy2026/count  quick    4 of 4   0                 -           sum of the first numbers", "sum of the first numbers  nothing\n", "0 of 10", "nothing", "unknown", "left on go")
}

// An interrupted training keeps the shards that are done, and the next one goes on.
func TestInterruptLosesOneShard(t *testing.T) {
	repository(t)
	ctx, interrupt := context.WithCancel(t.Context())
	e := toy(func(ctx context.Context, shard int, _ experiments.Env) error {
		if shard == 2 {
			interrupt()
		}
		return ctx.Err()
	})
	ask(ctx, e, "toy2026/count -profile quick").want(t, exitAgain, "shards trained: 2, left: 2", "interrupted: shard 2 is lost")
	ask(t.Context(), toy(nil), "toy2026/count -profile quick").want(t, 0, "shards trained: 2, left: 0")
	if got, _ := sum(t, "quick"); got != 190 {
		t.Errorf("%g, want 190", got)
	}
}

// waits blocks in every shard from one on until the budget ends, after it has said that a tenth is
// done, which took 5 ms.
func waits(from int) experiments.Any {
	return toy(func(ctx context.Context, shard int, env experiments.Env) error {
		if shard >= from {
			env.Report(0, 10, "")
			time.Sleep(5 * time.Millisecond)
			env.Report(1, 10, "")
			<-ctx.Done()
		}
		return ctx.Err()
	})
}

// A budget ends by a clock that stands still while a shard computes: however busy the machine is,
// the shards that wait are cut off.
func TestBudget(t *testing.T) {
	repository(t)
	budgeted := func(e experiments.Any, line string) (a answer) {
		synctest.Test(t, func(t *testing.T) { a = ask(t.Context(), e, line) })
		return a
	}
	budgeted(waits(0), "toy2026/count -profile quick -budget 20ms").want(t, exitFault,
		"-budget 20ms", "one shard of toy2026/count, profile quick takes about", "must be at least that")
	budgeted(waits(2), "toy2026/count -profile quick -budget 2s").want(t, 0, "shards trained: 2, left: 2")
	if got, account := sum(t, "quick"); got != 45 || account.Done != 2 {
		t.Errorf("%g of %+v, want 45 of the first two shards", got, account)
	}
	budgeted(waits(2), "toy2026/count -profile quick -budget 2s -shard 1-2/4 -out out").want(t, exitAgain, "ended before shards 2: unfinished")
	budgeted(waits(4), "toy2026/count -profile quick -budget 10m").want(t, 0, "shards trained: 2, left: 0")

	// A budget below what a stored shard has taken is refused before anything runs.
	job, err := toy(nil).Job("mid")
	if err != nil {
		t.Fatal(err)
	}
	r, err := job.Compute(t.Context(), 0, experiments.Env{}, "")
	if err != nil {
		t.Fatal(err)
	}
	r.Seconds = 90
	if _, err := (experiments.Store{Dir: "notebooks/results", Job: job}).Add(r); err != nil {
		t.Fatal(err)
	}
	never := toy(func(context.Context, int, experiments.Env) error { return errors.New("ran") })
	ask(t.Context(), never, "toy2026/count -profile mid -budget 1m").want(t, exitFault, "takes about 1m30s on go", "must be at least that")
	ask(t.Context(), never, "").want(t, 0, "1 of 10", "13m30s") // nine times 90 s
}

// Workers share nothing but the folder; merge says what is missing and stores what is there.
func TestWorkersAndMerge(t *testing.T) {
	repository(t)
	ask(t.Context(), toy(nil), "toy2026/count -profile mid -shard 3-7/10 -out out").want(t, 0, "shards trained: 5, left: 0")
	ask(t.Context(), toy(nil), "toy2026/count -profile mid -shard 7/10 -out out").want(t, 0, "shards trained: 0, left: 0")
	ask(t.Context(), toy(nil), "toy2026/count -profile mid -shard 0/10 -out out").want(t, 0, "shards trained: 1")
	if got := files(t, "notebooks/results"); len(got) > 0 {
		t.Errorf("workers wrote %q", got)
	}
	ask(t.Context(), toy(nil), "merge toy2026/count -profile mid -from out").want(t, 0, "shards added: 6, present before: 0; it has 6 of 10", "missing: 1-2, 8-9")
	ask(t.Context(), toy(nil), "merge toy2026/count -profile mid -from out").want(t, 0, "shards added: 0, present before: 6; it has 6 of 10")
	ask(t.Context(), toy(nil), "toy2026/count -profile mid").want(t, 0, "shards trained: 4, left: 0")
	if got, account := sum(t, "mid"); got != 4950 || account.Done != 10 { // 0 + ... + 99
		t.Errorf("%g of %+v, want 4950", got, account)
	}
	ask(t.Context(), toy(nil), "merge toy2026/count -profile quick -from out").want(t, exitFault, "-from out", "holds no shard of toy2026/count, profile quick")
}

// With -out and no -shard, what the store has is not trained again.
func TestOutTakesWhatIsMissing(t *testing.T) {
	repository(t)
	ask(t.Context(), toy(nil), "toy2026/count -profile quick -shard 1/4 -out old").want(t, 0)
	ask(t.Context(), toy(nil), "merge toy2026/count -profile quick -from old").want(t, 0)
	ask(t.Context(), toy(nil), "toy2026/count -profile quick -out new").want(t, 0, "shards trained: 3, left: 0")
	ask(t.Context(), toy(nil), "toy2026/count -profile quick -out new").want(t, 0, "shards trained: 0, left: 0")
	if got := files(t, "new"); len(got) != 3 {
		t.Errorf("files %q", got)
	}
}

// A file that was cut short is replaced.
func TestADamagedShardRunsAgain(t *testing.T) {
	repository(t)
	const line = "toy2026/count -profile quick -shard 0-3/4 -out out"
	ask(t.Context(), toy(nil), line).want(t, 0, "shards trained: 4")
	cut := filepath.Join("out", files(t, "out")[2])
	if err := os.Truncate(cut, 20); err != nil {
		t.Fatal(err)
	}
	ask(t.Context(), toy(nil), "merge toy2026/count -profile quick -from out").want(t, 0, "not used: "+filepath.Base(cut), "missing: 2")
	ask(t.Context(), toy(nil), line).want(t, 0, "shards trained: 1, left: 0")
	ask(t.Context(), toy(nil), "merge toy2026/count -profile quick -from out").want(t, 0, "shards added: 1, present before: 3; it has 4 of 4")
}

func TestAnotherVersionIsKept(t *testing.T) {
	repository(t)
	ask(t.Context(), toy(nil), "toy2026/count -profile quick").want(t, 0)
	second := toy(nil)
	second.Version = 2
	ask(t.Context(), second, "").want(t, 0, "0 of 4", "of another version")
	ask(t.Context(), second, "toy2026/count -profile quick -budget 1h").want(t, 0, "version 1", "toy2026-count-quick.old1.json.gz", "shards trained: 4")
	if got := files(t, "notebooks/results"); !slices.Equal(got, []string{"toy2026-count-quick.json.gz", "toy2026-count-quick.old1.json.gz"}) {
		t.Errorf("files %q", got)
	}
}

func TestAMergeThatIsLockedOutMayBeTriedAgain(t *testing.T) {
	repository(t)
	ask(t.Context(), toy(nil), "toy2026/count -profile quick -out out").want(t, 0)
	lock := flock.New("notebooks/results/.toy2026-count-quick.lock")
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	ask(t.Context(), toy(nil), "merge toy2026/count -profile quick -from out").want(t, exitAgain, "another program is writing it")
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	ask(t.Context(), toy(nil), "merge toy2026/count -profile quick -from out").want(t, 0, "it has 4 of 4")
}

func TestMeasure(t *testing.T) {
	repository(t)
	e := toy(func(_ context.Context, shard int, _ experiments.Env) error {
		if shard != 0 {
			return errors.New("more than one shard ran")
		}
		return nil
	})
	ask(t.Context(), e, "toy2026/count -measure -profile mid").want(t, 0, "0 of 10", ", measured")
	if got := files(t, "notebooks/results"); len(got) > 0 {
		t.Errorf("measuring wrote %q", got)
	}
}

// closed registers a backend that does not open, once.
var closed = sync.OnceValue(func() error {
	return backend.Register("closed", func() (compute.Backend, error) { return nil, errors.New("no device on this machine") })
})

// Every wrong command line is told by name, value and rule, before anything runs or is written.
func TestBadInputs(t *testing.T) {
	repository(t)
	if err := errors.Join(os.WriteFile("file", nil, 0o600), os.Mkdir("empty", 0o700), closed()); err != nil {
		t.Fatal(err)
	}
	never := toy(func(context.Context, int, experiments.Env) error { return errors.New("ran") })
	const quick = "toy2026/count -profile quick "
	line := badinput.Of
	badinput.Command{Name: "train", Prefix: "train: ", Run: func(args []string) (int, string, string) {
		a := ask(t.Context(), never, strings.Join(args, " "))
		return a.code, a.stdout, a.stderr
	}}.Check(t, []badinput.Line{
		line(2, "toy2026/figure9", `experiment "toy2026/figure9"`, "must be one of toy2026/count"),
		line(2, "toy2026/count", `-profile ""`, "must be one of quick, mid"),
		line(2, "toy2026/count -profile huge", `-profile "huge"`, "must be one of quick, mid"),
		line(2, "toy2026/count mid", `"mid"`, "must be a flag"),
		line(2, "-measure toy2026/figure9", `"toy2026/figure9"`, "must be one of"),
		line(2, "merge", "must be followed by the name"),
		line(2, "merge "+quick, `-from ""`, "must be the folder"),
		line(2, "merge "+quick+"-from none", "-from none", "must be a folder that exists"),
		line(2, "merge "+quick+"-from file", "-from file", "must be a folder"),
		line(1, "merge "+quick+"-from empty", "-from empty", "holds no shard"),
		line(2, "merge "+quick+"-from empty -budget 1m", "-budget", "must not be given here"),
		line(2, quick+"-from empty", "-from", "must not be given here"),
		line(2, quick+"-speed 3", "not defined: -speed"),
		line(2, quick+"-shard 4/4 -out out", "4/4", "must name shards from 0"),
		line(2, quick+"-shard 3-1/4 -out out", "3-1/4", "the lower one first"),
		line(2, quick+"-shard 0-4/4 -out out", "0-4/4", "must name shards from 0"),
		line(2, quick+"-shard 0/0 -out out", "0/0", "must name shards"),
		line(2, quick+"-shard -1/4 -out out", "-1/4", "must be like 3/40"),
		line(2, quick+"-shard 1 -out out", `"1"`, "must be like 3/40"),
		line(2, quick+"-shard 1/5 -out out", "-shard 1/5", "has 4 shards", "must end with /4"),
		line(2, quick+"-shard 1/4", "-shard 1/4", "must be given with -out"),
		line(2, quick+"-task 1-2/4 -out out", "1-2/4", "must be one, like 3/8"),
		line(2, quick+"-task 1/5 -out out", "5 tasks", "has 4 shards", "at most one a shard"),
		line(2, quick+"-task 1/4", "-task 1/4", "must be given with -out"),
		line(2, quick+"-task 1/4 -shard 1/4 -out out", "-task and -shard", "must not be given together"),
		line(2, quick+"-slurm", "must be given with -out"),
		line(2, quick+"-slurm -kubernetes i -out out", "-slurm and -kubernetes", "must not be given together"),
		line(2, quick+"-slurm -task 1/4 -out out", "which divide the shards themselves"),
		line(2, quick+"-kubernetes= -out out", `-kubernetes ""`, "must be the image"),
		line(2, quick+"-slurm -tasks 5 -out out", "5 tasks", "has 4 shards"),
		line(2, quick+"-slurm -tasks 1_0 -out out", "-tasks", "1_0", "must be a whole number"),
		line(2, quick+"-slurm -tasks 0x2 -out out", "-tasks", "0x2", "must be a whole number"),
		line(2, quick+"-slurm -tasks 0 -out out", "-tasks 0", "must be at least 1"),
		line(2, quick+"-tasks 2", "-tasks 2", "with -slurm or -kubernetes"),
		line(2, quick+"-budget 0s", "-budget", `"0s"`, "must be a time above 0"),
		line(2, quick+"-budget 50", "-budget", `"50"`, "must be a time above 0"),
		line(2, quick+"-chunk 0", "-chunk", `"0"`, "at least 1"),
		line(2, quick+"-out=", `-out ""`, "must be a folder"),
		line(2, quick+"-out file", "-out file", "is a file"),
		line(2, quick+"-results file", "-results file", "is a file"),
		line(2, quick+"-results none", "-results none", "run this in the repository, or give -out"),
		line(2, quick+"-backend abacus", `-backend "abacus"`, "must be one of closed, go"),
		line(1, quick+"-backend closed", `backend: "closed" does not open`, "no device on this machine"),
		line(2, "toy2026/count -all", `experiment "toy2026/count"`, "must not be given with -all"),
		line(2, "-all -profile quick", "-profile", "must not be given with -all"),
		line(2, "-all -shard 0/4 -out out", "-shard", "must not be given with -all"),
		line(2, "-all -slurm -out out", "-slurm", "must not be given with -all"),
		line(2, "-all -list -budget 1m", "-budget", "must not be given here"),
		line(2, "-list", "-list", "must be given with -all"),
		line(2, "-all -list -out out", "-out", "must not be given here"),
		line(2, "-all -results none", "-results none", "run this in the repository, or give -out"),
		line(2, "merge toy2026/count -all -from empty", `experiment "toy2026/count"`, "must not be given with -all"),
		line(1, "merge -all -from empty", "-from empty", "holds no shard of an experiment that -all trains"),
		line(1, "merge -all -only toy2026/* -from empty", "-from empty", "holds no shard of an experiment that -only toy2026/* names"),
		line(1, "-all -backend closed", `backend: "closed" does not open`),
		line(1, "-measure -backend closed", `backend: "closed" does not open`),
	})
	if got := files(t, "."); !slices.Equal(got, []string{"empty", "file", "notebooks"}) || len(files(t, "notebooks/results")) > 0 {
		t.Errorf("refused command lines wrote: %q", got)
	}
	ask(t.Context(), never, quick).want(t, 1, "toy2026/count, profile quick: shard 0: ran")
	ask(t.Context(), never, "-h").want(t, 0, "-shard shards")
	broken := toy(nil)
	broken.Version = 0
	ask(t.Context(), broken, "").want(t, exitFault, "Version 0: must be at least 1")
}

// The list of the command itself is sound, and each name is there once.
func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range all {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
		name := e.Describe().Name
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
	}
}

func TestRanges(t *testing.T) {
	for want, numbers := range map[string][]int{"": nil, "3": {3}, "0-2": {0, 1, 2}, "0, 2-3, 7": {0, 2, 3, 7}} {
		if got := ranges(numbers); got != want {
			t.Errorf("%v: %q, want %q", numbers, got, want)
		}
	}
}
