//go:build planted

package lattice

// planted is the fault in this build. Tests set it.
var planted = noBug
