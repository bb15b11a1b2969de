package record

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
)

// checkSpends compares the spends of all queries with the claim, part by part: a spend that
// the claim does not hold, or holds less often, is a fault. A claim of more than was spent
// is none.
func (s *Session) checkSpends(claim accounting.Event) {
	claimed, spent := map[string]int{}, map[string]int{}
	count(claim, 1, claimed)
	for _, q := range s.queries {
		count(q.Spend, 1, spent)
	}
	var parts []string
	for part := range spent {
		parts = append(parts, part)
	}
	slices.Sort(parts)
	for _, part := range parts {
		if spent[part] > claimed[part] {
			s.fault(Spend, -1, "", fmt.Sprintf("%s is spent %d times: the claim %v holds it %d times", part, spent[part], claim, claimed[part]))
		}
	}
}

// count adds the events that e is composed of to parts.
func count(e accounting.Event, times int, parts map[string]int) {
	switch e := e.(type) {
	case accounting.SelfComposed:
		count(e.Event, times*e.Count, parts)
	case accounting.Composed:
		for _, part := range e.Events {
			count(part, times, parts)
		}
	default:
		parts[fmt.Sprintf("%#v", e)] += times
	}
}
