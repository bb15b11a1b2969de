package interval

// bug is a fault that builds with the tag "planted" can have, for the tests of the tests.
type bug int

const (
	noBug              bug = iota
	upGoesDown             // Up steps down
	functionsAsTheyAre     // results of package math are not widened
	halfPiCut              // π/2 has 29 bits
	errorsLost             // a Sum leaves out its rounding errors
	productsExact          // a product of balls leaves out its rounding error
)
