package record

import (
	"fmt"
	"math"
)

// rounding is how much further than declared two answers may be apart, relative to their
// sizes and the sensitivity: sums in float32 are right to some 1e-6.
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
