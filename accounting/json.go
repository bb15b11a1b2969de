package accounting

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

type intervalJSON struct {
	Lower    *jsonNumber `json:"lower"`
	Estimate *jsonNumber `json:"estimate"`
	Upper    *jsonNumber `json:"upper"`
}

// MarshalJSON writes {"lower":..,"estimate":..,"upper":..}. What the method does not
// give is null, and an infinite value is the string "Infinity" or "-Infinity".
func (i Interval) MarshalJSON() ([]byte, error) {
	out := intervalJSON{Upper: (*jsonNumber)(&i.Upper)}
	if i.HasLower {
		out.Lower = (*jsonNumber)(&i.Lower)
	}
	if i.HasEstimate {
		out.Estimate = (*jsonNumber)(&i.Estimate)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes. An interval without an upper end, or with
// its ends out of order, is an error.
func (i *Interval) UnmarshalJSON(text []byte) error {
	var in intervalJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	if in.Upper == nil {
		return errors.New("accounting: interval.upper is missing: must be a number or \"Infinity\"")
	}
	read := Interval{Upper: float64(*in.Upper)}
	if in.Lower != nil {
		read.Lower, read.HasLower = float64(*in.Lower), true
	}
	if in.Estimate != nil {
		read.Estimate, read.HasEstimate = float64(*in.Estimate), true
	}
	if read.HasLower && read.Lower > read.Upper {
		return fmt.Errorf("accounting: interval.lower %g: must be <= upper, %g", read.Lower, read.Upper)
	}
	*i = read
	return nil
}

type guaranteeJSON struct {
	Epsilon     Interval    `json:"epsilon"`
	Delta       float64     `json:"delta"`
	Neighboring Neighboring `json:"neighboring"`
	Method      string      `json:"method"`
	Warnings    []string    `json:"warnings,omitempty"`
}

// MarshalJSON writes {"epsilon":{..},"delta":..,"neighboring":"..","method":".."}, and
// "warnings" as strings if there are any.
func (g Guarantee) MarshalJSON() ([]byte, error) {
	out := guaranteeJSON{Epsilon: g.Epsilon, Delta: g.Delta, Neighboring: g.Neighboring, Method: g.Method}
	for _, w := range g.Warnings {
		out.Warnings = append(out.Warnings, w.Error())
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes. Warnings come back as plain errors.
func (g *Guarantee) UnmarshalJSON(text []byte) error {
	var in guaranteeJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*g = Guarantee{Epsilon: in.Epsilon, Delta: in.Delta, Neighboring: in.Neighboring, Method: in.Method}
	for _, w := range in.Warnings {
		g.Warnings = append(g.Warnings, errors.New(w))
	}
	return nil
}

// jsonNumber is a float64 that may be infinite in JSON, as a string.
type jsonNumber float64

func (x jsonNumber) MarshalJSON() ([]byte, error) {
	switch {
	case math.IsInf(float64(x), 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(float64(x), -1):
		return []byte(`"-Infinity"`), nil
	}
	return json.Marshal(float64(x)) // NaN is an error
}

func (x *jsonNumber) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"Infinity"`:
		*x = jsonNumber(math.Inf(1))
		return nil
	case `"-Infinity"`:
		*x = jsonNumber(math.Inf(-1))
		return nil
	}
	var value float64
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("accounting: interval end %s: must be a number, \"Infinity\" or \"-Infinity\"", text)
	}
	*x = jsonNumber(value)
	return nil
}
