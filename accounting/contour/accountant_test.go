package contour

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
)

func TestAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return NewAccountant() })
}
