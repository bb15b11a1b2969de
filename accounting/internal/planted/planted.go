//go:build planted

package planted

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
