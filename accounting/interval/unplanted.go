//go:build !planted

package interval

// planted is the fault in this build: none.
const planted = noBug
