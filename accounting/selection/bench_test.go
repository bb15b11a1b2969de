package selection_test

import (
	"fmt"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// benchmarkBases are typical runs: a Gaussian, and DP-SGD with many and with few steps, at
// small and at large rates.
var benchmarkBases = map[string]accounting.Event{
	"gaussian":             accounting.Gaussian{NoiseMultiplier: 1},
	"q=0.01,s=2,T=5000":    sgd(0.01, 2, 5000),
	"q=0.004,s=1,T=10000":  sgd(0.004, 1, 10000),
	"q=0.25,s=4,T=100":     sgd(0.25, 4, 100),
	"q=0.001,s=0.7,T=2000": sgd(0.001, 0.7, 2000),
	"q=1e-6,s=1,T=1e6":     sgd(1e-6, 1, 1_000_000), // a corner: most of the time is one list of certified δ
}

var benchmarkLaws = map[string]law.Law{
	"logarithmic": law.TNB{Eta: 0, Gamma: 0.0269183},
	"geometric":   law.TNB{Eta: 1, Gamma: 0.1},
	"poisson":     law.Poisson{MeanRepeats: 10},
	"binomial":    law.Binomial{Trials: 20, P: 0.5},
	"two-point":   law.TwoPoint{Runs: 20, Single: 0.1},
	"truncated":   law.Truncated{Law: law.TNB{Eta: 0, Gamma: 0.0269183}, Max: 100},
	"capped":      law.Capped{Law: law.Poisson{MeanRepeats: 10}, Max: 20},
	"fixed":       law.Fixed{Count: 5},
	"pmf":         law.PMF{Weights: []float64{0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}},
}

// BenchmarkPrice is a price by every bound, with the certified profile of the run.
func BenchmarkPrice(b *testing.B) {
	for law := range benchmarkLaws {
		for base := range benchmarkBases {
			b.Run(fmt.Sprintf("%s/%s", law, base), func(b *testing.B) {
				benchmarkPrice(b, benchmarkLaws[law], benchmarkBases[base], 1e-5)
			})
		}
	}
}

// BenchmarkNestedLaws: each list of chances is made once, not for each chance of the next: 0.1 s instead of 7 s.
func BenchmarkNestedLaws(b *testing.B) {
	benchmarkPrice(b, nestedLaw, accounting.Gaussian{NoiseMultiplier: 1}, 1e-5)
}

// BenchmarkPriceOfVectors is the same for the DP-SGD rows of testdata/vectors.json.
func BenchmarkPriceOfVectors(b *testing.B) {
	for _, row := range readVectors(b).Selection.DPSGD.Rows {
		law := law.TNB{Eta: row.Shape, Gamma: row.Gamma}
		b.Run(fmt.Sprintf("eta=%g,mean=%g,q=%g,s=%g,T=%d", row.Shape, row.Mean, row.Q, row.Sigma, row.Steps), func(b *testing.B) {
			benchmarkPrice(b, law, sgd(row.Q, row.Sigma, row.Steps), row.Delta)
		})
	}
}

func benchmarkPrice(b *testing.B, k law.Law, base accounting.Event, delta float64) {
	for b.Loop() {
		if _, err := selection.EventAt(selection.BestOf{Law: k, Base: base}, delta, contour.NewAccountant()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDistribution makes the list of a law of up to 65,536 runs, and asks it for one chance
// and one draw.
func BenchmarkDistribution(b *testing.B) {
	tnb := law.TNB{Eta: 0, Gamma: 1e-4}
	for name, law := range map[string]law.Law{
		"truncated": law.Truncated{Law: tnb, Max: 1 << 16},
		"capped":    law.Capped{Law: tnb, Max: 1 << 16},
		"nested":    law.Capped{Law: law.Truncated{Law: law.Truncated{Law: tnb, Max: 1 << 16}, Max: 1 << 15}, Max: 1 << 14},
	} {
		b.Run(name+"/make", func(b *testing.B) {
			for b.Loop() {
				law.Distribution()
			}
		})
		runs := law.Distribution()
		b.Run(name+"/LogPMF", func(b *testing.B) {
			for b.Loop() {
				runs.LogPMF(17)
			}
		})
		rng := newRand(1)
		b.Run(name+"/Rand", func(b *testing.B) {
			for b.Loop() {
				if _, err := runs.Rand(rng); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
