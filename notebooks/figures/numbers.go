package figures

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Numbers is a list of float64 whose JSON form survives infinities and NaN: they are written as the
// strings "+Inf", "-Inf" and "NaN", finite numbers as JSON numbers with all their digits.
type Numbers []float64

// MarshalJSON writes the list.
func (n Numbers) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("null"), nil
	}
	out := []byte{'['}
	for i, v := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendNumber(out, v)
	}
	return append(out, ']'), nil
}

// UnmarshalJSON reads the list.
func (n *Numbers) UnmarshalJSON(data []byte) error {
	var items []Number
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	*n = nil
	for _, v := range items {
		*n = append(*n, float64(v))
	}
	return nil
}

// Number is one float64 with the JSON form of Numbers.
type Number float64

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n)), nil }

// UnmarshalJSON reads a JSON number or one of "+Inf", "-Inf", "NaN".
func (n *Number) UnmarshalJSON(data []byte) error {
	var text string
	if len(data) > 0 && data[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		switch text {
		case "+Inf":
			*n = Number(math.Inf(1))
		case "-Inf":
			*n = Number(math.Inf(-1))
		case "NaN":
			*n = Number(math.NaN())
		default:
			return fmt.Errorf("figures: number %q: must be a number, \"+Inf\", \"-Inf\" or \"NaN\"", text)
		}
		return nil
	}
	v, err := strconv.ParseFloat(string(data), 64)
	if err != nil {
		return fmt.Errorf("figures: number %s: must be a JSON number", data)
	}
	*n = Number(v)
	return nil
}

func appendNumber(out []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.AppendQuote(out, formatNumber(v))
	}
	return strconv.AppendFloat(out, v, 'g', -1, 64)
}

// formatNumber returns the shortest text that reads back as v, with "+Inf", "-Inf" and "NaN".
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

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
