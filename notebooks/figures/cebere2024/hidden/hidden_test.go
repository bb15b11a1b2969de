package hidden

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/notebooks/experiments"
)

// small is 40 models of 10 steps of the FCNN, for two adversaries in two settings, one with the
// canary at every second step.
func small() Config {
	c := fcnnQuick([]string{random, loss}, 1, []int{2, 10})
	c.BatchSize, c.Batches, c.Games, c.Block = 10, 4, 20, 20
	c.Settings = append(c.Settings, c.Settings[0])
	c.Settings[1].Every = 2
	return c
}

func runAll(t *testing.T, c Config) Result {
	t.Helper()
	var parts []experiments.Part[Shard]
	for shard := range c.Shards() {
		s, err := Run(context.Background(), c, shard, experiments.Env{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, experiments.Part[Shard]{Index: shard, Result: s})
	}
	r, err := Merge(c, parts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Games that are cut into shards are those of one shard, and what is stored of all but the last
// step is their order.
func TestShards(t *testing.T) {
	c := small()
	ranked := runAll(t, c)
	c.Ranks = false
	whole := runAll(t, c)
	c.Block = 5
	parts := runAll(t, c)
	if len(whole.Audits) != 4 || len(ranked.Audits) != 4 || len(parts.Audits) != 4 {
		t.Fatalf("%d, %d and %d audits, want 4", len(whole.Audits), len(ranked.Audits), len(parts.Audits))
	}
	for i, a := range whole.Audits {
		if b := parts.Audits[i]; !reflect.DeepEqual(a, b) {
			t.Errorf("audit %d in four shards %+v, in one %+v", i, b, a)
		}
		if a.Games != 20 || a.Adversary != []string{random, loss}[i%2] || a.Setting != i/2 {
			t.Errorf("audit %d: %d games, %s, setting %d", i, a.Games, a.Adversary, a.Setting)
		}
		for at := range a.Observed {
			got, want := bounds(t, ranked.Audits[i].Observed[at]), bounds(t, a.Observed[at])
			if !slices.Equal(got, want) {
				t.Errorf("audit %d, place %d: bounds %v of the order, %v of the scores", i, at, got, want)
			}
		}
	}
	if last := ranked.Audits[0].Observed[1]; !reflect.DeepEqual(last, whole.Audits[0].Observed[1]) {
		t.Error("the last scores themselves are not stored")
	}
}

func bounds(t *testing.T, scores audit.Scores) (list []float64) {
	t.Helper()
	report, err := audit.Bounds(scores, audit.Config{Seed: 1, Delta: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range report.Bounds {
		list = append(list, b.Epsilon)
	}
	return list
}

// The canary joins in steps k, 2k, ... counted from 1, as in Algorithm 4.
func TestEvery(t *testing.T) {
	s := Setting{Every: 5, Observe: []int{25}}
	var joined []int
	for step := range 25 {
		if s.at()(step) {
			joined = append(joined, step+1)
		}
	}
	if !slices.Equal(joined, []int{5, 10, 15, 20, 25}) || s.Insertions(24) != 4 || s.Insertions(25) != 5 {
		t.Errorf("steps %v, %d and %d insertions", joined, s.Insertions(24), s.Insertions(25))
	}
}

// Every place is of one shard, and what comes first is some of every setting.
func TestPlaces(t *testing.T) {
	c := small()
	c.Repetitions, c.Block = 3, 10
	seen := map[place]bool{}
	for shard := range c.Shards() {
		p := c.place(shard)
		if p.setting >= 2 || p.repetition >= 3 || p.block >= 2 {
			t.Fatalf("shard %d is at %v", shard, p)
		}
		seen[p] = true
	}
	if len(seen) != 12 || c.place(1) != (place{1, 0, 0}) || c.place(2) != (place{0, 1, 0}) || c.place(6) != (place{0, 0, 1}) {
		t.Errorf("%d places, shards 1, 2 and 6 at %v, %v, %v", len(seen), c.place(1), c.place(2), c.place(6))
	}
}

// Equal scores stand in any order: members are not put before others, nor after.
func TestOrderOfTies(t *testing.T) {
	var s audit.Scores
	for range 5000 {
		s.Member, s.NonMember = append(s.Member, 1), append(s.NonMember, 1)
	}
	back := newOrder(s, rand.New(rand.NewPCG(1, 2))).Scores()
	sum := 0.0
	for _, place := range back.Member {
		sum += place
	}
	// Without replacement the mean of 5,000 of 10,000 places has the standard deviation √(10001/12) =
	// 28.9.
	if mean := sum / 5000; math.Abs(mean-4999.5) > 6*28.9 {
		t.Errorf("mean place of members %.1f, want 4999.5 ± 173", mean)
	}
}

func TestMergeRefuses(t *testing.T) {
	c := small()
	good, err := Run(context.Background(), c, 0, experiments.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Shard){
		"adversaries: must be 2":    func(s *Shard) { s.Adversaries = s.Adversaries[:1] },
		"numbers of steps: must be": func(s *Shard) { s.Adversaries[0] = s.Adversaries[0][:1] },
		"must be 20 of each world":  func(s *Shard) { s.Adversaries[1][1].Member = s.Adversaries[1][1].Member[1:] },
		"must be of 20 games":       func(s *Shard) { s.Adversaries[0][0].Order.Bits[0] ^= 1 },
		"an order of 38 scores":     func(s *Shard) { s.Adversaries[0][0].Order.Count = 38 },
	} {
		s := Shard{}
		for _, list := range good.Adversaries {
			list = slices.Clone(list)
			order := *list[0].Order
			order.Bits = slices.Clone(order.Bits)
			list[0].Order = &order
			s.Adversaries = append(s.Adversaries, list)
		}
		change(&s)
		if _, err := Merge(c, []experiments.Part[Shard]{{Index: 0, Result: s}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`Network "moon"`:              func(c *Config) { c.Network = "moon" },
		`Data "moon"`:                 func(c *Config) { c.Data = "moon" },
		"Files 2":                     func(c *Config) { c.Files = 2 },
		"Batches 1000 of 10":          func(c *Config) { c.Batches = 1000 },
		"Games 1: must be in":         func(c *Config) { c.Games, c.Block = 1, 1 },
		"Block 7: must divide the 20": func(c *Config) { c.Block, c.Ranks = 7, false },
		"Ranks true: must be false":   func(c *Config) { c.Block = 10 },
		"Repetitions 0":               func(c *Config) { c.Repetitions = 0 },
		"Settings []":                 func(c *Config) { c.Settings = nil },
		`[1].Adversaries "A_X"`:       func(c *Config) { c.Settings[1].Adversaries = []string{"A_X"} },
		`[0].Adversaries "A_L"`:       func(c *Config) { c.Settings[0].Adversaries = []string{loss, loss} },
		"[0].Every 0":                 func(c *Config) { c.Settings[0].Every = 0 },
		"[1].Observe [1 10]":          func(c *Config) { c.Settings[1].Observe = []int{1, 10} },
		"LearningRate -1":             func(c *Config) { c.Settings[0].LearningRate = -1 },
		"NoiseMultiplier":             func(c *Config) { c.NoiseMultiplier = 0 },
		"Delta 2":                     func(c *Config) { c.Delta = 2 },
	} {
		c := small()
		change(&c)
		if _, err := Run(context.Background(), c, 0, experiments.Env{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
	t.Setenv(data.DirVariable, "")
	if _, err := Run(context.Background(), FCNN.Profiles["full"], 0, experiments.Env{}); err == nil || !strings.Contains(err.Error(), "cal_housing.data") {
		t.Errorf("no data: error %v, want one that says what to download", err)
	}
}

// Every profile of every experiment is valid, and has the sizes that the paper prints.
func TestProfiles(t *testing.T) {
	sizes := map[string]int{"fcnn": 68, "convnet": 62_006, "last-layer": 850, "small-convnet": 1_636, "linear-digits": 650, "resnet18": 11_173_962, "narrow-resnet": 38_586}
	for _, e := range []Experiment{FCNN, FCNNPeriod, ConvNet, ResNet, ConvNetUnknown, ConvNetPeriod, LastLayer} {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
		for profile, c := range e.Profiles {
			if err := c.Validate(); err != nil {
				t.Errorf("%s, %s: %v", e.Name, profile, err)
			}
			model, err := networks[c.Network].build()
			if err != nil || model.Size() != sizes[c.Network] {
				t.Errorf("%s, %s: %d weights, error %v", e.Name, profile, model.Size(), err)
			}
		}
		full := e.Profiles["full"]
		for _, s := range full.Settings {
			if 2*full.Games != 5000 || full.NoiseMultiplier != 4 || s.Insertions(s.Steps()) != 250 {
				t.Errorf("%s: %d games of each world, σ %g, %d insertions", e.Name, full.Games, full.NoiseMultiplier, s.Insertions(s.Steps()))
			}
		}
	}
	if err := Norms.Validate(); err != nil {
		t.Error(err)
	}
}

// The stand-in for housing: 8 means in [0, 1], their mean that of all pixels, half of the labels 1
// (the digits 5 to 9 are 896 of 1,797: 182, 181, 179, 174 and 180, as UCI counts).
func TestDigitColumns(t *testing.T) {
	d, err := digitColumns()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(); err != nil || d.Len() != 1797 || d.Width() != 8 {
		t.Fatalf("%d rows of %d, %v", d.Len(), d.Width(), err)
	}
	images, err := digits.All()
	if err != nil {
		t.Fatal(err)
	}
	ones := 0
	for i, label := range d.Labels {
		ones += int(label)
		if math.Abs(mean(d.Row(i))-mean(images.Row(i))) > 1e-6 {
			t.Fatalf("row %d: mean %g, of the pixels %g", i, mean(d.Row(i)), mean(images.Row(i)))
		}
	}
	if ones != 896 {
		t.Errorf("%d labels are 1, want 896", ones)
	}
}

func mean(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	return sum / float64(len(x))
}

// The paper's ConvNet on CIFAR-10, where it is at hand: few models, few steps.
func TestConvNet(t *testing.T) {
	if _, err := data.Dir(""); err != nil || testing.Short() {
		t.Skip("needs DPLAB_DATA")
	}
	c := convNetEvery(2, 2)
	c.Batches, c.Files, c.BatchSize = 3, 1, 16
	for i := range c.Settings {
		c.Settings[i].Observe = []int{1, 3}
	}
	r := runAll(t, c)
	if len(r.Audits) != 7 {
		t.Fatalf("%d audits, want 7", len(r.Audits))
	}
	for _, a := range r.Audits {
		if err := a.Observed[1].Validate(); err != nil {
			t.Errorf("%s: %v", a.Adversary, err)
		}
	}
}

// Norms of the quick profile, smaller: positive, and merged by network.
func TestNorms(t *testing.T) {
	c := normsQuick()
	c.Runs, c.Observe = 2, []int{1, 3}
	var parts []experiments.Part[experiments.Floats]
	for shard := range c.Networks {
		list, err := runNorms(context.Background(), c, shard, experiments.Env{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, experiments.Part[experiments.Floats]{Index: shard, Result: list})
	}
	r, err := mergeNorms(c, parts)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range r.Paths {
		if p.Network != c.Networks[i].Network || len(p.Norms) != 2 || len(p.Norms[1]) != 2 || slices.Min(p.Norms[1]) <= 0 {
			t.Errorf("path %d: %+v", i, p)
		}
		if p.Norms[0][0] == p.Norms[0][1] {
			t.Errorf("%s: two runs have the norm %g", p.Network, p.Norms[0][0])
		}
	}
	parts[0].Result = parts[0].Result[1:]
	if _, err := mergeNorms(c, parts); err == nil {
		t.Error("a norm is missing: no error")
	}
}
