package figures

import (
	"math"

	"github.com/dplab/dplab/notebooks/papers"
)

// Cases counts the cases of a sentence: those in which it holds, does not hold, and is not resolved.
// It turns a paper's words into a row of a comparison.
type Cases struct{ Hold, Fail, Open int }

// Add counts one case. The sentence is that x, known within err, is positive: it holds if x is above
// err, does not hold if x is at most -err, and is not resolved in between or if x is NaN. With an
// err of 0, an x of 0 does not hold.
func (c *Cases) Add(x, err float64) {
	switch {
	case x > err:
		c.Hold++
	case x <= -err:
		c.Fail++
	default:
		c.Open++
	}
}

// AddIf counts one case that is known exactly.
func (c *Cases) AddIf(holds bool) {
	if holds {
		c.Hold++
	} else {
		c.Fail++
	}
}

// Plus returns the sum of both counts.
func (c Cases) Plus(d Cases) Cases { return Cases{c.Hold + d.Hold, c.Fail + d.Fail, c.Open + d.Open} }

// Of returns the number of cases.
func (c Cases) Of() int { return c.Hold + c.Fail + c.Open }

// Share returns the share of the cases in which the sentence holds, and its error: cases that are
// not resolved may be either. Without cases the share is NaN.
func (c Cases) Share() (share, err float64) {
	if c.Of() == 0 {
		return math.NaN(), 0
	}
	n := float64(c.Of())
	return (float64(c.Hold) + float64(c.Open)/2) / n, float64(c.Open) / 2 / n
}

// Against returns the row that sets the share next to v, the paper's sentence with a share of 1, or
// of 0 for what the paper says never happens. One resolved case against the sentence makes the row
// differ. If only open cases are left, it is inconclusive.
func (c Cases) Against(v papers.Value) ComparisonRow {
	share, err := c.Share()
	row := Against(v, share)
	row.OursErr = err
	return row
}
