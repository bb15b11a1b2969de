package accounting

import (
	"encoding"
	"fmt"
)

// Neighboring is the relation between the two data sets that a guarantee compares. The zero value
// is not a relation, and Validate refuses it.
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

// Proof that the events of add-or-remove-one have the same price under ReplaceSpecial. A mechanism
// has the same law with a special example as without it. Let x have an example, and x' the special
// one in its place. Then each event has the laws that it has with and without the example. In a
// Poisson sample the example is present with chance q. The laws are (1-q) Q + q P on x, and (1-q) Q
// + q Q = Q on x'. In Parallel the part of the example loses it, and the part of the special
// example gains nothing. Prices hold in both directions, as x and x' may be exchanged. ∎ For the
// relation see Kairouz, McMahan, Song, Thakkar, Thakurta, Xu (2021), arXiv:2103.00039. The proof
// does not cover a sample of fixed size, in which a special example takes the place of another one.

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
