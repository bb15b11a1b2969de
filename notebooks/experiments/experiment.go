package experiments

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// Experiment has a config for each profile, and computes its result in independent shards. Config,
// Shard and Result must survive JSON: infinities need chart.Number, and unexported fields are lost.
type Experiment[Config, Shard, Result any] struct {
	Name  string // "cebere2024/figure1c": the paper and the item, in small letters, digits and hyphens
	Title string // what it shows: "Figure 1c"

	// Version is at least 1. Raise it by hand when a change of the code changes the result of a config
	// beyond rounding.
	Version int

	// Profiles has the configs by name: "quick" for seconds, "mid" for hours on two cores, "full" for
	// the paper's size.
	Profiles map[string]Config

	// Shards returns the number of shards of the result, at least 1.
	Shards func(Config) int

	// ModelSteps returns the steps of all models of one shard, on average. It is nil if nothing is
	// trained.
	ModelSteps func(Config) float64

	// Run computes a shard, counted from 0. Its result follows from only the config and the index, up
	// to the rounding of another backend: all draws come from a seed in the config. It ends early,
	// with an error, when ctx ends. A stop loses one shard, and every shard compiles its trainer. So
	// some seconds to some minutes are a good size.
	Run func(ctx context.Context, c Config, shard int, env Env) (Shard, error)

	// Smaller returns configs whose shards are the first shards of c, such as c with fewer repeats.
	// What is stored of one of them counts for c, and a training of c goes on from it. nil for none.
	Smaller func(c Config) []Config

	// Merge makes the result of the finished shards: at least one, by increasing index. See List.
	Merge func(c Config, parts []Part[Shard]) (Result, error)
}

// Env has what a shard may use. The result must not depend on it, beyond rounding.
type Env struct {
	Performance engine.Performance
	Data        string // folder as in data.Dir; "" is DPLAB_DATA

	// Progress, if not nil, gets from time to time how much of the shard is done, in any unit.
	Progress func(done, total int, detail string)

	kept *kept // for Keep; nil to keep nothing
}

// Report calls Progress, if there is one.
func (e Env) Report(done, total int, detail string) {
	if e.Progress != nil {
		e.Progress(done, total, detail)
	}
}

// Part is the result of one shard.
type Part[Shard any] struct {
	Index  int
	Result Shard
}

// List is a Merge that returns the finished shards unchanged.
func List[Config, Shard any](_ Config, parts []Part[Shard]) ([]Part[Shard], error) { return parts, nil }

// Any is an experiment of any types, for lists of them.
type Any interface {
	Validate() error
	Describe() Description
	Job(profile string) (Job, error)
}

// Description describes an experiment before it runs.
type Description struct {
	Name, Title string
	Version     int
	Profiles    []string // quick, mid and full first, then by name
}

// Describe returns the description.
func (e Experiment[Config, Shard, Result]) Describe() Description {
	return Description{Name: e.Name, Title: e.Title, Version: e.Version, Profiles: e.profiles()}
}

func (e Experiment[Config, Shard, Result]) profiles() []string {
	usual := []string{"quick", "mid", "full"}
	rank := func(name string) int { return (slices.Index(usual, name) + len(usual) + 1) % (len(usual) + 1) }
	return slices.SortedFunc(maps.Keys(e.Profiles), func(a, b string) int {
		return 2*(rank(a)-rank(b)) + strings.Compare(a, b)
	})
}

var (
	experimentName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$`)
	profileName    = regexp.MustCompile(`^[a-z0-9]+$`)
)

// Validate returns every fault, joined.
func (e Experiment[Config, Shard, Result]) Validate() error {
	f := check.In("experiments: " + e.Name + ": ")
	f.That(experimentName.MatchString(e.Name), "Name", fmt.Sprintf("%q", e.Name), "must be paper/item, in small letters, digits and hyphens")
	f.That(e.Title != "", "Title", `""`, "must describe what is shown")
	f.That(e.Version >= 1, "Version", e.Version, "must be at least 1")
	f.That(len(e.Profiles) > 0, "Profiles", e.Profiles, "must hold at least one")
	f.That(e.Shards != nil, "Shards", "nil", "must be a function")
	f.That(e.Run != nil, "Run", "nil", "must be a function")
	f.That(e.Merge != nil, "Merge", "nil", "must be a function, such as List")
	for _, name := range e.profiles() {
		f.That(profileName.MatchString(name), "profile", fmt.Sprintf("%q", name), "must be of small letters and digits")
		if e.Shards != nil {
			n := e.Shards(e.Profiles[name])
			f.That(n >= 1 && n <= MostShards, "Shards of profile "+name, n, fmt.Sprintf("must be in [1, %d]", MostShards))
		}
	}
	return f.Err()
}

// MostShards is the largest number of shards of an experiment.
const MostShards = 100_000
