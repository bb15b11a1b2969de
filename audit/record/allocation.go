package record

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/internal/tails"
)

// allocations returns the queries of each random allocation, in order. The spend of each is the
// event of the whole allocation. Query i of an allocation of T steps is its step i mod T.
func (s *Session) allocations() (events []accounting.RandomAllocation, queries [][]int) {
	at := map[string]int{}
	for t, q := range s.queries {
		a, is := q.Spend.(accounting.RandomAllocation)
		if !is {
			continue
		}
		key := fmt.Sprintf("%#v", a)
		if _, known := at[key]; !known {
			at[key] = len(events)
			events, queries = append(events, a), append(queries, nil)
		}
		queries[at[key]] = append(queries[at[key]], t)
	}
	return events, queries
}

// place is a step within a period, with the periods that have it and those in which the neighbor
// moved the answer.
type place struct{ periods, moved int }

// checkPeriods tests which queries of a random allocation the neighbor moved. An example joins k
// steps of a period of t. So one example more or less moves at most k answers of a period, and a
// replaced example at most 2k. The steps of different periods are independent. So of E answers at
// one place of their periods at most Bin(E, k/t) move, since an example that takes part may have no
// effect. A replaced example may have another place, and the chance is then at most 1-(1-k/t)².
func (s *Session) checkPeriods(f *family, a accounting.RandomAllocation, queries []int) {
	most, chance := a.Participations, float64(a.Participations)/float64(a.Period)
	if s.allowed == 2 {
		most, chance = 2*most, 1-(1-chance)*(1-chance)
	}
	places, moved := make([]place, min(a.Period, len(queries))), 0
	for i, t := range queries {
		step := i % a.Steps
		if step%a.Period == 0 {
			moved = 0
		}
		p := &places[step%a.Period]
		p.periods++
		if !s.moved[t] {
			continue
		}
		p.moved++
		if moved++; moved == most+1 {
			f.found = append(f.found, accusation{fmt.Sprintf("period %d of %v", i/a.Steps*((a.Steps-1)/a.Period+1)+step/a.Period, a),
				fmt.Sprintf("more than %d answers moved", most), 0})
		}
	}
	for i, p := range places {
		if chance := tails.BinomialUpper(p.moved, p.periods, chance); chance < f.limit {
			f.found = append(f.found, accusation{fmt.Sprintf("step %d of the periods of %v", i, a),
				fmt.Sprintf("%d of %d answers moved", p.moved, p.periods), chance})
		}
	}
}
