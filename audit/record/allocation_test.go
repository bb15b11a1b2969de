package record_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/record"
)

// counts is a mechanism that allocates examples to the steps of each period and releases how many
// each step has. place returns the steps of the example at an index in a period.
func counts(spend accounting.RandomAllocation, place func(index, period int) []int) record.Mechanism[[]string] {
	return func(examples []string, s *record.Session) error {
		for step := range spend.Steps {
			count := 0.0
			for i := range examples {
				if slices.Contains(place(i, step/spend.Period), step%spend.Period) {
					count++
				}
			}
			q := record.Query{Name: "count", Sensitivity: 1, Value: []float64{count}, NoiseStdDev: 2, Spend: spend}
			if _, err := s.Release(q); err != nil {
				return err
			}
		}
		return nil
	}
}

// uniform returns k different steps of a period of t, drawn for each index and each period by itself.
func uniform(t, k int) func(index, period int) []int {
	return func(index, period int) []int {
		return rand.New(rand.NewPCG(uint64(index), uint64(period))).Perm(t)[:k]
	}
}

// A random allocation is not accused, whole or cut, of one place or of several. One that keeps its
// places, or has one more in a period, is.
func TestRandomAllocations(t *testing.T) {
	event := func(period, steps, k int) accounting.RandomAllocation {
		return accounting.RandomAllocation{Period: period, Steps: steps, Participations: k, Event: accounting.Gaussian{NoiseMultiplier: 2}}
	}
	data := []string{"a", "b", "c"}
	neighbors := []record.Neighbor[[]string]{
		{Name: "added", Data: append(slices.Clone(data), "d")},
		{Name: "removed", Data: data[:2]},
	}
	for name, c := range map[string]struct {
		spend accounting.RandomAllocation
		place func(index, period int) []int
		want  string // of the fault; empty for none
	}{
		"honest":         {event(5, 200, 1), uniform(5, 1), ""},
		"cut":            {event(5, 13, 1), uniform(5, 1), ""},
		"shorter":        {event(50, 13, 1), uniform(50, 1), ""},
		"two of each":    {event(5, 200, 2), uniform(5, 2), ""},
		"never":          {event(5, 200, 1), func(int, int) []int { return nil }, ""},
		"one more":       {event(5, 200, 1), uniform(5, 2), "more than 1 answers moved"},
		"three for two":  {event(5, 200, 2), uniform(5, 3), "period 0 of RandomAllocation(2 of each 5, 200 steps"},
		"kept":           {event(5, 200, 1), func(i, _ int) []int { return uniform(5, 1)(i, 0) }, "40 of 40 answers moved"},
		"the first half": {event(6, 1800, 1), func(i, p int) []int { return uniform(3, 1)(i, p) }, "of the periods of RandomAllocation(1 of each 6"},
	} {
		report, err := record.Run(counts(c.spend, c.place), data, neighbors, record.Config{Claim: c.spend})
		if err != nil {
			t.Fatal(name, err)
		}
		if found := report.Has(record.Sampling); found != (c.want != "") || found && !strings.Contains(fmt.Sprint(report.Err()), c.want) {
			t.Errorf("%s: faults %v, want %q", name, report.Err(), c.want)
		}
	}
	once := counts(event(5, 20, 1), uniform(5, 1))
	for claim, holds := range map[accounting.Event]bool{
		event(5, 20, 1): true,
		accounting.SelfComposed{Event: event(5, 20, 1), Count: 2}: true,
		event(5, 19, 1): false, // a step less
		accounting.SelfComposed{Event: event(5, 1, 1), Count: 20}: false, // steps that are Poisson samples
		event(4, 20, 1): false,
	} {
		report, err := record.Run(once, data, neighbors, record.Config{Claim: claim})
		if err != nil || report.Has(record.Spend) == holds {
			t.Errorf("claim %v: error %v, faults %v: the claim holds is %v", claim, err, report.Err(), holds)
		}
	}
}
