package experiments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// Experiment is a config for each profile, and how to compute its result in independent shards. Config, Shard and
// Result must survive JSON: infinities need chart.Number, and unexported fields are lost.
type Experiment[Config, Shard, Result any] struct {
	Name  string // "cebere2024/figure1c": the paper and the item, in small letters, digits and hyphens
	Title string // what it shows: "Figure 1c"

	// Version is at least 1. It is raised by hand when a change of the code changes what a config gives, beyond rounding.
	Version int

	// Profiles holds the configs by name: "quick" for seconds, "mid" for hours on two cores, "full" for the paper's size.
	Profiles map[string]Config

	// Shards returns how many shards the result has, at least 1.
	Shards func(Config) int

	// ModelSteps returns the steps of all models of one shard, on average. Nil where nothing is trained.
	ModelSteps func(Config) float64

	// Run computes a shard, counted from 0. What it returns follows from the config and the index alone, up to the
	// rounding of another backend: all draws come from a seed in the config. It ends early, with an error, when ctx ends.
	// A shard is what a stop loses and what every trainer is compiled for: some seconds to some minutes are a fair size.
	Run func(ctx context.Context, c Config, shard int, env Env) (Shard, error)

	// Merge makes the result of the shards that are done: at least one, by growing index. See List.
	Merge func(c Config, parts []Part[Shard]) (Result, error)
}

// Env is what a shard may use and must not depend on, beyond rounding.
type Env struct {
	Performance engine.Performance
	Data        string // folder as in data.Dir; "" is DPLAB_DATA

	// Progress, if not nil, is told now and then how much of the shard is done, in any unit.
	Progress func(done, total int, detail string)

	kept *kept // by Keep; nil to keep nothing
}

// Report tells Progress, if there is one.
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

// List is a Merge that returns what is done as it is.
func List[Config, Shard any](_ Config, parts []Part[Shard]) ([]Part[Shard], error) { return parts, nil }

// Any is an experiment of any types, for lists of them.
type Any interface {
	Validate() error
	Describe() Description
	Job(profile string) (Job, error)
}

// Description is what there is to say of an experiment before it runs.
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
	var errs []error
	unless := func(ok bool, field string, value any, rule string) {
		if !ok {
			errs = append(errs, fmt.Errorf("experiments: %s: %s %v: %s", e.Name, field, value, rule))
		}
	}
	unless(experimentName.MatchString(e.Name), "Name", fmt.Sprintf("%q", e.Name), "must be paper/item, in small letters, digits and hyphens")
	unless(e.Title != "", "Title", `""`, "must say what is shown")
	unless(e.Version >= 1, "Version", e.Version, "must be at least 1")
	unless(len(e.Profiles) > 0, "Profiles", e.Profiles, "must hold at least one")
	unless(e.Shards != nil, "Shards", "nil", "must be a function")
	unless(e.Run != nil, "Run", "nil", "must be a function")
	unless(e.Merge != nil, "Merge", "nil", "must be a function, such as List")
	for _, name := range e.profiles() {
		unless(profileName.MatchString(name), "profile", fmt.Sprintf("%q", name), "must be of small letters and digits")
		if e.Shards != nil {
			n := e.Shards(e.Profiles[name])
			unless(n >= 1 && n <= MostShards, "Shards of profile "+name, n, fmt.Sprintf("must be in [1, %d]", MostShards))
		}
	}
	return errors.Join(errs...)
}

// MostShards is how many shards an experiment may have.
const MostShards = 100_000
