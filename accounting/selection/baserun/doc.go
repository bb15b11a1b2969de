// Package baserun has all that is known of one run of a selection: its Rényi curve, and bounds on
// its privacy profile. Package selection and the packages next to it compute prices from it.
//
//	run, err := baserun.New(event)                  // by all accountants of this module
//	run, err := baserun.New(event, rdp.NewAccountant()) // by its Rényi curve only
//	run := baserun.Run{Name: "mine", Curve: curve}  // by hand
//
// New knows runs under AddOrRemoveOne. For another relation make the run by hand, with its
// Neighboring and the curve of rdp.Accountant.CurveOf.
//
// A Run has Sources: one for each profile, and one for the family of profiles that the curve
// implies. A Source returns δ at an ε, ε at a δ, and the constant of a law of the number of runs.
// Source.Around lists its values around the ε that matters.
//
// It promises nothing to other modules.
package baserun
