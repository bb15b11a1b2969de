package selection

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certified"
)

// asked returns the accountants that are asked about one run: those that are named, or the
// certified ones if none is. One that prices selections too, package auto's, stands for those
// that it asks about one run.
func asked(named []accounting.Accountant) []accounting.Accountant {
	if len(named) == 0 {
		return []accounting.Accountant{certified.NewAccountant()}
	}
	var all []accounting.Accountant
	for _, a := range named {
		if whole, ok := a.(interface {
			OfOneRun() []accounting.Accountant
		}); ok {
			all = append(all, asked(whole.OfOneRun())...)
		} else {
			all = append(all, a)
		}
	}
	return all
}
