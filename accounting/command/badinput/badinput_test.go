package badinput

import "testing"

func TestRepeated(t *testing.T) {
	for message, want := range map[string]string{
		"accounting: accounting: delta 3: must be in (0, 1)":           "accounting: ",
		"dpcost: plan x.json: accounting: calibration: accounting: no": "accounting: ",
		"dpsgd: with 1e-9 of δ: accounting: delta 3: must":             "",
		"rdp: unknown\npld: unknown\nrdp: unknown":                     "",
		"": "",
	} {
		if got := Repeated(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
