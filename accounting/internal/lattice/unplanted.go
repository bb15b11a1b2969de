//go:build !planted

package lattice

// planted is the fault in this build: none.
const planted = noBug
