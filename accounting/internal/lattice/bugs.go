package lattice

// bug is a fault that builds with the tag "planted" can have, for the tests of the tests.
type bug int

const (
	noBug bug = iota
	missingLost
	trimmedLost
	relativeLost
	missingBelievedAbsent
	relativeBelievedExact
	worldsExchanged
	coarserLosesOver
	underflowKept
	factorLost
	valuesMisaligned
	oneTooFew
	oneTooMany
	lastBug
)
