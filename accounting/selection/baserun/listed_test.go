package baserun

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection/law"
)

// What a list says of a profile is above it everywhere, and near it where laws ask: by 1e-3 of δ below twice the ε that matters.
func TestListedProfileIsAbove(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 12))
	for _, run := range []accounting.Event{
		accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}}},
		accounting.SelfComposed{Count: 100, Event: accounting.PoissonSampled{SamplingRate: 0.25, Event: accounting.Gaussian{NoiseMultiplier: 0.8}}},
	} {
		base, err := New(run)
		if err != nil {
			t.Fatal(err)
		}
		base = base.Prepared()
		listed := base.ListedFor(law.Poisson{MeanRepeats: 10}.Distribution(), 1e-5)
		scale, asked := base.Sources()[0].EpsilonAt(1e-6), false
		listed.Sources()[0].OverProfiles(func(p Profile) float64 {
			asked = p.quick
			for range 200 {
				epsilon := 2.5 * scale * rng.Float64()
				truth, err := contour.NewAccountant().DeltaAt(run, epsilon)
				if err != nil {
					t.Fatal(err)
				}
				got := p.DeltaAt(epsilon)
				if got < truth.Upper*(1-1e-9) || epsilon < 2*scale && got > truth.Upper*(1+1e-3)+1e-15 {
					t.Errorf("%v, ε = %g: δ %g of the list, %g of the profile", run, epsilon, got, truth.Upper)
				}
			}
			return math.Inf(1)
		})
		if !asked {
			t.Errorf("%v: its profile is not listed", run)
		}
	}
}
