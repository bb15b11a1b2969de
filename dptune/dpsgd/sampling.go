package dpsgd

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// Sampling is a sampling scheme. It selects the examples of each step and states the event of any
// one of them. It is [Poisson], [RandomAllocation], [TruncatedPoisson], [FullBatch],
// [FixedBatches], [CyclicPoisson] or [CyclicAllocation]. It has no default.
//
// Only this package can add schemes. [Clipping] and [Optimizer] are open, because the engine finds
// or caps their faults. But a scheme declares its own event, and no test on drawn batches can check
// it. Amplification needs coins that are independent of each other and of the data. Your own
// batches, with an event that is believed, are steps of [Own].
//
// The section "A scheme of sampling" of dptune/README.md lists what a new scheme needs. Shuffling
// is left out on purpose: its privacy differs from that of all of these.
type Sampling interface {
	// String returns the name of the scheme with its parameters.
	String() string

	// Validate returns every fault of the scheme for a number of examples, -1 if it is not known.
	// If the event needs the number of examples, the scheme has it as a public field, and Validate
	// refuses another number. An error begins with the name of the field.
	Validate(examples int) error

	// Event returns the event of the first steps of a run for any one example. release is the event
	// of one step for an example that takes part.
	Event(release accounting.Event, steps int) accounting.Event

	// Chosen returns the event of a run for an example that can take part in only count steps,
	// which were chosen beforehand: see [Canary].
	Chosen(release accounting.Event, count int) accounting.Event

	// Secret reports whether Event assumes that the examples of a step are secret.
	Secret() bool

	// Assumptions returns what Event assumes, one fact each, in the words of a statement.
	Assumptions() []string

	// Share returns the mean share of the examples that take part in a step, in (0, 1].
	Share() float64

	// LikelyBatch returns the largest likely size of a batch for a number of examples.
	LikelyBatch(examples int) float64

	// Batch returns the ascending indices of those of n examples that take part in a step. Every
	// draw is from a stream of coins, labelled with its purpose.
	Batch(coins streams.Root, step, n int) ([]int32, error)

	// Canaries returns the ascending indices of those of m canaries that take part in a step.
	// Canary i takes part as an example at place n+i of the data would. Its coins do not depend on
	// the other canaries. It returns an error if the scheme takes no canaries.
	Canaries(coins streams.Root, step, n, m int) ([]int32, error)

	sealed()
}

// schemes has a value of each type of Sampling.
var schemes = []Sampling{Poisson{}, RandomAllocation{}, TruncatedPoisson{}, FullBatch{}, FixedBatches{}, CyclicPoisson{}, CyclicAllocation{}}

// isScheme reports whether s is a value of one of these types. It is false for nil, a pointer and a
// type that embeds a scheme.
func isScheme(s Sampling) bool {
	return slices.ContainsFunc(schemes, func(scheme Sampling) bool { return reflect.TypeOf(scheme) == reflect.TypeOf(s) })
}

// schemeName returns the name of a scheme's type, as in JSON.
func schemeName(s Sampling) string { return reflect.TypeOf(s).Name() }

// mustBeScheme is the rule of Config.Sampling.
func mustBeScheme() string {
	var names []string
	for _, s := range schemes {
		names = append(names, schemeName(s))
	}
	last := len(names) - 1
	return "must be " + strings.Join(names[:last], ", ") + " or " + names[last]
}
