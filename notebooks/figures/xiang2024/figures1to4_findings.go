package xiang2024

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/notebooks/papers"
)

// Findings says which audits exceed one run's ε, what the score adds, and what is not trained.
func (r Figures1to4Result) Findings() []string {
	var out []string
	for _, c := range r.Charts {
		if len(c.Points) > 0 {
			out = append(out, c.finding())
		}
	}
	audits, above, difference, pairs := 0, 0, 0.0, 0
	for _, c := range r.Charts {
		for _, p := range c.Points {
			for i := range p.A {
				bounds := []TunedBounds{p.A[i], p.B[i]}
				if c.Selects { // the two are one
					bounds = bounds[:1]
				}
				for _, b := range bounds {
					audits++
					if b.NoAssumption > p.Generic {
						above++
					}
				}
				if !c.Selects {
					difference += math.Abs(p.A[i].Paper - p.B[i].Paper)
					pairs++
				}
			}
		}
	}
	out = append(out, fmt.Sprintf("Bounds without assumption above ε_U, which would be false: %d of %d.", above, audits))
	if pairs > 0 {
		out = append(out, fmt.Sprintf("λ_a and λ_b differ by %.2f on average over %d audits where they order games differently.", difference/float64(pairs), pairs))
	}
	if printed := r.printed(); printed != "" {
		out = append(out, printed)
	}
	if missing := r.Games.missing(); missing != "" {
		out = append(out, missing)
	}
	return out
}

// printed sets the printed means beside the exact ε of the game.
func (r Figures1to4Result) printed() string {
	n, above := 0, []string{}
	for _, p := range r.Charts[len(r.Charts)-1].Points {
		for _, c := range papers.Xiang2024.Table3 {
			if c.BaseEpsilon != p.BaseEpsilon {
				continue
			}
			for _, v := range []papers.Value{c.A, c.B} {
				n++
				if v.Number-v.Source.AbsErr > p.Exact {
					above = append(above, fmt.Sprintf("%.2f of %.3f", v.Number, p.Exact))
				}
			}
		}
	}
	if len(above) == 0 {
		return ""
	}
	return fmt.Sprintf("**%d of %d lower bounds that Table 3 prints for this game are above its exact ε** (%s), if σ is the least of the Rényi accountant, as here. They are means of three trials; the paper names equation (4) and the method of Nasr et al.",
		len(above), n, strings.Join(above, ", "))
}

// finding compares ε_L as in the paper with ε_B, and single runs with tuned games.
func (c TunedChart) finding() string {
	trials, above := 0, 0
	for _, p := range c.Points {
		for _, epsilon := range paperBounds(p.A) {
			trials++
			if epsilon >= p.BaseEpsilon {
				above++
			}
		}
	}
	text := fmt.Sprintf("%s, %s: %d of %d audits by λ_a as in the paper show at least ε_B", c.Figure, c.Setup, above, trials)
	if c.Selects {
		var single, free []float64
		for _, p := range c.Points {
			single, free = append(single, p.SingleRuns...), append(free, freeBounds(p.A)...)
		}
		text += fmt.Sprintf("; single runs prove %.2f on average, as many tuned games without assumption %.2f", stat.Mean(single, nil), stat.Mean(free, nil))
	}
	if c.Simulated {
		beyond := 0
		for _, p := range c.Points {
			for _, epsilon := range paperBounds(p.A) {
				if epsilon > p.Exact {
					beyond++
				}
			}
		}
		var normal []float64
		for _, p := range c.Points {
			normal = append(normal, p.Normal...)
		}
		text += fmt.Sprintf(", single runs known to be normal %.2f; %d of %d as in the paper exceed the exact ε, so are false", stat.Mean(normal, nil), beyond, trials)
	}
	return text + "."
}

// missing says which ε and trials of the networks are not there.
func (g TuningGames) missing() string {
	var parts []string
	for _, epsilon := range g.Config.BaseEpsilons {
		trials := 0
		for _, a := range g.Audits {
			if a.BaseEpsilon == epsilon {
				trials = len(a.Normal.Without.BaseDirac) / (g.Config.Games / g.Config.Trials)
			}
		}
		if trials < g.Config.Trials {
			parts = append(parts, fmt.Sprintf("ε_B = %g: %d of %d trials", epsilon, trials, g.Config.Trials))
		}
	}
	if parts == nil {
		return ""
	}
	return "Networks are not all trained: " + strings.Join(parts, ", ") + "."
}
