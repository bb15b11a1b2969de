package search

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// AxisPoint is one published point of Figure 7's axis, nats, and how it comes about.
type AxisPoint struct {
	Gamma     float64
	Law       law.Law
	Label     string
	Published float64 // as the authors' script computes it
	Script    float64 // the script's formula, orders and divergences, evaluated here
	// OneSlip is the script's formula of η = 0.5 with ln(1/γ) instead of ln(1/γ - 1), and its other
	// slip left in. NaN for other laws.
	OneSlip  float64
	AtOrders float64 // Theorem 2 or 6 with the script's orders and divergences
	Theorem  float64 // Theorem 2 or 6 with all orders, for the run of the config; NaN if that is not the paper's run
}

// checkAxis evaluates the published points of the axis.
func (r *Figure7Result) checkAxis(base baserun.Run) error {
	paper := papers.Papernot2022.Figure7
	for _, b := range paper.Budgets {
		var points []AxisPoint
		for _, k := range drawnLaws {
			points = append(points, AxisPoint{Law: law.TNB{Eta: k.eta, Gamma: b.Gamma}, Label: k.label, Published: k.budget(b)})
		}
		for _, p := range append(points, AxisPoint{Law: law.Poisson{MeanRepeats: 100 * b.Gamma}, Label: "Poisson of mean 100γ", Published: b.Poisson}) {
			if math.IsNaN(p.Published) {
				continue
			}
			p.Gamma = b.Gamma
			if err := p.evaluate(paper.Script); err != nil {
				return err
			}
			if p.Theorem = math.NaN(); r.Config.isPapers() {
				curve, err := laws.TheoremCurve(p.Law, base)
				if err != nil {
					return err
				}
				p.Theorem = leastDivergence(curve)
			}
			r.Axis = append(r.Axis, p)
		}
	}
	return nil
}

// evaluate fills in what follows from the script's run.
func (p *AxisPoint) evaluate(run papers.Papernot2022Script) error {
	p.OneSlip = math.NaN()
	tnb, ok := p.Law.(law.TNB)
	if !ok { // the script's formula for Poisson is Theorem 6
		p.Script = theorem6AtOrders(run, p.Law.(law.Poisson).MeanRepeats)
		p.AtOrders = p.Script
		return nil
	}
	published, err := publishedTerms(tnb)
	if err != nil {
		return err
	}
	theorem := theoremTerms(tnb)
	p.Script = leastAtOrders(run, tnb.Eta, published)
	p.AtOrders = leastAtOrders(run, tnb.Eta, theorem)
	if tnb.Eta == 0.5 {
		p.OneSlip = leastAtOrders(run, tnb.Eta, scriptTerms{c: theorem.c, m: published.m})
	}
	return nil
}

// Figure 7's published horizontal axis is the least of a bound on D_λ of the search. It is the
// least over the script's 72 orders λ, and over a second order λ̂ of the same list. The bound is
//
//	ε(λ) + (1+η)(1-1/λ̂) ε(λ̂) + (1+η) C/λ̂ + M/(λ-1)
//
// with C = ln(1/γ) and M = ln E[K] in Theorem 2. The script has these C and M:
//
//	η = 0     C = ln(1/γ - 1)             M = ln E[K]
//	η = 1     C = ln(1/γ)                 M = ln E[K]
//	η = 0.5   C = ln(1/γ) + ln(1-γ),      M = ln E[K] - ln(1-γ)
//	            which is ln(1/γ - 1)
//
// The first slip is on the wrong side. C is negative for γ > 1/2 and falls without limit as γ grows
// to 1. So the result is not an upper bound. The second one, only of η = 0.5, is on the safe side.
//
// Reference: figure7.py (tensorflow/privacy 7eea74a, research/hyperparameters_2022), functions
// repeat_*_rdp.

// scriptTerms are C and M.
type scriptTerms struct{ c, m float64 }

