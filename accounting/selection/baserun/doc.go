// Package baserun has what is known of one run of a selection: its Rényi curve, and bounds on its
// privacy profile. Package selection and the packages next to it make prices of it.
//
//	run, err := baserun.New(event)                  // by all accountants of this module
//	run, err := baserun.New(event, rdp.NewAccountant()) // by its Rényi curve only
//	run := baserun.Run{Name: "mine", Curve: curve}  // by hand
//
// A Run has Sources: one for each profile, and one for the family of profiles that the curve
// implies. A source answers with the δ of an ε, the ε of a δ, and the constant that it allows a law
// of the number of runs. Around lists its values about the ε that matters.
package baserun
