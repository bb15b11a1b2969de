package record

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"reflect"

	"github.com/dplab/dplab/data"
)

// lister is data of another type that lists its examples, each by a text that describes all of it.
type lister interface {
	Examples() []string
}

// examplesOf returns how often data hold each example, by its hash. It returns nil if they do not
// show their examples. A data.Dataset, a slice of plain values and a lister do.
func examplesOf(d any) map[[sha256.Size]byte]int {
	counts, h := map[[sha256.Size]byte]int{}, sha256.New()
	add := func() {
		counts[[sha256.Size]byte(h.Sum(nil))]++
		h.Reset()
	}
	switch d := d.(type) {
	case data.Dataset:
		for i, label := range d.Labels {
			writeValue(h, reflect.ValueOf(label))
			writeValue(h, reflect.ValueOf(d.Row(i)))
			if d.Targets != nil {
				writeValue(h, reflect.ValueOf(d.Target(i)))
			}
			add()
		}
		return counts
	case lister:
		for _, text := range d.Examples() {
			writeValue(h, reflect.ValueOf(text))
			add()
		}
		return counts
	}
	list := reflect.ValueOf(d)
	if list.Kind() != reflect.Slice {
		return nil
	}
	for i := range list.Len() {
		if !writeValue(h, list.Index(i)) {
			return nil
		}
		add()
	}
	return counts
}

// writeValue adds a value made of numbers, texts, lists and structs to a hash. Different values are
// written differently. It returns false if the value holds anything else. A pointer does not reveal
// whether its targets are equal.
func writeValue(h hash.Hash, v reflect.Value) bool {
	word := func(bits uint64) { h.Write(binary.LittleEndian.AppendUint64(nil, bits)) }
	each := func(count int, of func(int) reflect.Value) bool {
		word(uint64(count))
		for i := range count {
			if !writeValue(h, of(i)) {
				return false
			}
		}
		return true
	}
	switch {
	case v.Kind() == reflect.Bool && v.Bool():
		word(1)
	case v.Kind() == reflect.Bool:
		word(0)
	case v.CanInt():
		word(uint64(v.Int()))
	case v.CanUint():
		word(v.Uint())
	case v.CanFloat():
		word(math.Float64bits(v.Float() + 0)) // -0 equals 0
	case v.Kind() == reflect.String:
		word(uint64(v.Len()))
		h.Write([]byte(v.String()))
	case v.Kind() == reflect.Array, v.Kind() == reflect.Slice:
		return each(v.Len(), v.Index)
	case v.Kind() == reflect.Struct:
		return each(v.NumField(), v.Field)
	default:
		return false
	}
	return true
}

// validateNeighbors returns an error if a neighbor differs from d by more than one example, or by
// none. It also returns whether that could be seen.
func validateNeighbors[D any](d D, neighbors []Neighbor[D]) (seen bool, err error) {
	here := examplesOf(d)
	if here == nil {
		return false, nil
	}
	for i, n := range neighbors {
		there := examplesOf(n.Data)
		if there == nil {
			return false, nil
		}
		removed, added := surplus(here, there), surplus(there, here)
		switch {
		case n.Replace && (removed != 1 || added != 1):
			return true, fmt.Errorf("record: neighbors[%d] (%s) lacks %d examples of the data and has %d others: must be 1 and 1 with Replace", i, n.Name, removed, added)
		case !n.Replace && removed+added != 1:
			return true, fmt.Errorf("record: neighbors[%d] (%s) lacks %d examples of the data and has %d others: must be 1 in all, or 1 and 1 with Replace", i, n.Name, removed, added)
		}
	}
	return true, nil
}

// surplus returns how many examples of a are not in b. An example that a has more often counts as
// often as it has it more.
func surplus(a, b map[[sha256.Size]byte]int) (count int) {
	for key, times := range a {
		count += max(0, times-b[key])
	}
	return count
}
