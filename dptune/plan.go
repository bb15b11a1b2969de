package dptune

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Budget is what a search may take.
type Budget struct {
	OneRun time.Duration // what one run takes; 0 if that is not known. See candidate.DPSGD.Time.
	Runs   int           // the most runs that there is time for; 0 is no limit
	Chance float64       // that there are more runs than planned, in (0, 1); 0 is 0.001
}

// Planned is what a search takes, said before it draws anything: by its law alone, so that all of it may be published but for times, from
// which who knows the machine could guess how many records there are.
type Planned struct {
	Statement accounting.Statement
	Choices   int     // values of the prior; 0 if they cannot be listed
	MeanRuns  float64 // E[K]
	NoRun     float64 // chance that there is none, and the default is released
	MostRuns  int     // K is above with at most Chance
	Chance    float64
	Mean      time.Duration // of E[K] runs one after the other; 0 if what one takes is not known
	Most      time.Duration // of MostRuns
}

// String says it in a line.
func (p Planned) String() string {
	if !p.Statement.Guarantee.Epsilon.Computed() {
		return "no plan: nothing was computed"
	}
	text := fmt.Sprintf("%.3g runs on average, at most %d but for a chance of %.2g", p.MeanRuns, p.MostRuns, p.Chance)
	if p.NoRun > 0 {
		text += fmt.Sprintf(", none with a chance of %.2g", p.NoRun)
	}
	if p.Mean > 0 {
		text += fmt.Sprintf("; %v on average and %v at most, one after the other", p.Mean.Round(time.Millisecond), p.Most.Round(time.Millisecond))
	}
	g := p.Statement.Guarantee
	return text + fmt.Sprintf("; ε <= %s at δ = %g", accounting.FormatUpper(g.Epsilon.Upper), g.Delta)
}

// Plan returns what the search takes: how many runs, how long and at what price, on average and at worst. It draws nothing and reads no
// data, and is the same whatever K will be.
//
// A law that draws more than Budget.Runs, with more than Budget.Chance, is an error which says what a law with that limit would cost: a
// search that is stopped is another law than the one that was priced.
func (s Search[H, O]) Plan(b Budget) (Planned, error) {
	if b.Chance == 0 {
		b.Chance = 0.001
	}
	f := check.In("dptune: Budget.")
	f.That(b.OneRun >= 0, "OneRun", b.OneRun, "must be >= 0")
	f.Count("Runs", b.Runs, 0)
	f.Number("Chance", b.Chance, check.OpenUnit)
	f.Add(s.Validate())
	if err := f.Err(); err != nil {
		return Planned{Statement: accounting.NoStatement()}, err
	}
	statement, err := s.Statement()
	if err != nil {
		return Planned{Statement: accounting.NoStatement()}, err
	}
	k := s.Law.Distribution()
	if b.Runs > 0 {
		if above := k.TailAbove(b.Runs); above > b.Chance {
			return Planned{Statement: accounting.NoStatement()}, s.beyond(b, above, statement)
		}
	}
	p := Planned{
		Statement: statement, Choices: len(s.Prior.Support()), MeanRuns: k.Mean(),
		NoRun: math.Exp(k.LogPMF(0)), MostRuns: mostRuns(k, b.Chance), Chance: b.Chance,
	}
	p.Mean, p.Most = times(b.OneRun, p.MeanRuns), times(b.OneRun, float64(p.MostRuns))
	return p, nil
}

// times returns n times a duration, or the longest one.
func times(d time.Duration, n float64) time.Duration {
	if t := float64(d) * n; t < math.MaxInt64 {
		return time.Duration(t)
	}
	return math.MaxInt64
}

// mostRuns returns the least m with P[K > m] <= chance, up to what is summed: above 65,536 it may be a larger one.
func mostRuns(k law.Distribution, chance float64) int {
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
	for high-low > 1 {
		if m := low + (high-low)/2; above(m) <= chance {
			high = m
		} else {
			low = m
		}
	}
	return high
}

// beyond is the error on a law that draws more runs than there is time for.
func (s Search[H, O]) beyond(b Budget, above float64, as accounting.Statement) error {
	var ways []string
	for _, way := range []struct {
		name string
		law  law.Law
	}{
		{"law.Truncated, which draws again", law.Truncated{Law: s.Law, Max: b.Runs}},
		{"law.Capped, which stops there", law.Capped{Law: s.Law, Max: b.Runs}},
		{"law.Withheld, which then releases nothing", law.Withheld{Law: s.Law, Max: b.Runs}},
	} {
		limited := s
		limited.Law = way.law
		if price, err := limited.Price(); err == nil {
			ways = append(ways, fmt.Sprintf("%s, ε <= %s", way.name, accounting.FormatUpper(price.Guarantee.Epsilon.Upper)))
		}
	}
	text := fmt.Sprintf("dptune: Budget.Runs %d: the %v draws more with a chance of %.2g: must be at most %.2g", b.Runs, s.Law, above, b.Chance)
	if len(ways) > 0 {
		text += fmt.Sprintf(". Without a limit ε <= %s; with it, by %s", accounting.FormatUpper(as.Guarantee.Epsilon.Upper), strings.Join(ways, "; by "))
	}
	return fmt.Errorf("%s", text)
}
