//go:build planted

package interval

import (
	"math"
	"testing"
)

// bug is a fault of testdata/planted.patch, for the tests of the tests.
type bug int

const (
	noBug              bug = iota
	upGoesDown             // Up steps down
	functionsAsTheyAre     // results of package math are not widened
	halfPiCut              // π/2 has 29 bits
	errorsLost             // a Sum leaves out its rounding errors
	productsExact          // a product of balls leaves out its rounding error
)

// planted is the fault of the code under test.
var planted = noBug

// Each planted fault is found by the comparison of a test.
func TestPlanted(t *testing.T) {
	inclusion := func() bool { return included(1, 200) == "" }
	values := func() bool {
		for _, h := range hardValues(t) {
			if !holds(functions[h.function].interval(Of(h.x)), h.value) {
				return false
			}
		}
		return true
	}
	balls := func() bool { return ballsHold(200) == "" }
	steps := func() bool { return Up(1) > 1 && Down(1) < 1 && Up(-1) > -1 && Up(math.MaxFloat64) > math.MaxFloat64 }
	for _, c := range []struct {
		bug   bug
		holds map[string]func() bool
	}{
		{upGoesDown, map[string]func() bool{"inclusion": inclusion, "steps": steps}},
		{functionsAsTheyAre, map[string]func() bool{"values": values}},
		{halfPiCut, map[string]func() bool{"values": values}},
		{productsExact, map[string]func() bool{"balls": balls}},
		{errorsLost, map[string]func() bool{"inclusion": inclusion}},
	} {
		for name, holds := range c.holds {
			if planted = noBug; !holds() {
				t.Fatalf("%s fails without a bug", name)
			}
			if planted = c.bug; holds() {
				t.Errorf("%s does not find bug %d", name, c.bug)
			}
		}
	}
	planted = noBug
}
