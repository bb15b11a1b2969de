package accounting_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

func TestInterval(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		interval accounting.Interval
		width    float64
		text     string
		json     string
	}{
		{accounting.UpperBound(2.5), inf, "<= 2.5", `{"lower":null,"estimate":null,"upper":2.5}`},
		{accounting.UpperBound(1.23456789), inf, "<= 1.23457", `{"lower":null,"estimate":null,"upper":1.23456789}`},
		{accounting.UpperBound(1.23456123), inf, "<= 1.23457", `{"lower":null,"estimate":null,"upper":1.23456123}`},
		{accounting.UpperBound(inf), inf, "<= +Inf", `{"lower":null,"estimate":null,"upper":"Infinity"}`},
		{accounting.Certified(1, 1.5, 3), 2, "in [1, 3]", `{"lower":1,"estimate":1.5,"upper":3}`},
		{accounting.Certified(1.00000000077, 1.5, 1.50000000011), 0.5, "in [1, 1.50000001]", `{"lower":1.00000000077,"estimate":1.5,"upper":1.50000000011}`},
		{accounting.Exact(4), 0, "in [4, 4]", `{"lower":4,"estimate":4,"upper":4}`},
		{accounting.Exact(inf), 0, "in [+Inf, +Inf]", `{"lower":"Infinity","estimate":"Infinity","upper":"Infinity"}`},
		{accounting.Certified(-inf, -3, -1), inf, "in [-Inf, -1]", `{"lower":"-Infinity","estimate":-3,"upper":-1}`},
		{accounting.Certified(1, 1.5, 3).WithLower(0.5), 2.5, "in [0.5, 3]", `{"lower":0.5,"estimate":1.5,"upper":3,"lower_checked":true}`},
		{accounting.UpperBound(3).WithLower(2), 1, "in [2, 3]", `{"lower":2,"estimate":null,"upper":3,"lower_checked":true}`},
		{accounting.Certified(1, 1.5, 3).WithUpper(4), 3, "in [1, 4]", `{"lower":1,"estimate":1.5,"upper":4}`},
		{accounting.UpperBound(3).WithUpper(4), inf, "<= 4", `{"lower":null,"estimate":null,"upper":4}`},
	} {
		if got := c.interval.Width(); math.Abs(got-c.width) > 1e-8 {
			t.Errorf("width of %v = %g, want %g", c.interval, got, c.width)
		}
		if got := c.interval.String(); got != c.text {
			t.Errorf("%#v reads %q, want %q", c.interval, got, c.text)
		}
		text, err := json.Marshal(c.interval)
		if err != nil || string(text) != c.json {
			t.Errorf("JSON of %v = %s, %v, want %s", c.interval, text, err, c.json)
		}
		var back accounting.Interval
		if err := json.Unmarshal(text, &back); err != nil || back != c.interval {
			t.Errorf("JSON %s reads as %#v, %v, want %#v", text, back, err, c.interval)
		}
	}
}

func TestIntervalOutOfOrder(t *testing.T) {
	nan := math.NaN()
	for _, ends := range [][3]float64{{2, 1, 3}, {1, 4, 3}, {3, 2, 1}, {nan, 1, 2}, {1, nan, 2}, {1, 2, nan}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Certified(%v): no panic", ends)
				}
			}()
			accounting.Certified(ends[0], ends[1], ends[2])
		}()
	}
}

func TestIntervalBadJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"upper":null}`, `{"upper":"much"}`, `{"lower":3,"upper":2}`, `[1,2]`, `{"upper":`, `{"lower":{},"upper":1}`, `{"upper":1,"lower_checked":true}`, `{"lower":0,"upper":1,"lower_checked":"yes"}`,
	} {
		var i accounting.Interval
		if err := json.Unmarshal([]byte(text), &i); err == nil {
			t.Errorf("%s reads as %#v, want an error", text, i)
		}
	}
	if text, err := json.Marshal(accounting.UpperBound(math.NaN())); err == nil {
		t.Errorf("NaN written as %s, want an error", text)
	}
}

func TestGuaranteeJSON(t *testing.T) {
	g := accounting.Guarantee{
		Epsilon: accounting.UpperBound(1.5), Delta: 1e-5, Neighboring: accounting.AddOrRemoveOne, Method: "RDP",
		Warnings: []error{errors.New("the order is the last")},
	}
	text, err := json.Marshal(g)
	want := `{"epsilon":{"lower":null,"estimate":null,"upper":1.5},"delta":0.00001,"neighboring":"add-or-remove-one","method":"RDP","warnings":["the order is the last"]}`
	if err != nil || string(text) != want {
		t.Errorf("JSON = %s, %v, want %s", text, err, want)
	}
	var back accounting.Guarantee
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, g) {
		t.Errorf("reads back as %#v, %v, want %#v", back, err, g)
	}
	if err := json.Unmarshal([]byte(strings.Replace(want, "add-or", "add-and", 1)), &back); err == nil {
		t.Error("an unknown relation: no error")
	}
	if text, err := json.Marshal(accounting.Guarantee{}); err == nil {
		t.Errorf("a guarantee without a relation written as %s, want an error", text)
	}
}

func FuzzIntervalJSON(f *testing.F) {
	f.Add([]byte(`{"lower":1,"estimate":1.5,"upper":"Infinity"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var i, back accounting.Interval
		if json.Unmarshal(text, &i) != nil {
			return
		}
		written, err := json.Marshal(i)
		if err != nil || json.Unmarshal(written, &back) != nil || back != i {
			t.Errorf("%s reads as %#v, written as %s, %v, read again as %#v", text, i, written, err, back)
		}
	})
}
