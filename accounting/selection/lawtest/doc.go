// Package lawtest is the contract that every law of the number of runs passes, in this module or
// in a package of your own.
//
//	func TestLaw(t *testing.T) {
//		lawtest.Run(t, zipf{Most: 100, Exponent: 1.5})
//	}
//
// It holds a law to its chances: moments, generating functions and ranks are sums over them, draws
// follow them, a price covers every order of the outputs of a small pair, and JSON gives the law
// back.
package lawtest
