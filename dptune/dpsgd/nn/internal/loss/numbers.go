package loss

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ValidateFinite returns an error for the first number that is not finite.
func ValidateFinite(name string, values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s[%d] is %g: must be finite", name, i, v)
		}
	}
	return nil
}

// BytesOf returns numbers as bytes, eight for each.
func BytesOf(values []float64) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, values) // never fails for floats
	return b
}
