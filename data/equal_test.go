package data

import (
	"encoding/hex"
	"slices"
	"testing"
)

// Examples are shared if all features and the label are equal, at any place and with any targets.
// -0 equals 0.
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
	a.TargetShape, a.Targets = []int{1}, []float32{1, 2, 3, 4}
	if got, want := Overlap(a, b), []int{0, 2}; !slices.Equal(got, want) {
		t.Errorf("examples %v of a with targets are in b without, want %v", got, want)
	}
	b.TargetShape, b.Targets = []int{1}, []float32{3, 2, 0}
	if got, want := Overlap(a, b), []int{0, 2}; !slices.Equal(got, want) {
		t.Errorf("examples %v of a are in b, with other targets, want %v", got, want)
	}
	b.Shape = []int{1}
	if got := Overlap(a, b); got != nil {
		t.Errorf("examples %v of another shape are shared", got)
	}
}

// Every part of a data set but its name is in its fingerprint.
func TestFingerprint(t *testing.T) {
	d := func() Dataset {
		return Dataset{Name: "d", Features: []float32{1, 2, 3, 4}, Shape: []int{2}, Labels: []int32{0, 1}, Classes: 2}
	}
	// Python: hashlib.sha256(b"[[2],2,2,4]\n" + struct.pack("<4f2i", 1, 2, 3, 4, 0, 1)).hexdigest()
	const want = "133dc7ca1cf1b221396765e079cc97e9f6f47fe94ede0ff3a14e0da652424890"
	named := d()
	named.Name = "other"
	for _, same := range []Dataset{d(), named} {
		if sum := same.Fingerprint(); hex.EncodeToString(sum[:]) != want {
			t.Errorf("fingerprint %x, want %s", sum, want)
		}
	}
	for name, change := range map[string]func(d *Dataset){
		"features": func(d *Dataset) { d.Features[3] = 4.0000005 },
		"shape":    func(d *Dataset) { d.Shape = []int{1, 2} },
		"labels":   func(d *Dataset) { d.Labels = []int32{1, 0} },
		"classes":  func(d *Dataset) { d.Classes = 3 },
		"targets":  func(d *Dataset) { d.TargetShape, d.Targets = []int{1}, []float32{1, 2} },
	} {
		changed := d()
		change(&changed)
		if changed.Fingerprint() == d().Fingerprint() {
			t.Errorf("%s are not in the fingerprint", name)
		}
	}
	long := Dataset{Features: make([]float32, 40_000)}
	sum := long.Fingerprint()
	long.Features[39_999] = 1
	if sum == long.Fingerprint() {
		t.Error("the last of many features is not in the fingerprint")
	}
}
