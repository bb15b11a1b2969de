//go:build planted

package splitlaw

import "testing"

// Each planted fault is found by the comparison of a test.
func TestPlanted(t *testing.T) {
	tests := []func() string{func() string { return operationsHold(15) }, periodsHold, stepsHold, roundingHolds, addHolds, curveHolds}
	for planted = noBug; planted < lastBug; planted++ {
		found := ""
		for _, test := range tests {
			if found == "" {
				found = test()
			}
		}
		if (found == "") != (planted == noBug) {
			t.Errorf("bug %d: found %q", planted, found)
		}
		t.Logf("bug %d: %s", planted, found)
	}
	planted = noBug
}
