package experiments_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/notebooks/experiments"
)

// A value is made once for a job, a key and a Performance; an error is not kept; what was made in
// the first shard reports to the one that runs.
func TestKeep(t *testing.T) {
	made, fails := 0, true
	var wrongType error
	e := experiments.Experiment[int, int, []experiments.Part[int]]{
		Name: "toy2026/keep", Title: "keeping", Version: 1, Profiles: map[string]int{"quick": 3},
		Shards: func(n int) int { return n }, Merge: experiments.List[int, int],
		Run: func(_ context.Context, _, shard int, env experiments.Env) (int, error) {
			double, err := experiments.Keep(env, "double", func() (func(int) int, error) {
				if made++; fails {
					return nil, errors.New("not now")
				}
				return func(v int) int { env.Report(v, 3, ""); return 2 * v }, nil
			})
			if err != nil {
				return 0, err
			}
			_, wrongType = experiments.Keep(env, "double", func() (int, error) { return 1, nil })
			return double(shard), nil
		},
	}
	job, err := e.Job("quick")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.Compute(t.Context(), 0, experiments.Env{}, ""); err == nil || made != 1 {
		t.Errorf("made %d times, error %v: want the error", made, err)
	}
	fails = false
	for shard, want := range []string{"0", "2", "4"} {
		var told []int
		env := experiments.Env{Progress: func(done, _ int, _ string) { told = append(told, done) }}
		r, err := job.Compute(t.Context(), shard, env, "")
		if err != nil || string(r.Result) != want || len(told) != 1 || told[0] != shard {
			t.Errorf("shard %d: %s, told %v, %v: want %s, told %d", shard, r.Result, told, err, want, shard)
		}
	}
	if made != 2 || wrongType == nil {
		t.Errorf("made %d times, of another type %v: want 2 and an error", made, wrongType)
	}
	if _, err := job.Compute(t.Context(), 1, experiments.Env{Performance: engine.Performance{ReplicasPerCall: 1}}, ""); err != nil || made != 3 {
		t.Errorf("another Performance: made %d times, %v: want 3", made, err)
	}
}
