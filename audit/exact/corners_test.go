package exact

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
)

func checkInterval(t *testing.T, what any, i accounting.Interval) {
	t.Helper()
	if math.IsNaN(i.Lower) || math.IsNaN(i.Upper) || i.Lower < 0 || i.Lower > i.Upper {
		t.Errorf("%+v: %v: want 0 <= lower <= upper", what, i)
	}
}

// Corners give an interval, quickly.
func TestProcessCorners(t *testing.T) {
	for _, p := range []Process{
		{NoiseMultiplier: 0.01, BatchSize: 1}, {NoiseMultiplier: 0.2, BatchSize: 2, Drift: Toward},
		{NoiseMultiplier: 1e6, BatchSize: 1}, {NoiseMultiplier: 1e6, BatchSize: 1_000_000, Drift: Constant},
		{NoiseMultiplier: 1e4, BatchSize: 100, Drift: Toward, AverageFirst: true}, {NoiseMultiplier: 50, BatchSize: 100, AverageFirst: true},
	} {
		laws, err := p.Laws(3)
		if err != nil {
			t.Logf("%+v: %v", p, err) // a clear error will do
			continue
		}
		for _, law := range laws {
			checkInterval(t, p, law.TotalVariation())
			checkInterval(t, p, must[accounting.Interval](t)(law.DeltaAt(maxEpsilon)))
			for _, delta := range []float64{1e-12, 0.9} {
				if !law.monotone() {
					break // the same path as elsewhere, and slower
				}
				checkInterval(t, p, must[accounting.Interval](t)(law.EpsilonAt(delta)))
			}
		}
	}
}

// Without a stream nothing can be drawn: an error, not a panic.
func TestSimulateNeedsAStream(t *testing.T) {
	if _, err := (Process{NoiseMultiplier: 1, BatchSize: 1}).Simulate(2, true, nil); err == nil {
		t.Error("Simulate without rng gives no error")
	}
}
