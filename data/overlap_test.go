package data

import (
	"slices"
	"testing"
)

// Examples are shared if all features and the label are equal, wherever they stand; -0 is 0.
func TestOverlap(t *testing.T) {
	zero := float32(0)
	a := Dataset{Shape: []int{2}, Classes: 2, Features: []float32{1, 2, 3, 4, 0, 5, 1, 2}, Labels: []int32{0, 1, 1, 1}}
	b := Dataset{Shape: []int{2, 1}, Classes: 2, Features: []float32{-zero, 5, 3, 4, 1, 2}, Labels: []int32{1, 0, 0}}
	b.Features[0] = -b.Features[0] // -0 at run time
	if got, want := Overlap(a, b), []int{0, 2}; !slices.Equal(got, want) {
		t.Errorf("examples %v of a are in b, want %v", got, want)
	}
	if got, want := Overlap(b, a), []int{0, 2}; !slices.Equal(got, want) {
		t.Errorf("examples %v of b are in a, want %v", got, want)
	}
	b.Shape = []int{1}
	if got := Overlap(a, b); got != nil {
		t.Errorf("examples %v of another shape are shared", got)
	}
}
