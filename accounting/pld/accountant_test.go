package pld_test

import (
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/pld"
)

func TestAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return pld.Accountant{Width: 0.05, MaxGrid: 1 << 13} })
}
