//go:build planted

package interval

// planted is the fault in this build. Tests set it.
var planted = noBug
