//go:build !planted

package planted

// Is reports whether b is the fault of this build. There is none.
func Is(Bug) bool { return false }
