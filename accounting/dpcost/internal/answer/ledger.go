package answer

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/ledger"
)

// Ledger is what a file of releases has spent, and what is left.
type Ledger struct {
	Head     ledger.Head        `json:"-"`
	Data     string             `json:"data"`
	Plan     string             `json:"plan"`
	Filter   string             `json:"filter,omitempty"`
	Theorem  string             `json:"theorem,omitempty"` // of the filter
	Budget   float64            `json:"budget_epsilon"`
	Share    *accounting.Number `json:"filter_share,omitempty"` // of the filter's constant, taken
	Noise    *accounting.Number `json:"left_as_noise_multiplier,omitempty"`
	Releases []LedgerLine       `json:"releases"`
	Sum      string             `json:"last_hash"`
}

// LedgerLine is one release.
type LedgerLine struct {
	Date      string `json:"date"`
	Note      string `json:"note,omitempty"`
	Mechanism string `json:"mechanism"`
}

// OfLedger prices a file. Under a filter the price is that of all releases that ever fit. withLeft
// asks for the noise of one Gaussian release that still fits.
func OfLedger(l *ledger.Ledger, withLeft bool) (Report, error) {
	a := Ledger{Head: l.Head, Data: l.Data, Plan: l.Plan(), Filter: string(l.Filter), Theorem: l.Filter.Theorem(), Budget: l.Budget.Epsilon, Releases: []LedgerLine{}, Sum: l.Sum}
	for _, r := range l.Releases {
		a.Releases = append(a.Releases, LedgerLine{r.Date, r.Note, r.Event.String()})
	}
	accountant, err := auto.NewAccountantFor(l.Neighboring)
	if err != nil {
		return Report{}, err
	}
	r := Report{Guarantee: accounting.Guarantee{Epsilon: accounting.Exact(0), Delta: l.Budget.Delta, Neighboring: l.Neighboring, Method: "nothing was released"}}
	if event := l.Event(); event != nil {
		if r, err = price(accountant, event, l.Budget.Delta); err != nil {
			return Report{}, err
		}
	}
	r.LargeDelta, r.Ledger = LargeDelta(l.Budget.Delta, nil), &a
	if l.Filter != ledger.Fixed {
		share, err := l.Share()
		if err != nil {
			r.Warnings = append(r.Warnings, err.Error())
		}
		a.Share = (*accounting.Number)(&share)
		r.Guarantee.Epsilon = accounting.UpperBound(r.Guarantee.Epsilon.Upper) // the releases may cost less than the whole
	}
	if withLeft {
		noise, err := SolveLedger(l, input.SolveNoise, func(noise float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: noise} }, l.Budget.Delta)
		if err == nil {
			a.Noise = (*accounting.Number)(&noise)
		}
	}
	return r, nil
}

// SolveLedger returns the least noise, or the largest number of steps or releases, such that one
// more release fits. event gets that number. delta is what the release takes under the filter zcdp.
// If nothing fits, the error wraps accounting.ErrNoBracket.
func SolveLedger(l *ledger.Ledger, what string, event func(x float64) accounting.Event, delta float64) (float64, error) {
	accountant, err := l.Accountant(delta)
	if err != nil {
		return math.Inf(1), err
	}
	if what == input.SolveNoise {
		return auto.CalibrateNoiseMultiplier(func(x float64) accounting.Event { return l.Then(event(x)) }, l.Budget, accountant)
	}
	n, err := auto.CalibrateSteps(func(n int) accounting.Event { return l.Then(event(float64(n))) }, l.Budget, flags.MaxCount, accountant)
	return float64(n), err
}

// LedgerStatement returns the guarantee of a file with what it rests on. unit is what one record
// is.
func LedgerStatement(r Report, unit string) accounting.Statement {
	a, count := r.Ledger, "the one release"
	if n := len(r.Ledger.Releases); n != 1 {
		count = fmt.Sprintf("the %d releases", n)
	}
	s := accounting.Statement{
		Guarantee: r.Guarantee, Unit: unit, Mechanism: r.Mechanism, Theorem: r.Bounds[0].Theorem,
		Subject: fmt.Sprintf("%s on %q that the ledger with last hash %.12s lists", count, a.Data, a.Sum),
		Assumptions: []string{
			"every release on these data is in the ledger, and ran as its event states",
			"neither a parameter of a release nor their number was chosen by looking at the data or at an answer (plan: fixed)",
		},
		NotCovered: []string{
			"releases that are not in the ledger", "several records together: anyone who contributed several is protected less",
			"rounding and truncation of the noise by the programs that drew it", "the running time",
		},
	}
	if a.Share != nil {
		s.Theorem, s.Mechanism = a.Theorem, fmt.Sprintf("the filter %s with the constant %.5g", a.Filter, a.Head.Constant)
		if a.Head.Order > 0 {
			s.Mechanism += fmt.Sprintf(" at order %.5g", a.Head.Order)
		}
		s.Subject += ", with all that are added while they fit,"
		s.Assumptions[1] = "each release was added before it ran, and ended before the next was chosen; parameters may depend on earlier answers (plan: adaptive)"
	}
	for _, w := range r.Warnings {
		s.Warnings = append(s.Warnings, errors.New(w))
	}
	return s
}
