package dptune

import "errors"

// hidden is an error whose cause may tell what a search must hide.
type hidden struct {
	text  string
	cause error
}

// Hidden returns an error that says text, for a Candidate whose run failed in a way that could tell
// how many runs there are, or with which hyper-parameters. errors.Is sees cause, and [UnsafeCause]
// returns it.
func Hidden(text string, cause error) error { return hidden{text, cause} }

func (h hidden) Error() string { return h.text }

// Is reports whether the cause is target.
func (h hidden) Is(target error) bool { return errors.Is(h.cause, target) }

// UnsafeCause returns what an error hides, or the error itself if it hides nothing. It may tell how
// many runs a search had, and of runs that lost: to publish it breaks the guarantee of whatever is
// released from the same draws.
func UnsafeCause(err error) error {
	var h hidden
	if errors.As(err, &h) {
		return h.cause
	}
	return err
}
