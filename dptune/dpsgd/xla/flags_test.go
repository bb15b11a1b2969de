//go:build cgo && linux

package xla

import "testing"

// A flag that the user has set stays as it is, and an unknown folder adds nothing.
func TestFlagsOfCUDA(t *testing.T) {
	values := map[string]string{"xla_a": "false", "xla_b": "", "xla_c": "/x"}
	for flags, want := range map[string]string{
		"":                       "--xla_a=false --xla_c=/x",
		"--xla_a=true":           "--xla_a=true --xla_c=/x",
		"--other=1 --xla_c=/own": "--other=1 --xla_c=/own --xla_a=false",
	} {
		if got := withFlags(flags, values); got != want {
			t.Errorf("flags %q become %q, want %q", flags, got, want)
		}
	}
}
