package experiments

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestFloatsKeepTheirBits(t *testing.T) {
	quiet := math.Float32frombits(0x7fc00123) // not a number, with a payload
	want := Floats{0, float32(math.Copysign(0, -1)), 1, -2.5, math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), quiet}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Floats
	if err := json.Unmarshal(text, &got); err != nil || len(got) != len(want) {
		t.Fatalf("%v, %v", got, err)
	}
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Errorf("number %d: bits %x, want %x", i, math.Float32bits(got[i]), math.Float32bits(want[i]))
		}
	}
}

// Wanted: Python 3.11, base64.b64encode(struct.pack("<3f", 1, -2.5, 0.1)).
func TestFloatsAreLittleEndianBase64(t *testing.T) {
	const want = `"AACAPwAAIMDNzMw9"`
	if text, err := json.Marshal(Floats{1, -2.5, 0.1}); err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	var back Floats
	if err := json.Unmarshal([]byte(want), &back); err != nil || len(back) != 3 || back[2] != 0.1 {
		t.Errorf("%v, %v", back, err)
	}
	text, err := json.Marshal(make(Floats, 5000))
	if want := (4*5000+2)/3*4 + 2; err != nil || len(text) != want { // four letters for three bytes, and the quotes
		t.Errorf("5,000 numbers take %d bytes, %v, want %d", len(text), err, want)
	}
}

func TestFloatsRefuseWhatIsNone(t *testing.T) {
	for text, want := range map[string]string{`"AACA"`: "four of each", `"?"`: "illegal base64", `[1]`: "floats", `3`: "floats", `"AACAPw="`: "illegal base64"} {
		var f Floats
		if err := json.Unmarshal([]byte(text), &f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error that says %q", text, err, want)
		}
	}
	for _, text := range []string{`""`, `null`} {
		f := Floats{1}
		if err := json.Unmarshal([]byte(text), &f); err != nil || len(f) != 0 {
			t.Errorf("%s: %v, %v, want none", text, f, err)
		}
	}
}
