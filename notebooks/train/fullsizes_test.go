package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/index"
	"github.com/dplab/dplab/notebooks/results"
)

var update = flag.Bool("update", false, "write notebooks/index/full.json and trained.json")

// What the index says of experiments at full size is what they and the stored results say; its time
// is that on the backend where a shard took least.
func TestFullSizes(t *testing.T) {
	var sizes []index.FullSize
	for _, e := range all {
		if !slices.Contains(e.Describe().Profiles, "full") {
			continue
		}
		job, err := e.Job("full")
		if err != nil {
			t.Fatal(err)
		}
		records, err := job.Stored(results.Stored)
		if err != nil {
			t.Fatal(err)
		}
		size := index.FullSize{Experiment: job.Experiment, Shards: job.Shards, ModelSteps: job.ModelSteps * float64(job.Shards)}
		byBackend := map[string][]experiments.Record{}
		for _, r := range records {
			byBackend[r.Backend] = append(byBackend[r.Backend], r)
		}
		for _, name := range slices.Sorted(maps.Keys(byBackend)) { // the fastest
			account := experiments.NewAccount(job, byBackend[name])
			if seconds := account.Seconds / float64(len(byBackend[name])) * float64(size.Shards); size.Done == 0 || seconds < size.Seconds {
				size.Done, size.Seconds = len(byBackend[name]), seconds
				size.On = strings.Join(account.Backends, " and ") + ", " + strings.Join(account.Platforms, " and ")
			}
		}
		sizes = append(sizes, size)
	}
	fileHolds(t, "../index/full.json", sizes)
}

// The index lists every store, and what it took.
func TestStoredTrainings(t *testing.T) {
	var list []index.Training
	for _, e := range all {
		for _, profile := range e.Describe().Profiles {
			job, err := e.Job(profile)
			if err != nil {
				t.Fatal(err)
			}
			records, err := job.Stored(results.Stored)
			if err != nil {
				t.Fatal(err)
			}
			if len(records) == 0 {
				continue
			}
			a := experiments.NewAccount(job, records)
			list = append(list, index.Training{
				Experiment: job.Experiment, Profile: profile, Shards: a.Shards, Done: a.Done, ModelSteps: a.ModelSteps, Seconds: a.Seconds,
				On: strings.Join(a.Backends, " and ") + " on " + strings.Join(a.Platforms, " and "), Last: a.Last,
			})
		}
	}
	fileHolds(t, "../index/trained.json", list)
}

// fileHolds compares a file of the index with a list. With -update it writes the file.
func fileHolds(t *testing.T, path string, list any) {
	t.Helper()
	want, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		if !*update {
			t.Fatalf("%s is not what the experiments and the stored results have: run go test ./notebooks/train -run 'FullSizes|StoredTrainings' -update (%v)", path, err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
