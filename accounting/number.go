package accounting

import (
	"encoding/json"
	"fmt"
	"math"
)

// Number is a float64 whose JSON may be infinite: then it is the string "Infinity" or "-Infinity". NaN is an error.
type Number float64

// MarshalJSON writes the number with all its digits.
func (x Number) MarshalJSON() ([]byte, error) {
	switch {
	case math.IsInf(float64(x), 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(float64(x), -1):
		return []byte(`"-Infinity"`), nil
	}
	return json.Marshal(float64(x)) // NaN is an error
}

// UnmarshalJSON reads what MarshalJSON writes.
func (x *Number) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"Infinity"`:
		*x = Number(math.Inf(1))
		return nil
	case `"-Infinity"`:
		*x = Number(math.Inf(-1))
		return nil
	}
	var value float64
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("accounting: number %s: must be a number, \"Infinity\" or \"-Infinity\"", text)
	}
	*x = Number(value)
	return nil
}
