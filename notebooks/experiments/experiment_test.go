package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// squares is the toy of the tests: shard i has the squares of the numbers from i PerShard on, and
// the result is their sum.
type squares struct {
	Count, PerShard int
}

// sum is Σ k² for k < n.
func (s squares) sum() float64 {
	n := float64(s.Count)
	return (n - 1) * n * (2*n - 1) / 6
}

func toy(version int) Experiment[squares, Floats, float64] {
	return Experiment[squares, Floats, float64]{
		Name: "toy2026/squares-1", Title: "sums of squares", Version: version,
		Profiles:   map[string]squares{"full": {200, 10}, "quick": {20, 5}, "extra": {1, 1}, "mid": {50, 10}},
		Shards:     func(c squares) int { return c.Count / c.PerShard },
		ModelSteps: func(c squares) float64 { return float64(c.PerShard) },
		Run: func(ctx context.Context, c squares, shard int, env Env) (Floats, error) {
			var out Floats
			for k := range c.PerShard {
				v := float32(shard*c.PerShard + k)
				out = append(out, v*v)
				env.Report(k+1, c.PerShard, "")
			}
			return out, ctx.Err()
		},
		Merge: func(_ squares, parts []Part[Floats]) (float64, error) {
			sum := 0.0
			for _, p := range parts {
				for _, v := range p.Result {
					sum += float64(v)
				}
			}
			return sum, nil
		},
	}
}

func job(t *testing.T, version int, profile string) Job {
	t.Helper()
	j, err := toy(version).Job(profile)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// compute returns the records of some shards.
func compute(t *testing.T, j Job, shards ...int) []Record {
	t.Helper()
	var out []Record
	for _, i := range shards {
		r, err := j.Compute(t.Context(), i, Env{}, "0123456789ab")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func TestComputeMergesAllShards(t *testing.T) {
	for _, profile := range []string{"quick", "mid", "full"} {
		var last, whole int
		env := Env{Progress: func(done, total int, _ string) { last, whole = done, total }}
		s, err := toy(1).Compute(t.Context(), profile, env)
		if want := s.Config.sum(); err != nil || s.Result != want {
			t.Errorf("%s: %g, %v, want %g", profile, s.Result, err, want)
		}
		if last != s.Config.Count || whole != s.Config.Count {
			t.Errorf("%s: progress ended with %d of %d, want %d", profile, last, whole, s.Config.Count)
		}
		if a := s.Account; a.Done != a.Shards || a.ModelSteps != float64(s.Config.Count) || !slices.Equal(a.Backends, []string{"go"}) {
			t.Errorf("%s: account %+v", profile, a)
		}
	}
}

// The toy has nothing stored, so it is computed where it is shown.
func TestAtHandComputesWhatIsNotStored(t *testing.T) {
	if _, err := toy(1).Largest(nil); !errors.Is(err, ErrNotStored) {
		t.Errorf("error %v, want ErrNotStored", err)
	}
	stored, err := toy(1).AtHand(t.Context(), Env{})
	if err != nil || stored.Profile != "quick" || !strings.Contains(stored.Account.String(), "trained here") {
		t.Errorf("%+v, %v", stored, err)
	}
}

func TestDescribeOrdersProfiles(t *testing.T) {
	if got := toy(1).Describe().Profiles; !slices.Equal(got, []string{"quick", "mid", "full", "extra"}) {
		t.Errorf("profiles %q", got)
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	if err := toy(1).Validate(); err != nil {
		t.Error(err)
	}
	err := Experiment[squares, Floats, float64]{Name: "Figure 1", Version: -1}.Validate()
	for _, want := range []string{`Name "Figure 1": must be paper/item`, "Title", "Version -1: must be at least 1", "Profiles", "Shards nil", "Run nil", "Merge nil"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	e := toy(1)
	e.Profiles["Too Big"] = squares{MostShards + 1, 1}
	for _, want := range []string{`profile "Too Big": must be of small letters`, "100001: must be in [1, 100000]"} {
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestWrongProfilesAndShards(t *testing.T) {
	if _, err := toy(1).Job("huge"); err == nil || !strings.Contains(err.Error(), `profile "huge": must be one of quick, mid, full, extra`) {
		t.Errorf("an unknown profile: %v", err)
	}
	for _, shard := range []int{-1, 4} {
		if _, err := job(t, 1, "quick").Compute(t.Context(), shard, Env{}, ""); err == nil || !strings.Contains(err.Error(), "must be in 0 to 3") {
			t.Errorf("shard %d: %v", shard, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := job(t, 1, "quick").Compute(ended, 0, Env{}, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// Configs, versions and numbers of shards have identities of their own; the same has the same, on
// any day.
func TestIdentitiesDiffer(t *testing.T) {
	seen := map[Identity]bool{}
	for _, j := range []Job{job(t, 1, "quick"), job(t, 2, "quick"), job(t, 1, "mid")} {
		if seen[j.Identity] {
			t.Errorf("%+v is there twice", j.Identity)
		}
		seen[j.Identity] = true
	}
	if a, b := job(t, 1, "quick"), job(t, 1, "quick"); a.Identity != b.Identity {
		t.Errorf("%+v and %+v", a.Identity, b.Identity)
	}
}

func TestListReturnsTheParts(t *testing.T) {
	parts := []Part[int]{{2, 5}, {7, 1}}
	if got, err := List(squares{}, parts); err != nil || !slices.Equal(got, parts) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestGPUModel(t *testing.T) {
	file := t.TempDir() + "/information"
	if err := os.WriteFile(file, []byte("Model: \t\t NVIDIA H100\nIRQ: 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := gpuModel(file); got != "NVIDIA H100" {
		t.Errorf("%q", got)
	}
	if got := gpuModel(file + "*none"); got != "" {
		t.Errorf("no file: %q", got)
	}
}

// Shards run anywhere and in any order; what is done can be shown before all is.
func ExampleExperiment() {
	dir, err := os.MkdirTemp("", "experiments")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	mean := Experiment[int, float64, float64]{
		Name: "example/mean", Title: "mean of the shards' numbers", Version: 1,
		Profiles: map[string]int{"quick": 4},
		Shards:   func(count int) int { return count },
		Run:      func(_ context.Context, _, shard int, _ Env) (float64, error) { return float64(shard * shard), nil },
		Merge: func(_ int, parts []Part[float64]) (mean float64, _ error) {
			for _, p := range parts {
				mean += p.Result / float64(len(parts))
			}
			return mean, nil
		},
	}
	j, err := mean.Job("quick")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, shard := range []int{3, 1, 0} {
		r, err := j.Compute(context.Background(), shard, Env{}, "")
		if err != nil {
			fmt.Println(err)
			return
		}
		added, err := Store{dir, j}.Add(r)
		fmt.Println("done:", added.Done, "missing:", added.Missing, err)
	}
	s, err := mean.LoadFrom(os.DirFS(dir), "quick")
	fmt.Printf("%.3f of %d of %d shards, %v\n", s.Result, s.Account.Done, s.Account.Shards, err)
	// Output:
	// done: 1 missing: [0 1 2] <nil>
	// done: 2 missing: [0 2] <nil>
	// done: 3 missing: [2] <nil>
	// 3.333 of 3 of 4 shards, <nil>
}
