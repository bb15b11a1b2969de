package accounting

// Accountant turns an event into a guarantee. An Accountant has no state: composition
// is part of the event. Every implementation passes accountingtest.Run.
type Accountant interface {
	// Name is the short name of the method, for instance "RDP".
	Name() string
	// Neighboring is the relation that all answers are about.
	Neighboring() Neighboring
	// EpsilonAt returns what is known of ε at delta in (0, 1). An event without a finite
	// ε has Epsilon.Upper = +Inf, which is an answer. An event of an unknown type is an
	// error that wraps ErrUnsupportedEvent.
	EpsilonAt(event Event, delta float64) (Guarantee, error)
	// DeltaAt returns what is known of δ, in [0, 1], at epsilon >= 0.
	DeltaAt(event Event, epsilon float64) (Interval, error)
}
