//go:build planted

package splitlaw

// planted is the fault in this build. Tests set it.
var planted = noBug
