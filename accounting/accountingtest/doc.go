// Package accountingtest has the tests that every accounting.Accountant must pass.
//
// An accountant need not know every event. Events that it refuses with ErrUnsupportedEvent are
// skipped. Only the plain Gaussian must be known to all.
//
//	func TestAccountant(t *testing.T) {
//		accountingtest.Run(t, func() accounting.Accountant { return rdp.NewAccountant() })
//	}
//
// It promises nothing to other modules.
package accountingtest
