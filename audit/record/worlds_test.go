package record_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/record"
	"github.com/dplab/dplab/data"
)

// people are data that list their examples themselves.
type people map[string]int

func (p people) Examples() (names []string) {
	for name, count := range p {
		names = append(names, slices.Repeat([]string{name}, count)...)
	}
	return names
}

// checkWorlds checks a mechanism that tells nothing, with one neighbor.
func checkWorlds[D any](here, there D, replace bool) (seen bool, err error) {
	silent := func(_ D, s *record.Session) error {
		_, err := s.Release(record.Query{Name: "nothing", Sensitivity: 1, Value: []float64{0}, NoiseStdDev: 1, Spend: accounting.Gaussian{NoiseMultiplier: 1}})
		return err
	}
	report, err := record.Run(silent, here, []record.Neighbor[D]{{Name: "other", Data: there, Replace: replace}}, record.Config{Claim: accounting.Gaussian{NoiseMultiplier: 1}})
	return report.NeighborsSeen, err
}

// Worlds must differ by one example, however the data hold it: removed, added or replaced, whatever the order, and as often as it is there.
func TestWorldsDifferByOneExample(t *testing.T) {
	type point struct {
		x     [2]float64
		words []string
		heavy bool
	}
	a, b, c := point{x: [2]float64{1, 2}}, point{x: [2]float64{1, math.NaN()}}, point{words: []string{"ab", "c"}, heavy: true}
	split := c
	split.words = []string{"a", "bc"}
	set := func(labels []int32, features ...float32) data.Dataset {
		return data.Dataset{Shape: []int{1}, Classes: 3, Labels: labels, Features: features}
	}
	for name, check := range map[string]struct {
		run  func() (bool, error)
		want string // of the error; empty for none
	}{
		"removed":            {func() (bool, error) { return checkWorlds([]point{a, b, c}, []point{c, a}, false) }, ""},
		"added":              {func() (bool, error) { return checkWorlds([]point{a, b}, []point{c, b, a}, false) }, ""},
		"replaced":           {func() (bool, error) { return checkWorlds([]point{a, b, c}, []point{a, b, split}, true) }, ""},
		"once more":          {func() (bool, error) { return checkWorlds([]point{a, a}, []point{a, a, a}, false) }, ""},
		"dataset, last less": {func() (bool, error) { return checkWorlds(set([]int32{0, 1}, 5, 6), set([]int32{0}, 5), false) }, ""},
		"list": {func() (bool, error) {
			return checkWorlds(people{"ann": 1, "bob": 2}, people{"ann": 1, "bob": 1}, false)
		}, ""},

		"two added":         {func() (bool, error) { return checkWorlds([]point{a}, []point{a, b, c}, false) }, "lacks 0 examples of the data and has 2 others: must be 1 in all"},
		"twice more":        {func() (bool, error) { return checkWorlds([]point{a}, []point{a, a, a}, false) }, "lacks 0 examples of the data and has 2 others"},
		"none":              {func() (bool, error) { return checkWorlds([]point{a, b}, []point{b, a}, false) }, "lacks 0 examples of the data and has 0 others"},
		"replaced, not so":  {func() (bool, error) { return checkWorlds([]point{a, b}, []point{a, c}, false) }, "lacks 1 examples of the data and has 1 others: must be 1 in all, or 1 and 1 with Replace"},
		"two replaced":      {func() (bool, error) { return checkWorlds([]point{a, b}, []point{c, split}, true) }, "lacks 2 examples of the data and has 2 others: must be 1 and 1"},
		"removed, Replace":  {func() (bool, error) { return checkWorlds([]point{a, b}, []point{a}, true) }, "lacks 1 examples of the data and has 0 others: must be 1 and 1 with Replace"},
		"dataset, a label":  {func() (bool, error) { return checkWorlds(set([]int32{0, 1}, 5, 6), set([]int32{0, 2}, 5, 6), false) }, "neighbors[0] (other) lacks 1"},
		"dataset, features": {func() (bool, error) { return checkWorlds(set([]int32{0, 1}, 5, 6), set([]int32{0, 1}, 6, 5), true) }, "lacks 2"},
		"list, two":         {func() (bool, error) { return checkWorlds(people{"ann": 1, "bob": 2}, people{"ann": 1}, false) }, "lacks 2"},
	} {
		seen, err := check.run()
		switch {
		case check.want == "" && (err != nil || !seen):
			t.Errorf("%s: seen %v, error %v: want none", name, seen, err)
		case check.want != "" && (err == nil || !strings.Contains(err.Error(), check.want)):
			t.Errorf("%s: error %v, want one that says %q", name, err, check.want)
		}
	}
}

// Data that do not show their examples are taken as they are, and the report says so.
func TestWorldsThatNobodySees(t *testing.T) {
	one, two := 1, 2
	if seen, err := checkWorlds([]*int{&one}, []*int{&one, &two, &two}, false); seen || err != nil {
		t.Errorf("pointers: seen %v, error %v", seen, err)
	}
	if seen, err := checkWorlds(7, 9, false); seen || err != nil {
		t.Errorf("a number: seen %v, error %v", seen, err)
	}
}

// Data of your own type: a list of its examples lets Run see that the worlds are not neighbors.
func ExampleRun_neighbors() {
	here, there := people{"ann": 1, "bob": 2}, people{"ann": 1}
	count := func(d people, s *record.Session) error {
		_, err := s.Release(record.Query{Name: "count", Sensitivity: 1, Value: []float64{float64(len(d.Examples()))}, NoiseStdDev: 2, Spend: accounting.Gaussian{NoiseMultiplier: 2}})
		return err
	}
	_, err := record.Run(count, here, []record.Neighbor[people]{{Name: "without bob", Data: there}}, record.Config{Claim: accounting.Gaussian{NoiseMultiplier: 2}})
	fmt.Println(err)
	// Output:
	// record: neighbors[0] (without bob) lacks 2 examples of the data and has 0 others: must be 1 in all, or 1 and 1 with Replace
}
