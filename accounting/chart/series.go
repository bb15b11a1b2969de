package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/dplab/dplab/accounting"
)

// Series is a list of float64 whose JSON form keeps infinities and NaN, as the strings "Infinity",
// "-Infinity" and "NaN". Finite numbers are JSON numbers with all their digits.
type Series []float64

// MarshalJSON writes the list.
func (s Series) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	out := []byte{'['}
	for i, v := range s {
		if i > 0 {
			out = append(out, ',')
		}
		text, err := Number(v).MarshalJSON()
		if err != nil {
			return nil, err
		}
		out = append(out, text...)
	}
	return append(out, ']'), nil
}

// UnmarshalJSON reads the list.
func (s *Series) UnmarshalJSON(data []byte) error {
	var items []Number
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	*s = nil
	for _, v := range items {
		*s = append(*s, float64(v))
	}
	return nil
}

// Number is one float64 with the JSON form of Series.
type Number float64

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) {
	switch v := float64(n); {
	case math.IsNaN(v):
		return []byte(`"NaN"`), nil
	case math.IsInf(v, 0):
		return accounting.Number(v).MarshalJSON()
	default:
		return []byte(Exact(v)), nil
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == `"NaN"` {
		*n = Number(math.NaN())
		return nil
	}
	var v accounting.Number
	if err := v.UnmarshalJSON(data); err != nil {
		return fmt.Errorf("chart: number %s: must be a number, \"Infinity\", \"-Infinity\" or \"NaN\"", data)
	}
	*n = Number(v)
	return nil
}

// Round returns v with the given number of significant digits. Infinities and NaN stay.
func Round(v float64, digits int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v // beyond the largest float64 after rounding up
	}
	return r
}
