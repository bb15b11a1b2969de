package data

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
)

// SplitStratified splits a data set by a fixed rule, without randomness. The examples are sorted by
// label; examples of one label keep their order. Every every-th one in that order, from the first,
// goes to test. The shares of the labels in the two parts differ by less than one example in each
// label. Both parts keep the original order.
//
// every must be at least 2 and at most the number of examples.
func SplitStratified(d Dataset, every int) (train, test Dataset, err error) {
	if err := d.Validate(); err != nil {
		return Dataset{}, Dataset{}, err
	}
	if every < 2 || every > d.Len() {
		return Dataset{}, Dataset{}, fmt.Errorf("data: %s: every %d: must be in [2, %d], the number of examples", d.Name, every, d.Len())
	}
	order := identity(d.Len())
	sort.SliceStable(order, func(i, j int) bool { return d.Labels[order[i]] < d.Labels[order[j]] })
	inTest := make([]bool, d.Len())
	for position := 0; position < len(order); position += every {
		inTest[order[position]] = true
	}
	train, test = d.partition(inTest, "SplitStratified")
	return train, test, nil
}

// SplitRandom puts testSize examples, drawn by rng without replacement, into test and the others
// into train. Both parts keep the original order. Take rng from a labelled stream: the split is
// then the same on every run. testSize must be in [1, N-1].
func SplitRandom(d Dataset, testSize int, rng *rand.Rand) (train, test Dataset, err error) {
	if rng == nil {
		return Dataset{}, Dataset{}, errors.New("data: SplitRandom: rng is nil: must be a random stream")
	}
	if err := d.Validate(); err != nil {
		return Dataset{}, Dataset{}, err
	}
	if testSize < 1 || testSize >= d.Len() {
		return Dataset{}, Dataset{}, fmt.Errorf("data: %s: test size %d: must be in [1, %d]", d.Name, testSize, d.Len()-1)
	}
	inTest := make([]bool, d.Len())
	for _, i := range rng.Perm(d.Len())[:testSize] {
		inTest[i] = true
	}
	train, test = d.partition(inTest, "SplitRandom")
	return train, test, nil
}

// split is one division of a data set in two. Both parts point to it.
type split struct {
	by   string
	rows int // of both parts together
}

const byCoins = "SplitCoins"

// SplitBy returns the name of the function of this package that split one data set into these two,
// "SplitCoins" for instance. It returns "" if none did, for subsets, and for one part given twice.
// If examples were added to or taken from parts by SplitCoins, they no longer count as its parts.
//
// Only after SplitCoins does one example more in the whole leave one of the parts as it is.
// SplitRandom keeps the size of a part, and SplitStratified goes by ranks. With them, one example
// more moves others from part to part.
func SplitBy(a, b Dataset) string {
	switch {
	case a.split == nil || a.split != b.split || a.inTest == b.inTest:
		return ""
	case a.split.by == byCoins && a.Len()+b.Len() != a.split.rows:
		return ""
	}
	return a.split.by
}

// PartsOfOne reports whether two data sets hold records of one data set: as parts of it by Subset,
// OfClasses or a split, as parts of parts, or as a part and the whole. If one of them has records
// that must be protected, the other is not public. Their records may be disjoint.
//
// It follows copies of a Dataset, also with examples added. It returns false if either is empty. A
// Dataset made from new slices of features and labels counts as another data set.
func PartsOfOne(a, b Dataset) bool {
	return a.Len() > 0 && b.Len() > 0 && a.source() == b.source()
}

// source returns the first label of the data set that d is a part of, or its own if it is none. A
// Dataset is passed by value, so the address identifies it. A part keeps those labels in memory, so
// no other data set gets their address.
func (d Dataset) source() *int32 {
	if d.whole == nil && len(d.Labels) > 0 {
		return &d.Labels[0]
	}
	return d.whole
}

// partition returns the examples that are not in test, and those that are.
func (d Dataset) partition(inTest []bool, by string) (train, test Dataset) {
	var out, in []int
	for i, yes := range inTest {
		if yes {
			in = append(in, i)
		} else {
			out = append(out, i)
		}
	}
	train, test = d.Subset(d.Name+"/train", out), d.Subset(d.Name+"/test", in)
	train.split = &split{by, d.Len()}
	test.split, test.inTest = train.split, true
	return train, test
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}
