// Package lawtest has the tests that every law of the number of runs must pass, in this module or
// in your own package.
//
//	func TestLaw(t *testing.T) {
//		lawtest.Run(t, zipf{Most: 100, Exponent: 1.5})
//	}
//
// It compares a law with its chances. Moments, generating functions and ranks must equal sums over
// them, and draws must follow them. A price must cover every order of the outputs of a small pair.
// JSON must return the same law.
package lawtest
