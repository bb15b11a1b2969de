package rdp_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/rdp"
)

func TestAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return rdp.NewAccountant() })
}

func TestClassicAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return rdp.Accountant{Conversion: rdp.Classic} })
}
