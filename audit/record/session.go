package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Session is what a mechanism asks its queries of, during one run.
type Session struct {
	rng      *rand.Rand // of the noise that the session adds
	neighbor string
	allowed  float64 // times the sensitivity
	before   *Session
	queries  []Query      // with the releases
	moved    map[int]bool // queries whose answer is not that of the recording
	facts    []fact
	faults   []Fault
	largest  float64 // of ‖v - v'‖ over what is allowed

	noiseLevel, moveLevel float64 // of the tests of which chance is a part
}

// fact is something public that the mechanism goes by.
type fact struct{ name, value string }

// Release records a query and returns what is released for it: its own Released, or Value
// with noise; on a replay, what was released in the recording. The mechanism must go on
// from what Release returns. The error is of a query that cannot be recorded; return it.
func (s *Session) Release(q Query) ([]float64, error) {
	step := len(s.queries)
	if err := q.validate(); err != nil {
		s.fault(Declaration, step, q.Name, err.Error())
		return nil, fmt.Errorf("record: query %d: %w", step, err)
	}
	q.Value = slices.Clone(q.Value)
	s.checkAlone(step, q)
	if s.before == nil {
		q.Released = s.noisy(q)
		s.queries = append(s.queries, q)
		return slices.Clone(q.Released), nil
	}
	s.queries = append(s.queries, q)
	if step >= len(s.before.queries) {
		s.fault(Dependence, step, q.Name, fmt.Sprintf("the recording has only %d queries", step))
		return s.noisy(q), nil
	}
	then := s.before.queries[step]
	if !s.compare(step, then, q) {
		return s.noisy(q), nil // of another shape: what follows cannot be compared
	}
	return slices.Clone(then.Released), nil
}

// Public notes a fact that the mechanism lets anybody see or that decides what it does: the
// size of an array, a loop's bound, the branch taken. It must not depend on the data.
func (s *Session) Public(name string, value any) {
	f := fact{name, fmt.Sprint(value)}
	at := len(s.facts)
	s.facts = append(s.facts, f)
	if s.before == nil {
		return
	}
	if at >= len(s.before.facts) {
		s.fault(Dependence, -1, "", fmt.Sprintf("public fact %q is not in the recording", name))
	} else if then := s.before.facts[at]; then != f {
		s.fault(Dependence, -1, "", fmt.Sprintf("public fact %q is %s, in the recording %q is %s", f.name, f.value, then.name, then.value))
	}
}

// Output notes values that the mechanism publishes beside its releases. They must be what
// follows from the releases alone, computed by other means, up to a rounding error.
func (s *Session) Output(name string, published, follows []float64, rounding float64) {
	if len(published) != len(follows) {
		s.fault(Output, -1, "", fmt.Sprintf("%s: %d values, of which %d follow from the releases", name, len(published), len(follows)))
		return
	}
	for i, v := range published {
		if !(math.Abs(v-follows[i]) <= rounding) { // NaN is no rounding
			s.fault(Output, -1, "", fmt.Sprintf("%s: value %d is %.9g: the releases give %.9g, up to %.2g of rounding", name, i, v, follows[i], rounding))
			return
		}
	}
}

// noisy returns what is released for a query without a recording.
func (s *Session) noisy(q Query) []float64 {
	if q.Released != nil {
		return slices.Clone(q.Released)
	}
	out := slices.Clone(q.Value)
	for i := range out {
		out[i] += q.NoiseStdDev * s.rng.NormFloat64()
	}
	return out
}

// checkAlone checks what one run shows.
func (s *Session) checkAlone(step int, q Query) {
	if i, ok := finite(q.Value); !ok {
		s.fault(NotFinite, step, q.Name, fmt.Sprintf("Value[%d] is %g", i, q.Value[i]))
	} else if i, ok := finite(q.Released); !ok {
		s.fault(NotFinite, step, q.Name, fmt.Sprintf("Released[%d] is %g", i, q.Released[i]))
	}
	if s.before != nil {
		return // what is declared must be what was declared in the recording
	}
	if detail := checkDeclaredNoise(q); detail != "" {
		s.fault(Noise, step, q.Name, detail)
	}
}

func (s *Session) fault(kind Kind, step int, query, detail string) {
	s.faults = append(s.faults, Fault{Kind: kind, Neighbor: s.neighbor, Step: step, Query: query, Detail: detail})
}
