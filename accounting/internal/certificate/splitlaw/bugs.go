package splitlaw

// bug is a fault that builds with the tag "planted" can have, for the tests of the tests.
type bug int

const (
	noBug bug = iota
	nearestPoint
	lowTailLost
	highTailLost
	weightsExchanged
	zeroLost
	zeroOfProductLost
	infiniteLost
	infiniteOfProductLost
	coarserLosesMass
	firstTailsLost
	roundingLost
	underflowLost
	mixedZeroLost
	mixedInfiniteLost
	doubledOnceMore
	onlyRemove
	nextMassOfCurve
	curveWithoutZero
	lastBug
)
