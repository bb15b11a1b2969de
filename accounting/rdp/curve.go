package rdp

// Curve is the Rényi divergence, in nats, of one mechanism as a function of its order:
// an upper bound, for both directions of the neighboring relation, at every real order > 1.
// +Inf is a truthful value ("no bound at this order"); NaN is not allowed.
//
// A Curve may be slow away from the integers; callers that search over orders should
// evaluate it once per order and keep what they get.
type Curve func(order float64) float64
