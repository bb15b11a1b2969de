// Package accountingtest is the contract that every accounting.Accountant passes.
//
// An accountant need not know every event: what it refuses with ErrUnsupportedEvent is
// skipped, save the plain Gaussian, which all must know.
//
//	func TestAccountant(t *testing.T) {
//		accountingtest.Run(t, func() accounting.Accountant { return rdp.NewAccountant() })
//	}
package accountingtest
