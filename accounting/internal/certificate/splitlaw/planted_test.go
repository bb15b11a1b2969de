//go:build planted

package splitlaw

import "testing"

// bug is a fault of testdata/planted.patch, for the tests of the tests.
type bug int

const (
	noBug bug = iota
	nearestPoint
	lowTailLost
	highTailLost
	weightsExchanged
	zeroLost
	zeroOfProductLost
	infiniteLost
	infiniteOfProductLost
	coarserLosesMass
	firstTailsLost
	roundingLost
	underflowLost
	mixedZeroLost
	mixedInfiniteLost
	doubledOnceMore
	onlyRemove
	nextMassOfCurve
	curveWithoutZero
	lastBug
)

// planted is the fault of the code under test.
var planted = noBug

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
