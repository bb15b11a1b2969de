package experiments

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// Floats is a list of numbers with a short JSON form: a string, the base64 of their bytes, four
// each, the lowest first. 5,000 scores are 27 kB. All bits are kept, also those of infinities and
// NaN.
type Floats []float32

// FloatsOf returns numbers in the form in which they are stored.
func FloatsOf(numbers []float64) Floats {
	out := make(Floats, len(numbers))
	for i, x := range numbers {
		out[i] = float32(x)
	}
	return out
}

// MarshalJSON writes the string.
func (f Floats) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, 4*len(f))
	for _, v := range f {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return json.Marshal(raw) // package json writes bytes as base64
}

// UnmarshalJSON reads the string.
func (f *Floats) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("experiments: floats: %w", err)
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("experiments: floats: %w", err)
	}
	if len(raw)%4 != 0 {
		return fmt.Errorf("experiments: floats: %d bytes: must be four of each number", len(raw))
	}
	*f = make(Floats, len(raw)/4)
	for i := range *f {
		(*f)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}
