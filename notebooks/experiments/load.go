package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/results"
)

// ErrNotStored is returned, wrapped, if no shard is stored.
var ErrNotStored = errors.New("nothing is stored")

// Stored is the result of the finished shards, and the account of them.
type Stored[Config, Result any] struct {
	Profile string // "full", "mid" or "quick"
	Config  Config
	Result  Result
	Account Account
}

// Account describes the shards behind a result.
type Account struct {
	Done, Shards int
	Backends     []string // each once, sorted, as are the next two
	Platforms    []string
	Revisions    []string // of the sources, where known
	First, Last  string   // days, UTC, on which a shard began
	Seconds      float64  // of all shards together
	ModelSteps   float64

	here bool // the shards are trained where they are shown
}

// String returns all of it in one line: "12 of 25 shards; " and the Origin. Of shards that are
// trained where they are shown it has no day and no machine, so every run prints the same.
func (a Account) String() string {
	if a.here {
		return fmt.Sprintf("%d of %d shards, trained here; %s", a.Done, a.Shards, strings.Join(a.Backends, ", "))
	}
	return fmt.Sprintf("%d of %d shards; %s", a.Done, a.Shards, a.Origin())
}

// Origin returns where they come from: "xla:cuda on linux/amd64, 16 cores, NVIDIA H100; 2026-11-22;
// commit 0123456789ab".
func (a Account) Origin() string {
	days := a.First
	if a.Last != a.First {
		days += " to " + a.Last
	}
	text := fmt.Sprintf("%s on %s; %s", strings.Join(a.Backends, ", "), strings.Join(a.Platforms, " and "), days)
	if len(a.Revisions) > 0 {
		text += "; commit " + strings.Join(a.Revisions, ", ")
	}
	return text
}

// NewAccount sums up the records of a job, at least one.
func NewAccount(j Job, records []Record) Account {
	a := Account{Done: len(records), Shards: j.Shards}
	backends, platforms, revisions, days := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range records {
		day, _, _ := strings.Cut(r.Date, "T")
		backends[r.Backend], days[day] = true, true
		platforms[strings.Replace(r.Platform, ", 1 cores", ", 1 core", 1)] = true // as older records have it
		if r.Revision != "" {
			revisions[r.Revision] = true
		}
		a.Seconds += r.Seconds
		a.ModelSteps += r.ModelSteps
	}
	a.Backends, a.Platforms, a.Revisions = sorted(backends), sorted(platforms), sorted(revisions)
	a.First, a.Last = slices.Min(sorted(days)), slices.Max(sorted(days))
	return a
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// Load returns the result of what is stored in notebooks/results, as it was when the program was
// built. The error wraps ErrNotStored if nothing is stored, and ErrOtherVersion if the stored
// version or config is another.
func (e Experiment[Config, Shard, Result]) Load(profile string) (Stored[Config, Result], error) {
	return e.LoadFrom(results.Stored, profile)
}

// LoadFrom is Load from another folder.
func (e Experiment[Config, Shard, Result]) LoadFrom(dir fs.FS, profile string) (Stored[Config, Result], error) {
	var none Stored[Config, Result]
	j, err := e.Job(profile)
	if err != nil {
		return none, err
	}
	file, err := j.readStore(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(file.Records) == 0 {
		err = fmt.Errorf("experiments: %v: %w", j, ErrNotStored)
	}
	if err != nil {
		return none, fmt.Errorf("%w; go run ./notebooks/train %s -profile %s trains it", err, j.Experiment, j.Profile)
	}
	return e.merge(j, file.Records)
}

// Largest returns what is stored of the profile full, or else of mid: the first that is enough. A
// nil enough takes any. If there is none, the error wraps ErrNotStored.
func (e Experiment[Config, Shard, Result]) Largest(enough func(Stored[Config, Result]) bool) (Stored[Config, Result], error) {
	s, err := Stored[Config, Result]{}, fmt.Errorf("experiments: %s: %w", e.Name, ErrNotStored)
	for _, profile := range []string{"full", "mid"} {
		if _, known := e.Profiles[profile]; !known {
			continue
		}
		if s, err = e.Load(profile); err == nil && enough != nil && !enough(s) {
			err = fmt.Errorf("experiments: %s, profile %s: too little is done: %w: %v", e.Name, profile, ErrNotStored, s.Account)
		}
		if !errors.Is(err, ErrNotStored) {
			break
		}
	}
	return s, err
}

// AtHand returns the largest that is stored. If there is none, it computes the profile quick.
func (e Experiment[Config, Shard, Result]) AtHand(ctx context.Context, env Env) (Stored[Config, Result], error) {
	s, err := e.Largest(nil)
	if errors.Is(err, ErrNotStored) {
		return e.Compute(ctx, "quick", env)
	}
	return s, err
}

// Compute returns the result of all shards. It computes them here, one after the other, and stores
// nothing. Use it for small profiles.
func (e Experiment[Config, Shard, Result]) Compute(ctx context.Context, profile string, env Env) (Stored[Config, Result], error) {
	var none Stored[Config, Result]
	j, err := e.Job(profile)
	if err != nil {
		return none, err
	}
	var records []Record
	for shard := range j.Shards {
		inside := env
		inside.Progress = func(done, total int, detail string) { // all shards are taken to be equally long
			if total > 0 {
				env.Report(shard*total+done, j.Shards*total, detail)
			}
		}
		r, err := j.Compute(ctx, shard, inside, "")
		if err != nil {
			return none, err
		}
		records = append(records, r)
	}
	s, err := e.merge(j, records)
	s.Account.here = true
	return s, err
}

// merge reads the shards' results and merges them. The config is that of the profile. Its hash
// equals that of the records.
func (e Experiment[Config, Shard, Result]) merge(j Job, records []Record) (Stored[Config, Result], error) {
	s := Stored[Config, Result]{Profile: j.Profile, Config: e.Profiles[j.Profile], Account: NewAccount(j, records)}
	var parts []Part[Shard]
	for _, r := range records {
		p := Part[Shard]{Index: r.Index}
		if err := json.Unmarshal(r.Result, &p.Result); err != nil {
			return s, fmt.Errorf("experiments: %v: shard %d: %w", j, r.Index, err)
		}
		parts = append(parts, p)
	}
	var err error
	if s.Result, err = e.Merge(s.Config, parts); err != nil {
		return s, fmt.Errorf("experiments: %v: merging: %w", j, err)
	}
	return s, nil
}
