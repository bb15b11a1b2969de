package accounting_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

func TestPureEventsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for want, event := range map[string]accounting.Event{
		"Laplace.NoiseMultiplier 0":    accounting.Laplace{},
		"Laplace.NoiseMultiplier NaN":  accounting.Laplace{NoiseMultiplier: nan},
		"RandomizedResponse.Truth 0.4": accounting.RandomizedResponse{Truth: 0.4},
		"RandomizedResponse.Truth 1":   accounting.RandomizedResponse{Truth: 1},
		"RandomizedResponse.Truth NaN": accounting.RandomizedResponse{Truth: nan},
		"PureDP.Epsilon 0":             accounting.PureDP{},
		"PureDP.Epsilon +Inf":          accounting.PureDP{Epsilon: inf},
		"ApproxDP.Epsilon -1":          accounting.ApproxDP{Epsilon: -1, Delta: 1e-5},
		"ApproxDP.Delta 0":             accounting.ApproxDP{Epsilon: 1},
		"ApproxDP.Delta 1":             accounting.ApproxDP{Epsilon: 1, Delta: 1},
		"ZCDP.Rho -1":                  accounting.ZCDP{Rho: -1},
		"ZCDP.Rho NaN":                 accounting.ZCDP{Rho: nan},
	} {
		if err := event.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want an error with %q", event, err, want)
		}
	}
}

func TestRandomizedResponseEpsilon(t *testing.T) {
	if got := (accounting.RandomizedResponse{Truth: 0.75}).Epsilon(); math.Abs(got-math.Log(3)) > 1e-15 {
		t.Errorf("ε of truth 3/4 = %.17g, want log 3", got)
	}
}
