//go:build planted

package lattice

import "testing"

// bug is a fault of testdata/planted.patch, for the tests of the tests.
type bug int

const (
	noBug bug = iota
	missingLost
	trimmedLost
	relativeLost
	missingBelievedAbsent
	relativeBelievedExact
	worldsExchanged
	coarserLosesOver
	underflowKept
	factorLost
	valuesMisaligned
	oneTooFew
	oneTooMany
	lastBug
)

// planted is the fault of the code under test.
var planted = noBug

// Each planted fault is found by the comparison of a test.
func TestPlanted(t *testing.T) {
	below := func(drop float64) func() string {
		return func() string { _, where := deltasBelow(drop); return where }
	}
	for planted = noBug; planted < lastBug; planted++ {
		found := ""
		for _, test := range []func() string{chancesEnclosed, below(0), below(0.05), underflowLeftOut} {
			if found == "" {
				found = test()
			}
		}
		if (found == "") != (planted == noBug) {
			t.Errorf("bug %d: found %q", planted, found)
		}
	}
	planted = noBug
}
