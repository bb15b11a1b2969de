package dptune

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
)

// NoiseTruncated is a Candidate whose noise is not quite that of its event: it is truncated,
// as that of dpsgd does. If the event is (ε, δ)-private, then a run is (ε, δ + TruncationDelta)-private,
// in the sense of accounting.Reserve. A search sets that much of its δ aside for each run,
// and its Statement says what it comes to.
type NoiseTruncated[H any] interface {
	// TruncationDelta returns that part of δ for a run with h, in [0, 1]. It must not depend on the data.
	TruncationDelta(h H) (float64, error)
}

// tailOf returns what a candidate tells of h; 0 if it tells nothing.
func tailOf[H, O any](candidate Candidate[H, O], h H) (float64, error) {
	teller, ok := candidate.(NoiseTruncated[H])
	if !ok {
		return 0, nil
	}
	tail, err := teller.TruncationDelta(h)
	if err != nil {
		return 0, fmt.Errorf("dptune: truncation δ of hyper-parameters %v: %w", h, err)
	}
	return tail, check.Unit.Of(fmt.Sprintf("dptune: truncation δ of hyper-parameters %v:", h), tail)
}

// largestTail returns the largest that a candidate tells of some hyper-parameters.
func largestTail[H, O any](candidate Candidate[H, O], hs []H) (float64, error) {
	largest := 0.0
	for _, h := range hs {
		tail, err := tailOf(candidate, h)
		if err != nil {
			return 0, err
		}
		largest = max(largest, tail)
	}
	return largest, nil
}

// anyTail returns 1 - E[(1-p)^K], raised by more than its rounding: the chance that at least
// one of K runs has its flag up, if each has with chance p at most.
func anyTail(law law.Law, p float64) float64 {
	if p == 0 {
		return 0
	}
	return min(1, law.Distribution().SuccessProbability(p)*(1+1e-9))
}

// deltaLeft returns what is left of δ, or an error if that is nothing.
func deltaLeft(protocol string, delta, tail float64) (float64, error) {
	left := accounting.DeltaLeft(delta, tail)
	if left == 0 {
		return 0, noDeltaLeft{protocol, delta, tail}
	}
	return left, nil
}

// noDeltaLeft is the error where nothing is left of δ.
type noDeltaLeft struct {
	protocol    string
	delta, tail float64
}

func (e noDeltaLeft) Error() string {
	return fmt.Sprintf("dptune: %s.Delta %g: must be above %.2g, which the ends of the noise take of it in all runs", e.protocol, e.delta, e.tail)
}

// tailNote says for Statement.Included what setting a part of δ aside did; nothing if there is
// none. whole gives the guarantee without.
func tailNote(tail float64, with accounting.Guarantee, whole func() (accounting.Guarantee, error)) ([]string, error) {
	if tail == 0 {
		return nil, nil
	}
	without, err := whole()
	if err != nil {
		return nil, err
	}
	return []string{accounting.ReserveNote("that the noise is truncated", tail, without.Epsilon.Upper, with.Epsilon.Upper)}, nil
}
