package check

import (
	"errors"
	"fmt"
	"testing"
)

// Each name stands once in a line, and errors.Is finds what was wrapped.
func TestErrorfSaysEachNameOnce(t *testing.T) {
	bad := errors.New("bad")
	for _, c := range []struct {
		inner error
		want  string
	}{
		{fmt.Errorf("accounting: delta 3: %w", bad), "accounting: at 1: delta 3: bad"},
		{fmt.Errorf("auto: accounting: delta 3: %w", bad), "accounting: at 1: auto: delta 3: bad"},
		{fmt.Errorf("rdp: no\npld: no\nrdp: %w", bad), "accounting: at 1: rdp: no\npld: no\nrdp: bad"},
		{fmt.Errorf("Delta 3: %w", bad), "accounting: at 1: Delta 3: bad"},
	} {
		if err := Errorf("accounting: at %d: %w", 1, c.inner); err.Error() != c.want || !errors.Is(err, bad) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
