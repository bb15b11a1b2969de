package dptune

import (
	"cmp"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Budget is the limits of a search.
type Budget struct {
	RunTime    time.Duration // of one run; 0 if it is not known. See candidate.DPSGD.Time.
	MaxRuns    int           // the most runs that there is time for; 0 means no limit
	TailChance float64       // of more runs than planned, in (0, 1); 0 is 0.001
}

// Planned is the expected cost of a search, from its law only. Everything may be published except
// the times, which may reveal the number of records to anyone who knows the machine.
type Planned struct {
	Statement  accounting.Statement
	Choices    int     // values of the prior; 0 if they cannot be listed
	NoRun      float64 // chance that there is none, and the default is released
	MeanRuns   float64 // E[K]
	MaxRuns    int     // K is above with a chance of at most TailChance
	TailChance float64
	MeanTime   time.Duration // of E[K] runs one after the other; 0 if that of one is not known
	MaxTime    time.Duration // of MaxRuns
}

// String returns the plan in one line.
func (p Planned) String() string {
	if !p.Statement.Guarantee.Epsilon.Computed() {
		return "no plan: nothing was computed"
	}
	text := fmt.Sprintf("%.3g runs on average, more than %d with a chance of at most %.2g", p.MeanRuns, p.MaxRuns, p.TailChance)
	if p.NoRun > 0 {
		text += fmt.Sprintf(", none with a chance of %.2g", p.NoRun)
	}
	if p.MeanTime > 0 {
		text += fmt.Sprintf("; %v on average and %v for %d runs, one after the other", p.MeanTime.Round(time.Millisecond), p.MaxTime.Round(time.Millisecond), p.MaxRuns)
	}
	g := p.Statement.Guarantee
	return text + fmt.Sprintf("; ε <= %s at δ = %g", accounting.FormatUpper(g.Epsilon.Upper), g.Delta)
}

// Plan returns the expected and the worst cost of the search: runs, time and price. It draws
// nothing, reads no data, and is the same whatever K will be.
//
// A law that draws more than Budget.MaxRuns with more than Budget.TailChance is an error, which
// wraps a *OverBudget: a search that is stopped has another law than the priced one.
func (s Search[H, O]) Plan(b Budget) (Planned, error) {
	b.TailChance = cmp.Or(b.TailChance, 0.001)
	f := check.In("dptune: Budget.")
	f.That(b.RunTime >= 0, "RunTime", b.RunTime, "must be >= 0")
	f.Count("MaxRuns", b.MaxRuns, 0)
	f.Number("TailChance", b.TailChance, check.OpenUnit)
	f.Add(s.Validate())
	if err := f.Err(); err != nil {
		return Planned{Statement: accounting.NoStatement()}, err
	}
	statement, err := s.Statement()
	if err != nil {
		return Planned{Statement: accounting.NoStatement()}, err
	}
	k := s.Law.Distribution()
	if b.MaxRuns > 0 {
		if above := k.TailAbove(b.MaxRuns); above > b.TailChance {
			return Planned{Statement: accounting.NoStatement()}, s.overBudget(b, above, statement)
		}
	}
	p := Planned{
		Statement: statement, Choices: len(s.Prior.Support()), MeanRuns: k.Mean(),
		NoRun: math.Exp(k.LogPMF(0)), MaxRuns: quantile(k, b.TailChance), TailChance: b.TailChance,
	}
	p.MeanTime, p.MaxTime = times(b.RunTime, p.MeanRuns), times(b.RunTime, float64(p.MaxRuns))
	return p, nil
}

// times returns n times a duration, or the longest one.
func times(d time.Duration, n float64) time.Duration {
	if t := float64(d) * n; t < math.MaxInt64 {
		return time.Duration(t)
	}
	return math.MaxInt64
}

// quantile returns the least m with P[K > m] <= chance. Above 65,536, where chances are bounded
// and not summed, it may be larger.
func quantile(k law.Distribution, chance float64) int {
	above := func(m int) float64 {
		if m <= 1<<16 {
			return k.TailAbove(m)
		}
		return k.TailBound(m)
	}
	if above(0) <= chance {
		return 0
	}
	low, high := 0, 1
	for above(high) > chance && high < maxRuns {
		low, high = high, 2*high
	}
	return low + 1 + sort.Search(high-low-1, func(i int) bool { return above(low+1+i) <= chance })
}

// OverBudget is the error of a law that draws more runs than a Budget allows.
type OverBudget struct {
	Budget  Budget
	Law     law.Law
	Chance  float64   // of more than Budget.MaxRuns
	Epsilon float64   // of the search as it is
	Limited []Limited // the cost of the same search with laws that never draw more
}

// Limited is a law with a limit, and the cost of a search with it.
type Limited struct {
	Law     law.Law
	Epsilon float64 // of the search
}

// Error names the field, its value and the rule.
func (e *OverBudget) Error() string {
	return fmt.Sprintf("dptune: Budget.MaxRuns %d: P[K > %[1]d] is %.2g: must be at most %.2g; see law.Truncated", e.Budget.MaxRuns, e.Chance, e.Budget.TailChance)
}

// overBudget returns the error, with the price of each law that draws again, stops, or releases
// nothing at the limit. A law that cannot be priced is left out.
func (s Search[H, O]) overBudget(b Budget, chance float64, as accounting.Statement) error {
	e := &OverBudget{Budget: b, Law: s.Law, Chance: chance, Epsilon: as.Guarantee.Epsilon.Upper}
	for _, k := range []law.Law{law.Truncated{Law: s.Law, Max: b.MaxRuns}, law.Capped{Law: s.Law, Max: b.MaxRuns}, law.Withheld{Law: s.Law, Max: b.MaxRuns}} {
		limited := s
		limited.Law = k
		if price, err := limited.Price(); err == nil {
			e.Limited = append(e.Limited, Limited{k, price.Guarantee.Epsilon.Upper})
		}
	}
	return e
}
