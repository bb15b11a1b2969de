package data

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func countingUp(n int) Dataset {
	d := Dataset{Name: "numbered", Shape: []int{1}, Classes: 1, Labels: make([]int32, n)}
	for i := range n {
		d.Features = append(d.Features, float32(i))
	}
	return d
}

// The parts are disjoint, cover the data, and differ by one example in one part when an
// example is added at the end. n = 2000, share 0.2: the size of held is 400 with standard
// deviation 17.9; 6 of them are missed with chance 2e-9.
func TestSplitCoins(t *testing.T) {
	split := func(n int) (rest, held Dataset) {
		rest, held, err := SplitCoins(countingUp(n), 0.2, rand.New(rand.NewPCG(3, 4)))
		if err != nil {
			t.Fatal(err)
		}
		return rest, held
	}
	rest, held := split(2000)
	if math.Abs(float64(held.Len())-400) > 6*17.9 {
		t.Errorf("%d of 2000 examples are held, want about 400", held.Len())
	}
	all := slices.Concat(rest.Features, held.Features)
	slices.Sort(all)
	if !slices.Equal(all, countingUp(2000).Features) {
		t.Error("the parts do not hold each example once")
	}
	rest1, held1 := split(2001)
	if rest1.Len()+held1.Len() != 2001 ||
		!slices.Equal(rest1.Features[:rest.Len()], rest.Features) || !slices.Equal(held1.Features[:held.Len()], held.Features) {
		t.Error("an added example moved others between the parts")
	}
}

func TestSplitCoinsRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, share := range []float64{0, 1, -0.5, math.NaN()} {
		if _, _, err := SplitCoins(countingUp(3), share, rng); err == nil {
			t.Errorf("share %g must be refused", share)
		}
	}
	if _, _, err := SplitCoins(countingUp(3), 0.5, nil); err == nil {
		t.Error("a nil stream must be refused")
	}
}

// Two parts know how they were made, and that they belong together.
func TestSplitBy(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := countingUp(50)
	rest, held, err := SplitCoins(d, 0.5, rng)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := SplitCoins(d, 0.5, rng)
	if err != nil {
		t.Fatal(err)
	}
	train, test, err := SplitRandom(d, 10, rng)
	if err != nil {
		t.Fatal(err)
	}
	sorted, sortedTest, err := SplitStratified(d, 5)
	if err != nil {
		t.Fatal(err)
	}
	grown, grownTrain := rest, train
	for _, d := range []*Dataset{&grown, &grownTrain} {
		d.Features, d.Labels = append(d.Features, held.Row(0)...), append(d.Labels, held.Labels[0])
	}
	for _, c := range []struct {
		a, b Dataset
		want string
	}{
		{rest, rest, ""}, {held, held, ""}, {grown, held, ""}, {grownTrain, test, "SplitRandom"},
		{rest, held, "SplitCoins"}, {held, rest, "SplitCoins"}, {train, test, "SplitRandom"}, {sorted, sortedTest, "SplitStratified"},
		{again, held, ""}, {rest, test, ""}, {d, d, ""}, {rest.Subset("some", []int{0, 1}), held, ""},
	} {
		if got := SplitBy(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: split by %q, want %q", c.a.Name, c.b.Name, got, c.want)
		}
	}
}

// Parts of one data set know that they are, by whatever function and in whatever depth. Equal data
// sets that were made apart are not.
func TestPartsOfOne(t *testing.T) {
	d, other := countingUp(50), countingUp(50)
	train, test, err := SplitRandom(d, 10, rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	a, b := d.Subset("a", []int{0, 1, 2}), d.Subset("b", []int{3, 4})
	grown := a
	grown.Features, grown.Labels = append(grown.Features, 7), append(grown.Labels, 0)
	copied := Dataset{Name: "copied", Features: b.Features, Shape: b.Shape, Labels: b.Labels, Classes: b.Classes}
	for _, c := range []struct {
		a, b Dataset
		want bool
	}{
		{a, b, true}, {b, a, true}, {a, d, true}, {d, d, true}, {train, test, true}, {train, b, true}, {grown, b, true},
		{a.Subset("of a", []int{1}), b.OfClasses("of b", b.Labels[0]), true}, {test.Subset("of test", []int{1}), train, true},
		{a, other, false}, {a, other.Subset("b", []int{3, 4}), false}, {d, other, false}, {a, copied, false},
		{a, d.Subset("nobody", nil), false}, {Dataset{}, Dataset{}, false},
	} {
		if got := PartsOfOne(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: parts of one %v, want %v", c.a.Name, c.b.Name, got, c.want)
		}
	}
}

// fixedWord is a source of one word.
type fixedWord uint64

func (w fixedWord) Uint64() uint64 { return uint64(w) }

// Heads come with a chance of at most share: of the 2^53 words, ⌊share 2^53⌋ show them, and so the
// word of that number does not, though as a float64 it is below share.
func TestCoinIsNeverAboveItsShare(t *testing.T) {
	for _, share := range []float64{0.1, 0.3, 1e-3, 1e-15, 1e-17, 0.5, 0.75, 1 - 0x1p-53} {
		heads, _ := new(big.Float).Mul(big.NewFloat(share), big.NewFloat(1<<53)).Uint64() // truncated
		if heads > 0 && !Coin(share, rand.New(fixedWord(heads-1))) {
			t.Errorf("share %g: word %d of %d shows no heads", share, heads-1, heads)
		}
		if Coin(share, rand.New(fixedWord(heads))) {
			t.Errorf("share %g: word %d shows heads: with those below it more than the share", share, heads)
		}
		if _, held, err := SplitCoins(countingUp(1), share, rand.New(fixedWord(heads))); err != nil || held.Len() > 0 {
			t.Errorf("share %g: word %d: %d examples held, error %v", share, heads, held.Len(), err)
		}
	}
	// All other words give the same coins as rng.Float64() < share, so old splits do not change.
	a, b := rand.New(rand.NewPCG(7, 8)), rand.New(rand.NewPCG(7, 8))
	for range 10_000 {
		if Coin(0.3, a) != (b.Float64() < 0.3) {
			t.Fatal("the coin differs from rng.Float64() < share at a word drawn at random")
		}
	}
}
