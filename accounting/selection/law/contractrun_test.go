package law_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// keepsContract checks that a law keeps the contract of law.Law. Moments, generating functions and
// ranks must equal sums over its chances, and draws must follow them. A price must cover every
// order of the outputs of a small pair. JSON must return the same law.
//
// Together the chances beyond K = 4000 must be below 1e-15. Larger laws are refused, since their
// sums would not show a fault. Use drawsFollow for them.
//
// Draws are compared by a chi-square test with a fixed seed. A correct law fails it with chance
// 1e-8.
func keepsContract(t *testing.T, l law.Law) {
	t.Helper()
	for _, c := range []struct {
		name  string
		check func(law.Law, size) []error
	}{
		{"value", value},
		{"sums", sums},
		{"draws", draws},
		{"price", price},
		{"JSON", roundTrip},
	} {
		if faults := c.check(l, sizeOf(testing.Short())); len(faults) > 0 {
			for _, fault := range faults {
				t.Errorf("%v: %s: %v", l, c.name, fault)
			}
			if c.name == "value" {
				return // all others need a valid law
			}
		}
	}
}

// drawsFollow checks only the draws, for laws with chances beyond K = 4000.
func drawsFollow(t *testing.T, l law.Law) {
	t.Helper()
	for _, fault := range draws(l, sizeOf(testing.Short())) {
		t.Errorf("%v: draws: %v", l, fault)
	}
}

// size is the number of draws and of pairs.
type size struct{ draws, pairs int }

func sizeOf(short bool) size {
	if short {
		return size{draws: 40_000, pairs: 1}
	}
	return size{draws: 200_000, pairs: 3}
}

// value checks that a law is valid, has a name and always returns the same distribution.
func value(l law.Law, _ size) (faults []error) {
	if _, err := law.Of(l); err != nil {
		return []error{err}
	}
	if l.String() == "" {
		faults = append(faults, fmt.Errorf("String is empty: must name the law with its parameters"))
	}
	first, second := l.Distribution(), l.Distribution()
	for k := range 50 {
		if a, b := first.LogPMF(k), second.LogPMF(k); a != b {
			return append(faults, fmt.Errorf("two Distributions differ: ln P[K=%d] is %g and %g: must be the same law each time", k, a, b))
		}
	}
	return faults
}

// roundTrip checks that an event with the law is written and read as the same event.
func roundTrip(l law.Law, _ size) []error {
	event := selection.BestOf{Law: l, Base: accounting.Gaussian{NoiseMultiplier: 1}}
	text, err := eventjson.Marshal(event)
	if err != nil {
		return []error{err}
	}
	read, err := eventjson.Unmarshal(text)
	if err != nil || !reflect.DeepEqual(read, accounting.Event(event)) {
		return []error{fmt.Errorf("%s is read as %v, %v: must be the same event", text, read, err)}
	}
	return nil
}
