package figures

import (
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/notebooks/papers"
)

// Tally counts the verdicts of comparisons, separately for each way in which a reference was read.
// Agreement with a printed number means more than agreement of two programs. Rows without a verdict
// do not count.
type Tally struct {
	Printed    Count `json:"printed"`    // printed numbers, and points measured in printed figures
	Stated     Count `json:"stated"`     // sentences
	Recomputed Count `json:"recomputed"` // by another program
}

// Count is a number of rows by their verdict.
type Count struct {
	Agree        int `json:"agree,omitempty"`
	Differ       int `json:"differ,omitempty"`
	OurChoice    int `json:"ourChoice,omitempty"` // those of Differ with a setting that we chose
	Inconclusive int `json:"inconclusive,omitempty"`
}

// Of returns the number of rows with a verdict.
func (c Count) Of() int { return c.Agree + c.Differ + c.Inconclusive }

// Refuted returns the number of rows that show that their reference is wrong.
func (c Count) Refuted() int { return c.Differ - c.OurChoice }

// Open returns the number of rows that decide nothing: they are inconclusive, or differ by our
// choice of a setting.
func (c Count) Open() int { return c.Inconclusive + c.OurChoice }

// Tally counts the rows.
func (c Comparison) Tally() (t Tally) {
	for _, r := range c.Rows {
		t.Count(r.Read, r.Verdict(), r.OurChoice)
	}
	return t
}

// Count adds a row of the given verdict to the count of its kind. ourChoice is that of the row.
func (t *Tally) Count(read papers.Read, verdict string, ourChoice bool) {
	count := &t.Printed
	switch read {
	case papers.Stated:
		count = &t.Stated
	case papers.Recomputed:
		count = &t.Recomputed
	}
	switch verdict {
	case Agrees, AsTextSays, Confirmed:
		count.Agree++
	case Differs:
		count.Differ++
		if ourChoice {
			count.OurChoice++
		}
	case Inconclusive:
		count.Inconclusive++
	}
}

// Add returns the sum of both.
func (t Tally) Add(u Tally) Tally {
	return Tally{t.Printed.add(u.Printed), t.Stated.add(u.Stated), t.Recomputed.add(u.Recomputed)}
}

func (c Count) add(d Count) Count {
	return Count{c.Agree + d.Agree, c.Differ + d.Differ, c.OurChoice + d.OurChoice, c.Inconclusive + d.Inconclusive}
}

// Minus returns the count without the rows of d.
func (c Count) Minus(d Count) Count {
	return Count{c.Agree - d.Agree, c.Differ - d.Differ, c.OurChoice - d.OurChoice, c.Inconclusive - d.Inconclusive}
}

// Of returns the number of rows with a verdict.
func (t Tally) Of() int { return t.Printed.Of() + t.Stated.Of() + t.Recomputed.Of() }

// Differ returns the number of rows that differ.
func (t Tally) Differ() int { return t.Printed.Differ + t.Stated.Differ + t.Recomputed.Differ }

// Refuted returns the number of rows that show that their reference is wrong.
func (t Tally) Refuted() int {
	return t.Printed.Refuted() + t.Stated.Refuted() + t.Recomputed.Refuted()
}

// Open returns the number of rows that decide nothing.
func (t Tally) Open() int { return t.Printed.Open() + t.Stated.Open() + t.Recomputed.Open() }

// String writes it in one line, such as "2 of 3 printed numbers agree; 7 of 7 recomputed by us". A
// Tally of nothing is empty.
func (t Tally) String() string {
	var parts []string
	say := func(c Count, what string) {
		if c.Of() == 0 {
			return
		}
		part := fmt.Sprintf(what, c.Agree, c.Of())
		if c.Inconclusive > 0 {
			part += fmt.Sprintf(" (%d inconclusive)", c.Inconclusive)
		}
		parts = append(parts, part)
	}
	say(t.Printed, "%d of %d printed numbers agree")
	say(t.Stated, "%d of %d as the text says")
	say(t.Recomputed, "%d of %d recomputed by us")
	return strings.Join(parts, "; ")
}

// Cases counts the cases of a sentence: those in which it holds, does not hold, and is not
// resolved. It turns a paper's words into a row of a comparison.
type Cases struct{ Hold, Fail, Open int }

// Add counts one case. The sentence is that x, known within err, is positive. It holds if x is
// above err, and does not hold if x is at most -err. In between, or if x is NaN, it is not
// resolved. With an err of 0, an x of 0 does not hold.
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

// AddTo appends the row of Against if there is a case.
func (c Cases) AddTo(to *Comparison, v papers.Value, why string) {
	if c.Of() > 0 {
		to.Rows = append(to.Rows, c.Against(v).WithoutReference(why))
	}
}

// Against returns the row that sets the share next to v. v is the paper's sentence with a share of
// 1, or of 0 if the sentence claims that something never happens. One resolved case against the
// sentence makes the row differ. If only open cases are left, it is inconclusive.
func (c Cases) Against(v papers.Value) ComparisonRow {
	share, err := c.Share()
	row := Against(v, share)
	row.OursErr = err
	return row
}
