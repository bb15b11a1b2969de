package dpsgd

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// Sampling is a scheme of sampling: which examples take part in a step, and what that does to any
// one of them. It is [Poisson], [FullBatch] or [FixedBatches]. There is no default.
//
// Only this package has schemes, while [Clipping] and [Optimizer] are open: the engine finds or
// caps their faults. A scheme states its event, and no trial shows whether that is true.
// Amplification rests on coins that are independent of each other and of the data, and a batch
// that was drawn does not show that they were.
//
// The section "A scheme of sampling" of dptune/README.md lists what a new one needs. Shuffling is
// left out on purpose: its privacy is not that of any of these.
type Sampling interface {
	// String names the scheme with its parameters.
	String() string

	// Validate returns every fault of the scheme for a data set of so many examples, -1 if that is
	// not known. A scheme whose event needs the number of examples has it as a public field, and
	// refuses another number here. An error begins with the name of the field.
	Validate(examples int) error

	// Event returns what the first steps of a run do to any one example. release is what one step
	// does to an example that takes part.
	Event(release accounting.Event, steps int) accounting.Event

	// Chosen returns what a run does to an example that can take part in count steps only, which
	// were chosen beforehand: see [Canary].
	Chosen(release accounting.Event, count int) accounting.Event

	// Secret reports whether Event rests on it being secret who takes part in a step.
	Secret() bool

	// Assumptions returns what must hold for Event, as a statement lists it: one fact each.
	Assumptions() []string

	// Share returns the mean share of the examples that takes part in a step, in (0, 1].
	Share() float64

	// LikelyBatch returns the largest size that a batch of so many examples is likely to have.
	LikelyBatch(examples int) float64

	// Batch returns the indices, ascending, of the examples among n that take part in a step. Every
	// draw is from a stream of coins, named by what it is for.
	Batch(coins streams.Root, step, n int) ([]int32, error)

	// Canaries returns which of m canaries take part in a step, ascending, each as an example at
	// place n+i of the data would. Their coins do not depend on which others there are.
	Canaries(coins streams.Root, step, n, m int) ([]int32, error)

	sealed()
}

// schemes has a value of each type of Sampling.
var schemes = []Sampling{Poisson{}, FullBatch{}, FixedBatches{}}

// isScheme reports whether s is a value of one of these types. Nil, a pointer and a type that embeds
// a scheme are not.
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