// publishedTerms returns C and M as the script has them.
func publishedTerms(k law.TNB) (scriptTerms, error) {
	t := theoremTerms(k)
	switch k.Eta {
	case 0:
		t.c = math.Log(1/k.Gamma - 1)
	case 0.5:
		t.c = math.Log(1/k.Gamma - 1)
		t.m -= math.Log1p(-k.Gamma)
	case 1:
	default:
		return t, fmt.Errorf("papernot2022: η %g: the authors' script has η 0, 0.5 and 1", k.Eta)
	}
	return t, nil
}

// theoremTerms returns C and M of Theorem 2.
func theoremTerms(k law.TNB) scriptTerms {
	return scriptTerms{c: -math.Log(k.Gamma), m: math.Log(k.Distribution().Mean())}
}

// leastAtOrders returns the least of the bound above, nats, over the script's orders. The two
// orders are free of each other.
func leastAtOrders(run papers.Papernot2022Script, eta float64, t scriptTerms) float64 {
	own, second := math.Inf(1), math.Inf(1)
	for i, order := range run.Orders {
		own = math.Min(own, run.Divergences[i]+t.m/(order-1))
		second = math.Min(second, (1-1/order)*run.Divergences[i]+t.c/order)
	}
	return own + (1+eta)*second
}

// theorem6AtOrders returns the least over the script's orders of Theorem 6, in nats: ε(λ) + µ δ̂ +
// ln(µ)/(λ-1). δ̂ is the least of the total variation and of what Lemma 14 gives at the orders for
// ε̂ = ln(1 + 1/(λ-1)).
func theorem6AtOrders(run papers.Papernot2022Script, mean float64) float64 {
	least := math.Inf(1)
	for i, order := range run.Orders {
		logDelta := rdp.LogTotalVariation(run.Divergences[0])
		for j, other := range run.Orders {
			logDelta = math.Min(logDelta, rdp.CanonneKamathSteinke.LogDelta(other, run.Divergences[j], math.Log1p(1/(order-1))))
		}
		least = math.Min(least, run.Divergences[i]+mean*math.Exp(logDelta)+math.Log(mean)/(order-1))
	}
	return least
}

// accuracyFile has the authors' accuracies of 1,012 learning rates (see LICENSE).
//
//go:embed lr_acc.json
var accuracyFile []byte

// parseAccuracies reads a JSON object from learning rate to accuracy. It takes the learning rates
// of the figure: the last 400 of 1,000 from 1e-4 to 1 with equal ratios.
func parseAccuracies(raw []byte) ([]float64, error) {
	var byRate map[string]float64
	if err := json.Unmarshal(raw, &byRate); err != nil {
		return nil, err
	}
	const total, used = 1000, 400
	accuracyAt := map[int]float64{}
	for text, accuracy := range byRate {
		rate, err := check.Decimal(text)
		if err != nil || !(rate > 0) {
			return nil, fmt.Errorf("learning rate %q: must be a number > 0", text)
		}
		if !(accuracy >= 0 && accuracy <= 1) {
			return nil, fmt.Errorf("accuracy %g at learning rate %s: must be in [0, 1]", accuracy, text)
		}
		position := (math.Log10(rate) + 4) / 4 * (total - 1)
		if index := math.Round(position); math.Abs(position-index) < 1e-6 && index >= total-used && index < total {
			accuracyAt[int(index)] = accuracy
		}
	}
	if len(accuracyAt) != used {
		return nil, fmt.Errorf("has %d of the %d learning rates of the figure", len(accuracyAt), used)
	}
	out := make([]float64, 0, used)
	for _, accuracy := range accuracyAt {
		out = append(out, accuracy)
	}
	slices.Sort(out)
	return out, nil
}

// expectedBest returns the expected accuracy of the best of K runs that each draw one of the
// accuracies with equal chance; no run at all counts as 0. It is exact; the authors' script
// estimates it with 1,000 draws.
func expectedBest(runs law.Law, accuracies []float64) float64 {
	equal := make([]float64, len(accuracies))
	for i := range equal {
		equal[i] = 1
	}
	return floats.Dot(bank.Winner(runs.Distribution(), accuracies, equal), accuracies)
}
