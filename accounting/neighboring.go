package accounting

import (
	"encoding"
	"fmt"
)

// Neighboring is the relation between the two data sets that a guarantee compares.
// The zero value is no relation, and Validate refuses it.
type Neighboring int

const (
	// AddOrRemoveOne relates data sets that differ by one added or removed example.
	AddOrRemoveOne Neighboring = iota + 1
	// ReplaceOne relates data sets of equal size that differ in one example.
	ReplaceOne
	// ReplaceSpecial relates data sets of equal, public size in which one example is
	// replaced by a special one that contributes zero ("zero-out").
	ReplaceSpecial
)

// Why the events of add-or-remove-one are priced alike under ReplaceSpecial. A special example in a
// sample is as no example: a mechanism gives the same law with and without it. So on x, with an
// example, and x', with the special one in its place, each event has the laws that it has with the
// example and without. In a Poisson sample the example is with chance q: the laws are (1-q) Q + q P
// on x, and (1-q) Q + q Q = Q on x'. In Parallel the part that the rule gives the example loses it;
// the part that it gives the special one gains nothing. Both directions are asked for, as x and x'
// may be exchanged. (Kairouz, McMahan, Song, Thakkar, Thakurta, Xu 2021, arXiv:2103.00039, for the
// relation.) A sample of fixed size is another matter: a special example takes the place of one
// that counts.

var neighboringNames = map[Neighboring]string{
	AddOrRemoveOne: "add-or-remove-one",
	ReplaceOne:     "replace-one",
	ReplaceSpecial: "replace-special",
}

var (
	_ encoding.TextMarshaler   = Neighboring(0)
	_ encoding.TextUnmarshaler = (*Neighboring)(nil)
)

// String returns the name of the relation, for instance "add-or-remove-one".
func (n Neighboring) String() string {
	if name, ok := neighboringNames[n]; ok {
		return name
	}
	return fmt.Sprintf("Neighboring(%d)", int(n))
}

// Validate returns an error unless n is one of the three relations.
func (n Neighboring) Validate() error {
	if _, ok := neighboringNames[n]; !ok {
		return fmt.Errorf("accounting: neighboring %d: must be AddOrRemoveOne, ReplaceOne or ReplaceSpecial", int(n))
	}
	return nil
}

// MarshalText returns the name of the relation.
func (n Neighboring) MarshalText() ([]byte, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	return []byte(n.String()), nil
}

// UnmarshalText sets n from the name of a relation.
func (n *Neighboring) UnmarshalText(text []byte) error {
	for value, name := range neighboringNames {
		if name == string(text) {
			*n = value
			return nil
		}
	}
	return fmt.Errorf("accounting: neighboring %q: must be add-or-remove-one, replace-one or replace-special", text)
}
