package pld_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

func TestReplaceSpecialAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant {
		return pld.Accountant{Relation: accounting.ReplaceSpecial, Width: 0.05, MaxGrid: 1 << 13}
	})
}

// The mechanism itself, on small data: on a Poisson sample, randomised response about "some record
// is 1". Every pair of neighbors is enumerated, in one run and in two.
func TestRelationsAgainstMechanism(t *testing.T) {
	const q, truth = 0.3, 0.8
	special := accounting.ReplaceSpecial
	for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, special, accounting.ReplaceOne} {
		for _, count := range []int{1, 2, 4} {
			if testing.Short() && count != 2 {
				continue
			}
			event := times(sampled(q, accounting.RandomizedResponse{Truth: truth}), count)
			for _, epsilon := range []float64{0, 0.1, 0.5, 1.2} {
				worst := 0.0
				for _, pair := range neighbors(relation) {
					// A replaced record leaves the size as it is, so that it may be published; an added one does
					// not.
					worst = math.Max(worst, deltaBetween(release(pair[0], q, truth, false), release(pair[1], q, truth, false), count, epsilon))
					if relation == accounting.ReplaceOne {
						worst = math.Max(worst, deltaBetween(release(pair[0], q, truth, true), release(pair[1], q, truth, true), count, epsilon))
					}
				}
				got, err := pld.Accountant{Width: 1e-3, Relation: relation}.DeltaAt(event, epsilon)
				if err != nil || got.Upper < worst*(1-1e-12) || got.Lower > worst*(1+1e-12) || got.Width() > 0.05*worst+1e-12 {
					t.Errorf("%v, %v: δ(%g) %v, %v: want %.12g, that of the worst data", relation, event, epsilon, got, err, worst)
				}
				curve, err := rdp.Accountant{Relation: relation}.DeltaAt(event, epsilon)
				if err != nil || curve.Upper < worst*(1-1e-12) {
					t.Errorf("%v, %v: δ(%g) %v, %v by RDP: want at least %.12g", relation, event, epsilon, curve, err, worst)
				}
			}
		}
	}
}

const zeroed = -1 // the special record

// neighbors lists pairs of data sets of up to three records from {0, 1}.
func neighbors(relation accounting.Neighboring) (pairs [][2][]int) {
	for size := range 3 {
		for bits := range 1 << size {
			var rest []int
			for i := range size {
				rest = append(rest, bits>>i&1)
			}
			zero, one := append(append([]int{}, rest...), 0), append(append([]int{}, rest...), 1)
			with := map[accounting.Neighboring][][]int{
				accounting.AddOrRemoveOne: {rest}, accounting.ReplaceSpecial: {append(append([]int{}, rest...), zeroed)},
				accounting.ReplaceOne: {zero, one},
			}[relation]
			for _, other := range with {
				for _, data := range [][]int{zero, one} {
					pairs = append(pairs, [2][]int{data, other}, [2][]int{other, data})
				}
			}
		}
	}
	return pairs
}

// release is the law of the output on a Poisson sample of data: the answer, and the size of the
// sample if it is shown.
func release(data []int, q, truth float64, size bool) []float64 {
	law := make([]float64, 2*(len(data)+1))
	for sample := range 1 << len(data) {
		chance, some, records := 1.0, 0, 0
		for i, record := range data {
			if sample>>i&1 == 0 {
				chance *= 1 - q
				continue
			}
			chance *= q
			records++
			if record == 1 {
				some = 1
			}
		}
		if !size {
			records = 0
		}
		law[2*records+some] += chance * truth
		law[2*records+1-some] += chance * (1 - truth)
	}
	return law
}

// deltaBetween sums (Πp - e^ε Πq)_+ over all outputs of count runs. Laws of unlike size have the
// same outcomes first.
func deltaBetween(p, q []float64, count int, epsilon float64) float64 {
	if count == 0 {
		return 0
	}
	at := func(law []float64, i int) float64 {
		if i < len(law) {
			return law[i]
		}
		return 0
	}
	var sum func(left int, a, b float64) float64
	sum = func(left int, a, b float64) float64 {
		if left == 0 {
			return math.Max(0, a-math.Exp(epsilon)*b)
		}
		total := 0.0
		for i := range max(len(p), len(q)) {
			if x, y := at(p, i), at(q, i); x > 0 || y > 0 {
				total += sum(left-1, a*x, b*y)
			}
		}
		return total
	}
	return sum(count, 1, 1)
}

// Two counts over disjoint parts, with Laplace noise: a replaced record may leave one part and
// join the other, so that ε is 2/b, while no part by itself costs more than 1/b.
func TestParallelUnderReplaceOne(t *testing.T) {
	event := accounting.Parallel{Events: []accounting.Event{laplace(1), laplace(1)}}
	gaussians := accounting.Parallel{Events: []accounting.Event{gaussian(1), gaussian(1)}}
	for _, e := range []accounting.Event{event, times(event, 2), fixedSize(1, 2, gaussians), sampled(0.5, gaussians), accounting.WorstCase{Events: []accounting.Event{gaussians}}} {
		for _, a := range []accounting.Accountant{replaceOne(), rdp.Accountant{Relation: accounting.ReplaceOne}} {
			if g, err := a.EpsilonAt(e, 1e-9); !errors.Is(err, accounting.ErrUnsupportedEvent) {
				t.Errorf("%s, %v: %v, %v: two parts may change, want ErrUnsupportedEvent", a.Name(), e, g.Epsilon, err)
			}
		}
	}
}
