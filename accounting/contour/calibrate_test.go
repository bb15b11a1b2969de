package contour

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
)

func calibrateFirstRow() (float64, error) {
	return accounting.Calibration{Accountant: NewAccountant(), Event: func(sigma float64) accounting.Event {
		return sgd(256./60000, sigma, 14062)
	}, Target: accounting.Target{Epsilon: 8, Delta: 1e-5}}.NoiseMultiplier()
}

// TestCalibrate compares with the noise multiplier that another library's PLD accountant
// found, to its six digits, and accounts what was found.
func TestCalibrate(t *testing.T) {
	sigma, err := calibrateFirstRow()
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(sigma-0.655710) > 1e-5 {
		t.Errorf("noise multiplier %.8f, want .655710 (dp_accounting 0.6.0, PLD)", sigma)
	}
	g, err := NewAccountant().EpsilonAt(sgd(256./60000, sigma, 14062), 1e-5)
	if err != nil || g.Epsilon.Upper > 8 || g.Epsilon.Lower < 8*(1-1e-6) {
		t.Errorf("ε at the calibrated noise: %v, %v, want just below 8", g.Epsilon, err)
	}
}
