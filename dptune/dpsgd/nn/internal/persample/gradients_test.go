package persample

import "testing"

// others has the methods of a bound, but cannot name Count.
type others struct{ Explicit }

func (others) Roundings(int) int { return 0 }

func TestOnlyOwnGradientsStateTheirRounding(t *testing.T) {
	if got := Roundings(others{}, 10); got != 10+2*2 {
		t.Errorf("gradients of others are rounded %d times, want %d", got, 10+2*2)
	}
	if got := Roundings(Joint{others{}}, 10); got != 10+2*2+1 {
		t.Errorf("joined gradients of others are rounded %d times, want %d", got, 10+2*2+1)
	}
}
