package laws

import (
	"math"
	"testing"
)

// A law that contradicts itself is refused.
func TestConsistent(t *testing.T) {
	for name, spoil := range map[string]func(l *Law){
		"mean below 1":  func(l *Law) { l.Mean = I{Lo: 0.8, Hi: 0.8}; l.First = func(I) I { return l.Mean } },
		"f(0)":          func(l *Law) { l.None = I{Lo: 0.1, Hi: 0.1} },
		"f(1)":          func(l *Law) { l.Some = func(I) I { return one } },
		"f'(1)":         func(l *Law) { l.First = func(I) I { return one } },
		"infinite mean": func(l *Law) { l.Mean.Hi = math.Inf(1) },
	} {
		l, err := Of(Named{Type: "tnb", Numbers: map[string]float64{"eta": 0, "gamma": 0.03}})
		if err != nil {
			t.Fatal(err)
		}
		if spoil(&l); l.consistent() == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}
