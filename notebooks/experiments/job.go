package experiments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
)

// Job is an experiment at one profile, without its types.
type Job struct {
	Identity
	ModelSteps float64 // of one shard, on average; 0 if unknown

	config  json.RawMessage
	smaller []Identity // of configs whose shards are the first of this one
	kept    *kept      // between the shards
	run     func(ctx context.Context, shard int, env Env) (json.RawMessage, error)
	reads   func(result json.RawMessage) error // reads the result of a shard, as a check
}

// Identity names what a shard belongs to. Shards of equal identities can be merged.
type Identity struct {
	Experiment string `json:"experiment"`
	Profile    string `json:"profile"`
	Version    int    `json:"version"`
	ConfigHash string `json:"configHash"`
	Shards     int    `json:"shards"` // in all
}

// String names the experiment and the profile.
func (id Identity) String() string { return id.Experiment + ", profile " + id.Profile }

// base returns the first part of the names of files.
func (id Identity) base() string {
	return strings.ReplaceAll(id.Experiment, "/", "-") + "-" + id.Profile
}

// Job returns the job of a profile.
func (e Experiment[Config, Shard, Result]) Job(profile string) (Job, error) {
	if err := e.Validate(); err != nil {
		return Job{}, err
	}
	config, known := e.Profiles[profile]
	if !known {
		return Job{}, fmt.Errorf("experiments: %s: profile %q: must be one of %s", e.Name, profile, strings.Join(e.profiles(), ", "))
	}
	id, text, err := e.identity(profile, config)
	if err != nil {
		return Job{}, err
	}
	j := Job{
		Identity: id, config: text, kept: new(kept),
		run: func(ctx context.Context, shard int, env Env) (json.RawMessage, error) {
			result, err := e.Run(ctx, config, shard, env)
			if err != nil {
				return nil, err
			}
			return json.Marshal(result)
		},
		reads: func(result json.RawMessage) error { return json.Unmarshal(result, new(Shard)) },
	}
	if e.ModelSteps != nil {
		j.ModelSteps = e.ModelSteps(config)
	}
	if e.Smaller != nil {
		for _, smaller := range e.Smaller(config) {
			id, _, err := e.identity(profile, smaller)
			if err != nil {
				return Job{}, err
			}
			j.smaller = append(j.smaller, id)
		}
	}
	return j, nil
}

// identity returns the identity of a config, and the config's JSON.
func (e Experiment[Config, Shard, Result]) identity(profile string, c Config) (Identity, json.RawMessage, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return Identity{}, nil, fmt.Errorf("experiments: %s: config: %w", e.Name, err)
	}
	sum := sha256.Sum256(text)
	return Identity{Experiment: e.Name, Profile: profile, Version: e.Version, ConfigHash: hex.EncodeToString(sum[:8]), Shards: e.Shards(c)}, text, nil
}

// Record is a finished shard.
type Record struct {
	Index      int             `json:"index"` // from 0
	Backend    string          `json:"backend"`
	Platform   string          `json:"platform"` // system, processor, number of cores, and the GPU
	Date       string          `json:"date"`     // when it began, UTC
	Revision   string          `json:"revision,omitempty"`
	Seconds    float64         `json:"seconds"` // wall-clock time, compiling included
	ModelSteps float64         `json:"modelSteps,omitempty"`
	Result     json.RawMessage `json:"result"`
}

// Compute runs one shard, counted from 0. revision names the sources, if known. A shard that cannot
// be read back from its JSON is an error.
func (j Job) Compute(ctx context.Context, shard int, env Env, revision string) (Record, error) {
	if shard < 0 || shard >= j.Shards {
		return Record{}, fmt.Errorf("experiments: %v: shard %d: must be in 0 to %d", j, shard, j.Shards-1)
	}
	backend, err := backend.Resolve(env.Performance.Backend)
	if err != nil {
		return Record{}, fmt.Errorf("experiments: %v: %w", j, err)
	}
	env.Performance.Backend = backend
	start := time.Now()
	result, err := j.run(ctx, shard, j.kept.in(env))
	if err == nil {
		err = j.reads(result)
	}
	if err != nil {
		return Record{}, fmt.Errorf("experiments: %v: shard %d: %w", j, shard, err)
	}
	return Record{
		Index: shard, Backend: backend, Platform: platform(backend), Date: start.UTC().Format(time.RFC3339), Revision: revision,
		Seconds: time.Since(start).Seconds(), ModelSteps: j.ModelSteps, Result: result,
	}, nil
}

// counts reports whether shards of an identity are shards of the job.
func (j Job) counts(id Identity) bool { return id == j.Identity || slices.Contains(j.smaller, id) }

// check returns an error if a shard does not belong to the job, with the reason.
func (j Job) check(id Identity, r Record) error {
	switch {
	case !j.counts(id):
		return fmt.Errorf("is of %v, version %d, config %s, %d shards: must be of %v, version %d, config %s, %d shards",
			id, id.Version, id.ConfigHash, id.Shards, j, j.Version, j.ConfigHash, j.Shards)
	case r.Index < 0 || r.Index >= id.Shards:
		return fmt.Errorf("shard %d: must be in 0 to %d", r.Index, id.Shards-1)
	}
	if err := j.reads(r.Result); err != nil {
		return fmt.Errorf("shard %d: %w", r.Index, err)
	}
	return nil
}

// Missing returns the shards that have no record, by increasing index.
func (j Job) Missing(done []Record) []int {
	var missing []int
	for i := range j.Shards {
		if !slices.ContainsFunc(done, func(r Record) bool { return r.Index == i }) {
			missing = append(missing, i)
		}
	}
	return missing
}

// platform returns the kind of this machine.
func platform(backend string) string {
	name := fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, cores(runtime.NumCPU()))
	if gpu := gpuModel("/proc/driver/nvidia/gpus/*/information"); gpu != "" && strings.Contains(backend, "cuda") {
		name += ", " + gpu
	}
	return name
}

func cores(n int) string {
	if n == 1 {
		return "1 core"
	}
	return fmt.Sprint(n, " cores")
}

// gpuModel returns the model of the first NVIDIA GPU, from the files of its driver, or "".
func gpuModel(pattern string) string {
	files, _ := filepath.Glob(pattern)
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for line := range strings.Lines(string(text)) {
			if model, ok := strings.CutPrefix(line, "Model:"); ok {
				return strings.TrimSpace(model)
			}
		}
	}
	return ""
}
