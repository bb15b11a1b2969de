package auto

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// ErrTooMuchWork is wrapped by the error of a question that was refused before it was computed.
var ErrTooMuchWork = errors.New("too much work")

// usualWork is the value of Accountant.MaxWork if that is 0, in seconds.
const usualWork = 120

// Work estimates the processor time, in seconds, of one price of event: to a factor of about four
// on a core of 2025. It counts entries, terms of their laws of K and runs inside each other.
// With an error, for an invalid event, the time is +Inf.
//
// Some calibrations ask fifteen such questions. A curve asks one for each point.
func Work(event accounting.Event) (float64, error) {
	node, err := accounting.Flatten(event)
	if err != nil {
		return math.Inf(1), fmt.Errorf("auto: %w", err)
	}
	return workOf(node), nil
}

// Measured, in seconds: a run on a grid or by contour, a selection, and what each term of a list of
// chances adds to the best of K runs and to the first above a threshold.
const runWork, selectionWork, termWork, firstAboveTermWork = 0.05, 0.2, 3e-5, 2e-4

// shuffledWork is that of the attacks on shuffled batches.
const shuffledWork = 0.5

// averageWork is that of one average or product of likelihood ratios, in the laws above and below
// them and in the check. blockWork is the same for the coarser laws of several participations, and
// attackWork that of the attacks on these.
const averageWork, blockWork, attackWork = 0.03, 0.012, 0.1

func workOf(n accounting.Node) float64 {
	if n.Shape != accounting.Mechanism {
		sum, allocations := 0.0, map[string]bool{}
		for _, child := range n.Children {
			if e, ok := child.Event.(accounting.RandomAllocation); ok {
				if allocations[e.String()] { // equal ones have one law
					continue
				}
				allocations[e.String()] = true
			}
			sum += workOf(child)
		}
		return sum
	}
	switch e := n.Event.(type) {
	case accounting.Shuffled:
		return shuffledWork
	case accounting.RandomAllocation:
		return allocationWork(e)
	case selection.BestOf:
		return selectionWork + termWork*termsOf(e.Law) + workOf(n.Children[0])
	case adaptive.Event:
		return 4*(selectionWork+termWork*termsOf(e.Law)) + workOf(n.Children[0])
	case firstabove.Event:
		return selectionWork + firstAboveTermWork*termsOf(e.Law) + workOf(n.Children[0])
	case subsample.Event:
		return 2*workOf(n.Children[0]) + workOf(n.Children[1])
	}
	return runWork
}

// allocationWork counts the operations of package lratio: averages for the binary digits of a
// period, and products for those of the number of periods. Several participations need the laws of
// blocks of two sizes, and attacks.
func allocationWork(e accounting.RandomAllocation) float64 {
	averages := func(steps int) int {
		doublings := bits.TrailingZeros(uint(steps))
		return doublings + 2*bits.Len(uint(steps>>doublings)) - 1
	}
	whole, rest := e.Steps/e.Period, e.Steps%e.Period
	operations := 2 * bits.Len(uint(whole*e.Participations))
	if size := e.Period / e.Participations; e.Participations > 1 {
		operations += averages(size)
		if e.Period%e.Participations > 0 {
			operations += averages(size+1) + operations
		}
		return attackWork + blockWork*float64(operations)
	}
	if whole > 0 {
		operations += averages(e.Period)
	}
	if rest > 0 {
		operations += averages(rest)
	}
	return averageWork * float64(operations)
}

// termsOf is the number of chances that a law is summed from, once for each limit inside another.
func termsOf(l law.Law) float64 {
	switch l := l.(type) {
	case law.PMF:
		return float64(len(l.Weights))
	case law.Truncated:
		return float64(l.Max) + termsOf(l.Law)
	case law.Capped:
		return float64(l.Max) + termsOf(l.Law)
	case law.Withheld:
		return float64(l.Max) + termsOf(l.Law)
	}
	return 0
}

// checkWork returns an error if a question about event would take longer than MaxWork.
func (a Accountant) checkWork(event accounting.Node) error {
	if err := check.NotNegative.OfAnySize().Of("auto: Accountant.MaxWork", a.MaxWork); err != nil {
		return err
	}
	most := a.MaxWork
	if most == 0 {
		most = usualWork
	}
	if work := workOf(event); work > most {
		return fmt.Errorf("auto: this event would take some %.3g s of processor time: must be at most Accountant.MaxWork = %g; "+
			"price its parts one by one, or lower the Max of laws: %w", work, most, ErrTooMuchWork)
	}
	return nil
}
