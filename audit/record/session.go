package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// Query is one noisy answer about the data.
type Query struct {
	Name        string
	Sensitivity float64          // declared: largest L2 move of Value by one added or removed example; > 0
	Value       []float64        // exact answer; not released
	NoiseStdDev float64          // of the noise on each coordinate, > 0
	Spend       accounting.Event // what is accounted for this query; of a step of a random allocation, all of its event

	// Released is the release of a mechanism that adds the noise itself. If nil, the session adds it.
	Released []float64
}

// validate returns every fault of the query's declarations, joined.
func (q Query) validate() error {
	f := check.In("Query.")
	f.That(q.Name != "", "Name", `""`, "must not be empty")
	f.Number("Sensitivity", q.Sensitivity, check.Positive)
	f.Number("NoiseStdDev", q.NoiseStdDev, check.Positive)
	f.That(len(q.Value) > 0, "Value", q.Value, "must not be empty")
	f.That(q.Released == nil || len(q.Released) == len(q.Value), "Released", fmt.Sprintf("of length %d", len(q.Released)),
		fmt.Sprintf("must have %d values, as Value", len(q.Value)))
	f.That(q.Spend != nil, "Spend", "is nil", "must be an event: nothing is free")
	if q.Spend != nil {
		f.Add(q.Spend.Validate())
	}
	return f.Err()
}

// finite reports whether no value is NaN or infinite, and returns the index of the first that is.
func finite(values []float64) (bad int, ok bool) {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return i, false
		}
	}
	return 0, true
}

// Session answers the queries of a mechanism during one run.
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

	noiseLevel, moveLevel float64 // of the tests that depend on chance
}

// fact is something public that decides what the mechanism does.
type fact struct{ name, value string }

// Release records a query and returns its release. That is its own Released, or Value with noise.
// On a replay it is the release of the recording. The mechanism must go on from what Release
// returns. A query that cannot be recorded is an error; return it.
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
		return s.noisy(q), nil // of another shape: later queries cannot be compared
	}
	return slices.Clone(then.Released), nil
}

// Public notes a fact that the mechanism shows to anybody or that decides what it does: the size of
// an array, a loop's bound, the branch taken. It must not depend on the data.
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

// Output notes values that the mechanism publishes next to its releases. They must equal follows,
// up to a rounding error. follows is computed only from the releases, by other means.
func (s *Session) Output(name string, published, follows []float64, rounding float64) {
	if len(published) != len(follows) {
		s.fault(Output, -1, "", fmt.Sprintf("%s: %d values: must be %d, as many as follow from the releases", name, len(published), len(follows)))
		return
	}
	for i, v := range published {
		if !(math.Abs(v-follows[i]) <= rounding) { // NaN is not a rounding error
			s.fault(Output, -1, "", fmt.Sprintf("%s: value %d is %.9g: the releases give %.9g, up to %.2g of rounding", name, i, v, follows[i], rounding))
			return
		}
	}
}

// noisy returns the release of a query without a recording.
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

// checkAlone checks what one run shows by itself.
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

// rounding is how much further than declared two answers may be apart, relative to their sizes and
// the sensitivity. Sums in float32 are right to about 1e-6.
const rounding = 1e-5

// compare checks a query of a replay against the recording. It returns false if their
// shapes differ.
func (s *Session) compare(step int, then, now Query) bool {
	for _, part := range []struct {
		name      string
		then, now any
	}{
		{"Name", then.Name, now.Name},
		{"Sensitivity", then.Sensitivity, now.Sensitivity},
		{"NoiseStdDev", then.NoiseStdDev, now.NoiseStdDev},
		{"Spend", fmt.Sprintf("%#v", then.Spend), fmt.Sprintf("%#v", now.Spend)},
		{"number of values", len(then.Value), len(now.Value)},
	} {
		if part.then != part.now {
			s.fault(Dependence, step, now.Name, fmt.Sprintf("%s is %v, in the recording %v", part.name, part.now, part.then))
		}
	}
	if len(then.Value) != len(now.Value) {
		return false
	}
	moved, size := 0.0, 0.0
	for i, v := range now.Value {
		moved = math.Hypot(moved, v-then.Value[i])
		size = math.Hypot(size, v)
	}
	if math.IsNaN(moved) || math.IsInf(moved, 0) {
		return true // reported as not finite
	}
	slack := rounding * (size + then.Sensitivity)
	s.moved[step] = moved > slack
	if s.allowed == 0 { // the same data
		if moved > slack {
			s.fault(Randomness, step, now.Name, fmt.Sprintf("the answer moved by %.6g though the data are the same", moved))
		}
		return true
	}
	allowed := s.allowed * then.Sensitivity
	s.largest = max(s.largest, moved/allowed)
	if moved > allowed+slack {
		s.fault(Sensitivity, step, now.Name, fmt.Sprintf("the answer moved by %.6g: declared is at most %g", moved, allowed))
	}
	return true
}
