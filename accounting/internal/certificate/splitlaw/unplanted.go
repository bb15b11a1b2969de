//go:build !planted

package splitlaw

// planted is the fault in this build: none.
const planted = noBug
