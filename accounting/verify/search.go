package verify

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/selected"
)

// Checker checks steps of one event, for a search that looks for one that holds. It keeps what it
// computed of a run.
type Checker struct {
	event node
	c     *checker
}

func newChecker(relation accounting.Neighboring) *checker {
	return &checker{relation: relation, runs: map[*accounting.Step]selected.Run{}}
}

// NewChecker returns the checker of an event, from its JSON.
func NewChecker(event []byte, relation accounting.Neighboring) (*Checker, error) {
	n, err := read(event)
	if err != nil {
		return nil, err
	}
	return &Checker{n, newChecker(relation)}, nil
}

// Shows returns an upper bound of δ at epsilon by a step, to be compared with delta. It is 1 with
// an error.
func (c *Checker) Shows(s accounting.Step, epsilon, delta float64) (float64, error) {
	c.c.path, c.c.work = nil, 0
	return c.c.shows(c.event, s, epsilon, delta)
}
