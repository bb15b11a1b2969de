package data

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// numbered returns a data set whose only feature is the row, and whose labels follow the
// pattern.
func numbered(n int, label func(i int) int32, classes int) Dataset {
	d := Dataset{Name: "numbered", Shape: []int{1}, Classes: classes}
	for i := range n {
		d.Features = append(d.Features, float32(i))
		d.Labels = append(d.Labels, label(i))
	}
	return d
}

func TestSplitStratifiedByHand(t *testing.T) {
	// Labels 1 0 1 0 1 0 1: sorted by label the rows are 1 3 5 0 2 4 6. The positions 0, 3 and 6
	// are the rows 1, 0 and 6.
	d := numbered(7, func(i int) int32 { return int32((i + 1) % 2) }, 2)
	train, test, err := SplitStratified(d, 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{0, 1, 6}; !slices.Equal(test.Features, want) {
		t.Errorf("test rows %v: want %v", test.Features, want)
	}
	if want := []float32{2, 3, 4, 5}; !slices.Equal(train.Features, want) {
		t.Errorf("train rows %v: want %v", train.Features, want)
	}
	if train.Name != "numbered/train" || test.Name != "numbered/test" {
		t.Errorf("names %q, %q", train.Name, test.Name)
	}
}

func TestSplitStratifiedKeepsShares(t *testing.T) {
	d := numbered(1000, func(i int) int32 { return int32(i * i % 7) }, 7)
	_, test, err := SplitStratified(d, 4)
	if err != nil {
		t.Fatal(err)
	}
	for label := range int32(7) {
		all, picked := count(d.Labels, label), count(test.Labels, label)
		// Every 4th of n consecutive positions: floor(n/4) or ceil(n/4) of them.
		if picked < all/4 || picked > (all+3)/4 {
			t.Errorf("label %d: %d of %d in test", label, picked, all)
		}
	}
}

func TestSplitRandomIsAPartitionAndRepeats(t *testing.T) {
	d := numbered(100, func(int) int32 { return 0 }, 1)
	train, test, err := SplitRandom(d, 30, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	if train.Len() != 70 || test.Len() != 30 {
		t.Errorf("sizes %d, %d: want 70, 30", train.Len(), test.Len())
	}
	both := slices.Concat(train.Features, test.Features)
	slices.Sort(both)
	if !slices.Equal(both, d.Features) {
		t.Errorf("parts together are not the whole")
	}
	_, again, err := SplitRandom(d, 30, rand.New(rand.NewPCG(1, 2)))
	if err != nil || !slices.Equal(again.Features, test.Features) {
		t.Errorf("the same stream gave another split (error %v)", err)
	}
}

func TestSplitErrors(t *testing.T) {
	d := numbered(10, func(int) int32 { return 0 }, 1)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, every := range []int{-1, 0, 1, 11} {
		if _, _, err := SplitStratified(d, every); err == nil {
			t.Errorf("every %d accepted", every)
		}
	}
	for _, size := range []int{-1, 0, 10} {
		if _, _, err := SplitRandom(d, size, rng); err == nil {
			t.Errorf("test size %d accepted", size)
		}
	}
	if _, _, err := SplitRandom(d, 3, nil); err == nil {
		t.Error("nil stream accepted")
	}
	broken := d
	broken.Classes = 0
	if _, _, err := SplitStratified(broken, 2); err == nil {
		t.Error("SplitStratified took a broken data set")
	}
	if _, _, err := SplitRandom(broken, 2, rng); err == nil {
		t.Error("SplitRandom took a broken data set")
	}
}

func count(labels []int32, label int32) int {
	n := 0
	for _, l := range labels {
		if l == label {
			n++
		}
	}
	return n
}
