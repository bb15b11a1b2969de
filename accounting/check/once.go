package check

import (
	"fmt"
	"regexp"
	"strings"
)

// Errorf is fmt.Errorf for an error that wraps another one. It writes each package name before the
// message once, as in "accounting: calibration at 1: delta 3: must be in (0, 1)", where both errors
// begin with "accounting: ". The wrapped error stays.
func Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	text := err.Error()
	if cleared := once(text); cleared != text {
		return renamed{err, cleared}
	}
	return err
}

// Worded returns an error that wraps err and has another text. It is for a sentinel whose text does
// not fit the case.
func Worded(err error, format string, args ...any) error {
	return renamed{err, fmt.Sprintf(format, args...)}
}

// renamed is an error with another text.
type renamed struct {
	error
	text string
}

// Error returns the text.
func (e renamed) Error() string { return e.text }

// Unwrap returns the error.
func (e renamed) Unwrap() error { return e.error }

// name is a package name before a message.
var name = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// once drops repeated names of a line.
func once(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		var kept []string
		seen := map[string]bool{}
		parts := strings.Split(line, ": ")
		for j, part := range parts {
			if j < len(parts)-1 && name.MatchString(part) {
				if seen[part] {
					continue
				}
				seen[part] = true
			}
			kept = append(kept, part)
		}
		lines[i] = strings.Join(kept, ": ")
	}
	return strings.Join(lines, "\n")
}
