package auditbounds

import (
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/audit"
)

// Findings says which bound is the largest on average, by how much, and how near it comes to the truth.
func (r Ranking) Findings() []string {
	return []string{
		"Of the bounds that assume nothing, the largest on average: " + r.largest(false) + ".",
		"Of those that assume a Gaussian mechanism: " + r.largest(true) + ".",
		r.belowTruth(),
	}
}

// largest names the method with the largest mean in each setting, its share of the truth, and how far the
// next is behind, over the audits that both share.
func (r Ranking) largest(gaussian bool) string {
	var order []int
	where := map[int][]string{}
	for i, at := range settings {
		first, second := r.leaders(i, gaussian)
		d := make([]float64, len(r.Bounds[i][first]))
		for a := range d {
			d[a] = r.Bounds[i][first][a] - r.Bounds[i][second][a]
		}
		ahead := mean(d)
		text := fmt.Sprintf("n = %d, µ = %g: %.0f %% of the true ε, %.2f ± %.2f above the next", at.Games, at.Mu,
			100*r.Means[first][i].Value/r.Truth[i], ahead.Value, ahead.StdErr)
		if !(ahead.Value > 2*ahead.StdErr) {
			text += fmt.Sprintf(", not resolved by %d audits", len(d))
		}
		if where[first] == nil {
			order = append(order, first)
		}
		where[first] = append(where[first], text)
	}
	var parts []string
	for _, m := range order {
		parts = append(parts, fmt.Sprintf("“%s” (%s)", methods[m].name, strings.Join(where[m], "; ")))
	}
	return strings.Join(parts, "; ")
}

// leaders returns the two methods with the largest means in a setting.
func (r Ranking) leaders(setting int, gaussian bool) (first, second int) {
	first, second = -1, -1
	for m, method := range methods {
		switch {
		case method.gaussian != gaussian:
		case first < 0 || r.Means[m][setting].Value > r.Means[first][setting].Value:
			first, second = m, first
		case second < 0 || r.Means[m][setting].Value > r.Means[second][setting].Value:
			second = m
		}
	}
	return first, second
}

func (r Ranking) belowTruth() string {
	var above []string
	for m, method := range methods {
		for i, at := range settings {
			if r.Means[m][i].Value > r.Truth[i] {
				above = append(above, fmt.Sprintf("“%s” at n = %d, µ = %g", method.name, at.Games, at.Mu))
			}
		}
	}
	if len(above) == 0 {
		return "No mean is above the true ε."
	}
	return "Above the true ε on average: " + strings.Join(above, "; ") + "."
}

// Findings says how much of what it may spend each test spends where it spends most.
func (r Alarms) Findings() []string {
	var most, beyond []string
	for t, name := range r.Tests {
		worst := -1
		for j, rate := range r.Rates[t] {
			if !math.IsNaN(rate) && (worst < 0 || rate > r.Rates[t][worst]) {
				worst = j
			}
		}
		most = append(most, fmt.Sprintf("%s: %.1f %% (%s)", name, 100*r.Rates[t][worst], r.Nulls[worst]))
		if r.Rates[t][worst] > r.Limit() {
			beyond = append(beyond, name)
		}
	}
	list := []string{fmt.Sprintf("The largest rate of each bound, of %.1f %% that it may spend: %s.", 100*(1-r.Config.Confidence), strings.Join(most, "; "))}
	if len(beyond) == 0 {
		return append(list, fmt.Sprintf("No rate is beyond %.1f %%, what is allowed with three standard errors of %d audits.", 100*r.Limit(), r.Config.Alarms))
	}
	return append(list, fmt.Sprintf("Beyond %.1f %%, what is allowed with three standard errors of %d audits: %s.", 100*r.Limit(), r.Config.Alarms, strings.Join(beyond, "; ")))
}

// Findings says what more games buy.
func (r Power) Findings() (list []string) {
	for b, plans := range r.Plans {
		last, most := len(plans)-1, 0
		for i, p := range plans {
			if p.Expected > plans[most].Expected {
				most = i
			}
		}
		text := fmt.Sprintf("µ = %g, %s (assumes: %s)", r.Mu, plannedBounds[b], plans[0].Assumption)
		if low, high, ok := r.hundredfold(plans); ok {
			text += fmt.Sprintf(": from 100 games on, a hundred times more add %+.2f to %+.2f", low, high)
		}
		text += fmt.Sprintf("; the largest is %.2f, %.1f %% of the mechanism's own ε, at %s", plans[most].Expected, 100*plans[most].Expected/r.Truth, r.games(plans[most]))
		if most < last {
			text += fmt.Sprintf("; at %s it has fallen to %.2f", r.games(plans[last]), plans[last].Expected)
		}
		list = append(list, text+".")
	}
	return list
}

// games says how many games of each class, or canaries of one run, a plan has.
func (r Power) games(p audit.Plan) string {
	if p.Assumption == audit.AssumeOneRun || p.Assumption == audit.AssumeOneRunGDP {
		return fmt.Sprintf("%d canaries", 2*p.Games)
	}
	return fmt.Sprintf("n = %d", p.Games)
}

// hundredfold returns the least and the largest difference between the bounds of 100n and n games, n >= 100.
func (r Power) hundredfold(plans []audit.Plan) (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for i, n := range r.Games {
		for j, more := range r.Games {
			if n >= 100 && more == 100*n {
				d := plans[j].Expected - plans[i].Expected
				low, high, ok = min(low, d), max(high, d), true
			}
		}
	}
	return low, high, ok
}

// Findings says how often each mistake accuses an honest mechanism.
func (r Counterexamples) Findings() []string {
	list := []string{
		"Without a leak, the absolute value of a negative bound " + r.accuses(r.Absolute) + "; the AUC test itself " + r.accuses(r.Honest) + ".",
		"Of Laplace noise, the AUC test, which assumes a Gaussian mechanism, " + r.accuses(r.LaplaceGDP) + "; the two-tail rank sum " + r.accuses(r.LaplaceRank) + ".",
	}
	for _, s := range r.Shared {
		list = append(list, fmt.Sprintf("Of %d canaries that share a channel, the test for independent channels rejects the true claim in %s, f-DP in %s.",
			s.Canaries, r.allowed(s.Independent, 0, "runs"), r.allowed(s.FDP, 0, "runs")))
	}
	return list
}

func (r Counterexamples) accuses(s Said) string {
	a := 1 - r.Config.Confidence
	return fmt.Sprintf("is above the true ε = %g in %s", s.Truth, r.allowed(s.Wrong.Value, 3*math.Sqrt(a*(1-a)/float64(r.Config.Audits)), "audits"))
}

// allowed sets a share beside the significance; slack is the error of a simulated one.
func (r Counterexamples) allowed(share, slack float64, of string) string {
	may, how := 1-r.Config.Confidence, "within"
	switch {
	case share > may+slack:
		how = "more than"
	case share > may:
		how = "by no more than chance above"
	}
	return fmt.Sprintf("%s of %s (%s the %s allowed)", percent(share), of, how, percent(may))
}
