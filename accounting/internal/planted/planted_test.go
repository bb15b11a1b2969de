//go:build planted

// Package planted chooses one of the faults that accounting/selection/testdata/planted.patch puts
// into the searches for prices of selections, for tests of their certificates. Only .ci/planted
// builds it, as if this file were no test.
//
// Some bugs were in this module once. The others flip one comparison, or spoil one amount, in each
// function that makes hulls, bins, corners, lines and cells.
package planted

// Bug is one fault.
type Bug string

// The bugs.
const (
	None Bug = ""

	// In the module once.
	EmptyHull         Bug = "a step to the end of s has an empty hull"
	ProductsUnderflow Bug = "hulls are searched by products that underflow"
	SlopesMovedUp     Bug = "slopes below e^-60 are moved up"
	MeanTooSmall      Bug = "the mean of a law is 10 % too small"
	SuccessLost       Bug = "small chances of success are 0"

	// Flipped, or too small.
	TurnFlipped     Bug = "hull keeps the corners that it should drop"
	BinsUp          Bug = "slopes are moved to the upper slope of the list"
	CornersAbove    Bug = "corners are above the curve"
	BoundsExchanged Bug = "the bounds on a slope are exchanged"
	RisesFlipped    Bug = "g keeps the lines that it should drop"
	RisesSteeper    Bug = "slopes of g are a fifth too large"
	PiecesFlipped   Bug = "pieces of P are left out"
	OffsetsLost     Bug = "lines of P lose a small δ"
	ChordsBelow     Bug = "H is its next value instead of a chord"
	FarStep         Bug = "support of a hull begins one corner late"
	EndExchanged    Bug = "the search returns the end that is not private"
	WeightLost      Bug = "the weight of a Rényi bound is 1"
	RatioTooSmall   Bug = "the largest ratio of f' is 1e-3 too small"

	// Slack that has the wrong sign.
	SlackReversed Bug = "f' is rounded to the wrong side by 1e-9"
	TopReversed   Bug = "values of a are 1e-9 too small"
	SumReversed   Bug = "the sum of a price is 1e-9 too small"
)

var bug Bug

// Plant replaces the fault of this build. It must not be called while a price is computed.
func Plant(b Bug) { bug = b }

// Is reports whether b is the fault of this build.
func Is(b Bug) bool { return bug == b }

// Bugs returns all faults.
func Bugs() []Bug {
	return []Bug{
		EmptyHull, ProductsUnderflow, SlopesMovedUp, MeanTooSmall, SuccessLost,
		TurnFlipped, BinsUp, CornersAbove, BoundsExchanged, RisesFlipped, RisesSteeper, PiecesFlipped, OffsetsLost, ChordsBelow, FarStep, EndExchanged, WeightLost, RatioTooSmall,
		SlackReversed, TopReversed, SumReversed,
	}
}
