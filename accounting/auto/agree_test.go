package auto_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

// drawn draws events: every mechanism, parameters from the ordinary to the ends of what is valid,
// samples, compositions and worst cases.
type drawn struct{ *rand.Rand }

// log draws a number between low and high, even in its logarithm; one in ten is an end.
func (d drawn) log(low, high float64) float64 {
	switch d.IntN(20) {
	case 0:
		return low
	case 1:
		return high
	}
	return math.Min(high, math.Max(low, low*math.Exp(d.Float64()*numeric.Log(high/low))))
}

func (d drawn) mechanism() accounting.Event {
	switch d.IntN(18) {
	case 0, 1, 2:
		return accounting.Gaussian{NoiseMultiplier: d.log(0.3, 30)}
	case 3:
		return accounting.Gaussian{NoiseMultiplier: d.log(1e-3, 1e4)}
	case 4:
		return accounting.Gaussian{NoiseMultiplier: d.log(0x1p-1022, 1e308)}
	case 5, 6:
		return accounting.Laplace{NoiseMultiplier: d.log(0.2, 50)}
	case 7:
		return accounting.Laplace{NoiseMultiplier: d.log(1e-3, 2e-3)} // e^(-1/b) underflows
	case 8:
		return accounting.RandomizedResponse{Truth: math.Min(math.Nextafter(1, 0), 0.5+d.log(1e-9, 0.5))}
	case 9:
		return accounting.PureDP{Epsilon: d.log(1e-6, 700)}
	case 10:
		return accounting.ApproxDP{Epsilon: d.log(1e-4, 100), Delta: d.log(1e-12, 0.3)}
	case 11:
		return accounting.ApproxDP{Epsilon: d.log(0.01, 10), Delta: d.log(5e-324, 1e-200)}
	case 12:
		return accounting.ZCDP{Rho: d.log(1e-6, 10)}
	case 13:
		return accounting.ExponentialMechanism{Epsilon: d.log(1e-14, 100)}
	case 14:
		return accounting.PermuteAndFlip{Epsilon: d.log(1e-6, 100)}
	}
	return d.pair()
}

// pair is a pair of laws on 2 to 5 outcomes; some masses are 0, some subnormal.
func (d drawn) pair() pld.DiscretePair {
	n := 2 + d.IntN(4)
	law := func() []float64 {
		p, sum := make([]float64, n), 0.0
		for i := range p[1:] {
			switch p[i+1] = d.Float64() / float64(n); d.IntN(6) {
			case 0:
				p[i+1] = 0
			case 1:
				p[i+1] = d.log(5e-324, 1e-3)
			}
			sum += p[i+1]
		}
		p[0] = 1 - sum
		return p
	}
	return pld.DiscretePair{With: law(), Without: law()}
}

func (d drawn) event() accounting.Event {
	e := d.mechanism()
	if d.IntN(2) == 0 {
		e = accounting.PoissonSampled{SamplingRate: d.log(1e-5, 1), Event: e}
		if d.IntN(20) == 0 {
			e = accounting.PoissonSampled{SamplingRate: d.log(1e-200, 1e-5), Event: e}
		}
	}
	if d.IntN(2) == 0 {
		e = accounting.SelfComposed{Event: e, Count: int(d.log(2, 300))}
	}
	switch d.IntN(8) {
	case 0, 1:
		return accounting.Composed{Events: []accounting.Event{e, d.mechanism()}}
	case 2:
		return accounting.WorstCase{Events: []accounting.Event{e, d.mechanism()}}
	}
	return e
}

// said is an end of somebody's interval.
type said struct {
	name     string
	interval accounting.Interval
}

// agree fails if a lower end is above another's upper end by more than 1e-9 of it, which is what
// ends may cross by rounding.
func agree(t *testing.T, what string, event accounting.Event, at float64, all []said) {
	t.Helper()
	for _, a := range all {
		for _, b := range all {
			if a.interval.HasLower && a.interval.Lower*(1-1e-9) > b.interval.Upper {
				t.Errorf("%s of %v at %g: %v by %s, %v by %s", what, event, at, a.interval, a.name, b.interval, b.name)
			}
		}
	}
}

// All accountants that know an event hold the same ε and δ in their intervals. What they are is not
// known here; that they cannot both be right is. Events are drawn with a fixed seed.
func TestAccountantsAgree(t *testing.T) {
	cases := 600
	if testing.Short() {
		cases = 15
	}
	d := drawn{rand.New(rand.NewPCG(29, 11))}
	answered, asked := 0, 0
	for range cases {
		event, delta, epsilon := d.event(), d.log(1e-30, 0.5), d.log(1e-3, 1000)
		if d.IntN(10) == 0 {
			delta = d.log(5e-324, 1e-30)
		}
		if err := event.Validate(); err != nil {
			t.Fatal(err)
		}
		accountants := map[string]accounting.Accountant{
			"contour": contour.NewAccountant(), "coarse PLD": pld.Accountant{Width: 0.1, MaxGrid: 1 << 13},
			"PLD": pld.Accountant{MaxGrid: 1 << 16}, "RDP": rdp.NewAccountant(), "auto": auto.NewAccountant(), "GDP": gdp.NewAccountant(),
		}
		if d.IntN(5) == 0 {
			one, err := auto.NewAccountantFor(accounting.ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			accountants = map[string]accounting.Accountant{
				"contour": contour.Accountant{Relation: accounting.ReplaceOne}, "PLD": pld.Accountant{MaxGrid: 1 << 16, Relation: accounting.ReplaceOne}, "RDP": rdp.Accountant{Relation: accounting.ReplaceOne}, "auto": one,
			}
		}
		var epsilons, deltas []said
		for name, a := range accountants {
			g, err := a.EpsilonAt(event, delta)
			if err == nil {
				epsilons = append(epsilons, said{name, g.Epsilon})
			}
			i, deltaErr := a.DeltaAt(event, epsilon)
			if deltaErr == nil {
				deltas = append(deltas, said{name, i})
			}
			for _, err := range []error{err, deltaErr} {
				if errors.Is(err, intersected.ErrContradiction) || errors.Is(err, pld.ErrContradiction) {
					t.Errorf("%v, δ = %g, ε = %g: %v", event, delta, epsilon, err)
				}
			}
			for _, w := range g.Warnings {
				if errors.Is(w, pld.ErrContradiction) || errors.Is(w, contour.ErrContradiction) {
					t.Errorf("%s, %v, δ = %g: warning %v", name, event, delta, w)
				}
			}
		}
		agree(t, "ε", event, delta, epsilons)
		agree(t, "δ", event, epsilon, deltas)
		asked++
		if len(epsilons) > 2 && len(deltas) > 2 {
			answered++
		}
	}
	if answered < asked/2 {
		t.Errorf("%d of %d events were priced by three accountants: want most", answered, asked)
	}
}
