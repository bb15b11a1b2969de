package figures

import (
	"fmt"
	"strings"

	"github.com/dplab/dplab/notebooks/papers"
)

// Tally counts the verdicts of comparisons, apart for each way in which a reference was read: agreement with what a
// paper prints is one thing, agreement of two programs of ours another. Rows without a verdict count nowhere.
type Tally struct {
	Printed    Count `json:"printed"`    // printed numbers, and points measured in printed figures
	Stated     Count `json:"stated"`     // sentences
	Recomputed Count `json:"recomputed"` // by another program
}

// Count is a number of rows by their verdict.
type Count struct {
	Agree        int `json:"agree,omitempty"`
	Differ       int `json:"differ,omitempty"`
	Inconclusive int `json:"inconclusive,omitempty"`
}

// Of returns the number of rows with a verdict.
func (c Count) Of() int { return c.Agree + c.Differ + c.Inconclusive }

// Tally counts the rows.
func (c Comparison) Tally() (t Tally) {
	for _, r := range c.Rows {
		t.Count(r.Read, r.Verdict())
	}
	return t
}

// Count adds a row of the given verdict to the count of its kind.
func (t *Tally) Count(read papers.Read, verdict string) {
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
	case Inconclusive:
		count.Inconclusive++
	}
}

// Add returns the sum of both.
func (t Tally) Add(u Tally) Tally {
	return Tally{t.Printed.add(u.Printed), t.Stated.add(u.Stated), t.Recomputed.add(u.Recomputed)}
}

func (c Count) add(d Count) Count {
	return Count{c.Agree + d.Agree, c.Differ + d.Differ, c.Inconclusive + d.Inconclusive}
}

// Of returns the number of rows with a verdict.
func (t Tally) Of() int { return t.Printed.Of() + t.Stated.Of() + t.Recomputed.Of() }

// Differ returns the number of rows that differ.
func (t Tally) Differ() int { return t.Printed.Differ + t.Stated.Differ + t.Recomputed.Differ }

// String says it in one line, such as "2 of 3 printed numbers agree; 7 of 7 recomputed by us". A Tally of nothing is empty.
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
