package accounting

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/dplab/dplab/accounting/check"
)

// ProfileBound is any mechanism whose privacy profile is at most a list of known values. Nothing
// else is known about it. With P and Q its laws on any two neighboring data sets, in both orders,
//
//	δ(ε) = sup_S P(S) - e^ε Q(S) <= Deltas[i]  at ε = Epsilons[i].
//
// So a bound for one order only, such as that of a removed record, is not enough. Prices have no
// lower end. [NewProfileBound] lists a function.
//
// δ is convex in e^ε and does not rise. So a chord between two of the values is a bound too, and
// so is the last value for all larger ε. Package pld uses these, and the same for e^ε below 1.
type ProfileBound struct {
	Name     string    // of the mechanism, for messages; may be empty
	Epsilons []float64 // in nats, >= 0, rising; at least one
	Deltas   []float64 // one for each of Epsilons, in [0, 1], not rising
}

// RenyiBound is any mechanism whose Rényi divergence is at most a list of known values. Nothing
// else is known about it. With P and Q its laws on any two neighboring data sets, in both orders,
//
//	D_α(P‖Q) <= Divergences[i]  at α = Orders[i].
//
// Prices have no lower end. [NewRenyiBound] lists a function.
type RenyiBound struct {
	Name        string    // of the mechanism, for messages; may be empty
	Orders      []float64 // > 1, finite, rising; at least one
	Divergences []float64 // in nats, one for each of Orders, >= 0, finite, not falling
}

var _, _ Event = ProfileBound{}, RenyiBound{}

const (
	// mostEntries is the largest number of entries of such a list.
	mostEntries = 1 << 16
	// againstRounding is how far an entry may move in the wrong direction, relative to it, by the
	// rounding of a computation.
	againstRounding = 1e-9
)

// Validate returns an error unless the lists are as their comments require. A profile that rises
// by more than 1e-9 of itself is not one.
func (e ProfileBound) Validate() error {
	return errors.Join(
		equallyMany("ProfileBound.Epsilons, Deltas", len(e.Epsilons), len(e.Deltas)),
		eachEntry("ProfileBound.Epsilons", e.Epsilons, "", nil, check.NotNegative, risesStrictly),
		eachEntry("ProfileBound.Deltas", e.Deltas, "ε", e.Epsilons, check.Unit, func(before, x float64) string {
			if x > before*(1+againstRounding) {
				return fmt.Sprintf("must be at most %g, the one before it: a privacy profile does not rise", before)
			}
			return ""
		}))
}

// Validate returns an error unless the lists are as their comments require. A curve that falls by
// more than 1e-9 of itself is not one.
func (e RenyiBound) Validate() error {
	return errors.Join(
		equallyMany("RenyiBound.Orders, Divergences", len(e.Orders), len(e.Divergences)),
		eachEntry("RenyiBound.Orders", e.Orders, "", nil, check.Above(1), risesStrictly),
		eachEntry("RenyiBound.Divergences", e.Divergences, "order", e.Orders, check.NotNegative, func(before, x float64) string {
			if x < before*(1-againstRounding) {
				return fmt.Sprintf("must be at least %g, the one before it: a Rényi divergence does not fall with its order", before)
			}
			return ""
		}))
}

func risesStrictly(before, x float64) string {
	if x > before {
		return ""
	}
	return fmt.Sprintf("must be above %g, the one before it", before)
}

func equallyMany(names string, n, m int) error {
	if n == m && n >= 1 && n <= mostEntries {
		return nil
	}
	return fmt.Errorf("accounting: %s have %d and %d entries: must have equally many, from 1 to %d", names, n, m, mostEntries)
}

// eachEntry returns the first fault of a list: an entry that breaks the rule, or the order with the
// one before it. The message has the entry's place, and its argument if the list has any.
func eachEntry(name string, xs []float64, argument string, at []float64, rule check.Rule, order func(before, x float64) string) error {
	for i, x := range xs {
		fault := ""
		if !rule.Holds(x) {
			fault = rule.Refuses(x)
		} else if i > 0 {
			fault = order(xs[i-1], x)
		}
		switch {
		case fault == "":
		case i < len(at):
			return fmt.Errorf("accounting: %s[%d] %g at %s %g: %s", name, i, x, argument, at[i], fault)
		default:
			return fmt.Errorf("accounting: %s[%d] %g: %s", name, i, x, fault)
		}
	}
	return nil
}

// String describes the event.
func (e ProfileBound) String() string { return listed("ProfileBound", e.Name, len(e.Epsilons)) }

// String describes the event.
func (e RenyiBound) String() string { return listed("RenyiBound", e.Name, len(e.Orders)) }

// listed quotes the name, which may look like the text of another event.
func listed(kind, name string, entries int) string {
	if name != "" {
		name = strconv.Quote(name) + ", "
	}
	return fmt.Sprintf("%s(%s%d entries)", kind, name, entries)
}

// DivergenceAt returns an upper bound of the divergence, in nats, at an order. It is +Inf if the
// order is above the last one, or not above 1.
//
// Proof. K(α) = (α-1) D_α(P‖Q) = ln ∫ P^α Q^(1-α) is convex, by Hölder's inequality. So a chord
// between two upper bounds of K is one. D_α does not fall with α, so the first value bounds all
// smaller orders. (van Erven and Harremoës 2014, arXiv:1206.2459v2, Corollary 2 and Theorem 3.)
//
// The chord over α-1 is a mean of the two divergences, of terms that are not negative. It errs by
// at most 8 units in the last place, and is raised by that. ∎
func (e RenyiBound) DivergenceAt(order float64) float64 {
	at := 0
	for at < len(e.Orders) && e.Orders[at] < order {
		at++
	}
	switch {
	case !(order > 1) || at == len(e.Orders):
		return math.Inf(1)
	case at == 0 || e.Orders[at] == order:
		return e.Divergences[at]
	}
	low, high := e.Orders[at-1], e.Orders[at]
	share := (order - low) / (high - low) * ((high - 1) / (order - 1)) // of the right end
	mean := (high-order)/(high-low)*((low-1)/(order-1))*e.Divergences[at-1] + share*e.Divergences[at]
	return mean * (1 + 8*0x1p-53)
}
