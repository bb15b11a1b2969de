package data

import (
	"encoding/hex"
	"testing"
)

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
