package ding2023

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Theorem3Config describes a check of Theorem 3's δ' and of Equation (6).
type Theorem3Config struct {
	KEpsilons  []float64 `rule:"> 0"`  // kε > 0
	N          int       `rule:">= 2"` // n = (u*-u0)/g >= 2, with u* = 1 and u0 = 0
	Candidates []int     `rule:">= 1"` // |S|, of Equation (6)
	Repeats    int       `rule:">= 2"` // simulations, >= 2
	Seed       string
}

// Validate returns every fault, joined.
func (c Theorem3Config) Validate() error { return figures.Faults(c).Err() }

// Theorem3Result has one row for each kε, and one for each kε and |S|.
type Theorem3Result struct {
	Config Theorem3Config
	Deltas []DeltaPrime
	Passes []PassChance
}

// DeltaPrime is δ' = n^(-gkε/4) ln n of Theorem 3, with 1 for the constant of its O, which is not
// printed. g is 1/n, the largest that leaves room for n steps.
type DeltaPrime struct {
	KEpsilon float64
	AtN      float64 // at Config.N
	Least    float64 // over all n >= 2
	LeastN   float64 // where
	// Leaving is the share of runs that do not answer all tests as the run without noise
	// does, which δ' is to bound. One candidate, whose score is u* = 1.
	Leaving float64
}

// PassChance is the chance that some of |S| candidates, which all have the best score, passes a
// test whose noisy threshold lies a margin above it. Equation (6) as printed has the margin
// log n and bounds the chance by n^(-kε/4). Repaired is ours: the margin g log n and
// n^(-gkε/4), which mirrors Equation (5) and is what the proof goes on to use.
type PassChance struct {
	KEpsilon          float64
	Candidates        int
	Printed, Repaired PassBound
	Simulated         float64 // of Repaired
}

// PassBound is the bound c of one margin, and the exact chance 1 - (1 - c/2)^|S|. Fails reports
// whether the chance is above the bound, even if both underflow to 0.
type PassBound struct {
	Claimed, Exact float64
	Fails          bool
}

// passBound is for Laplace noise of scale 4/(kε).
func passBound(margin, kEpsilon float64, candidates int) PassBound {
	claimed := math.Exp(-margin * kEpsilon / 4)
	return PassBound{claimed, -math.Expm1(float64(candidates) * math.Log1p(-claimed/2)), candidates >= failsFrom(claimed)}
}

// failsFrom returns the least |S| at which a bound c in [0, 1) fails:
// (1 - c/2)^|S| < 1 - c. It is 3 for small c.
func failsFrom(claimed float64) int {
	if claimed < 1e-9 {
		return 3
	}
	return int(math.Log1p(-claimed)/math.Log1p(-claimed/2)) + 1
}

// Theorem3 evaluates what Theorem 3 leaves open, and counts.
func Theorem3(cfg Theorem3Config) (Theorem3Result, error) {
	if err := cfg.Validate(); err != nil {
		return Theorem3Result{}, err
	}
	r := Theorem3Result{Config: cfg}
	root := streams.Fixed(cfg.Seed)
	for _, kEpsilon := range cfg.KEpsilons {
		d := DeltaPrime{KEpsilon: kEpsilon, AtN: deltaPrime(kEpsilon, float64(cfg.N)), Least: math.Inf(1)}
		for n := 2.0; n < 1e6; n *= 1.001 {
			if v := deltaPrime(kEpsilon, n); v < d.Least {
				d.Least, d.LeastN = v, n
			}
		}
		d.Leaving = leaving(kEpsilon, cfg.N, cfg.Repeats, root)
		r.Deltas = append(r.Deltas, d)
		for _, count := range cfg.Candidates {
			r.Passes = append(r.Passes, passChance(kEpsilon, cfg.N, count, cfg.Repeats, root))
		}
	}
	return r, nil
}

func deltaPrime(kEpsilon, n float64) float64 { return math.Pow(n, -kEpsilon/(4*n)) * math.Log(n) }

func leaving(kEpsilon float64, n, repeats int, root streams.Root) float64 {
	// Half a granule above: the last test without noise must not be a tie of rounded sums.
	scores := []float64{1 + 0.5/float64(n)}
	silent := Algorithm1(math.Inf(1), 0, 1/float64(n)).Run(scores, nil)
	count := 0.0
	for i := range repeats {
		run := Algorithm1(kEpsilon, 0, 1/float64(n)).Run(scores, root.Rand(fmt.Sprintf("leaving, kε %g, run %d", kEpsilon, i)))
		same := len(run.Iterations) == len(silent.Iterations)
		for j := range run.Iterations {
			same = same && run.Iterations[j].Passed == silent.Iterations[j].Passed
		}
		if !same {
			count++
		}
	}
	return count / float64(repeats)
}

func passChance(kEpsilon float64, n, count, repeats int, root streams.Root) PassChance {
	printed := math.Log(float64(n))
	repaired := printed / float64(n) // g ln n
	p := PassChance{KEpsilon: kEpsilon, Candidates: count, Printed: passBound(printed, kEpsilon, count), Repaired: passBound(repaired, kEpsilon, count)}
	rng := root.Rand(fmt.Sprintf("equation 6, kε %g, candidates %d", kEpsilon, count))
	for range repeats {
		for range count {
			if laplace(4/kEpsilon, rng) >= repaired {
				p.Simulated += 1 / float64(repeats)
				break
			}
		}
	}
	return p
}

// Table shows δ'.
func (r Theorem3Result) Table() figures.Table {
	t := figures.Table{Name: "ding2023-theorem3-delta", Title: "Theorem 3: δ' = n^(-gkε/4) ln n, with the constant 1 and g = 1/n",
		Columns: []string{"kε", fmt.Sprintf("δ' at n = %d", r.Config.N), "least δ' over n >= 2", "at n", fmt.Sprintf("runs that leave the path without noise, n = %d", r.Config.N), "δ' bounds this share", "Equation (6) fails from |S| =", "repaired, from |S| ="},
		Notes:   []string{"A δ' of 1 or more bounds nothing. The paper's experiments have kε up to 10. δ' must bound the share of runs that leave the path."}}
	log := math.Log(float64(r.Config.N))
	for _, d := range r.Deltas {
		printed, repaired := passBound(log, d.KEpsilon, 1).Claimed, passBound(log/float64(r.Config.N), d.KEpsilon, 1).Claimed
		t.Rows = append(t.Rows, []string{fmt.Sprint(d.KEpsilon), fmt.Sprintf("%.3g", d.AtN), fmt.Sprintf("%.3g", d.Least), fmt.Sprintf("%.1f", d.LeastN), figures.Percent(d.Leaving, 1),
			d.verdict(r.Config.Repeats), fmt.Sprint(failsFrom(printed)), fmt.Sprint(failsFrom(repaired))})
	}
	return t
}

// verdict reports whether δ' bounds the share of the runs that leave, within two standard errors.
func (d DeltaPrime) verdict(repeats int) string {
	switch {
	case d.AtN >= 1:
		return "bounds nothing"
	case d.Leaving-2*math.Sqrt(d.Leaving*(1-d.Leaving)/float64(repeats)) > d.AtN:
		return "no"
	}
	return "yes"
}

// PassTable shows Equation (6) as printed and repaired, with the exact chances.
func (r Theorem3Result) PassTable() figures.Table {
	t := figures.Table{Name: "ding2023-theorem3-pass", Title: fmt.Sprintf("Equation (6): chance to pass a threshold above the best score, n = %d", r.Config.N),
		Columns: []string{"kε", "candidates |S|", "as printed: bound", "exact", "verdict", "repaired: bound", "exact", "simulated", "verdict"},
		Notes: []string{"As printed: margin log n, bound n^(-kε/4). Repaired by us: margin g log n, bound n^(-gkε/4), g = 1/n, as in Equation (5).",
			"All |S| candidates have the best score here. The proof follows the noise of only one; with more there are more chances."}}
	verdict := func(b PassBound) string {
		if b.Fails {
			return "fails"
		}
		return "holds"
	}
	small := func(v float64) string {
		if v < 1e-300 {
			return "< 1e-300"
		}
		return fmt.Sprintf("%.3g", v)
	}
	for _, p := range r.Passes {
		t.Rows = append(t.Rows, []string{fmt.Sprint(p.KEpsilon), fmt.Sprint(p.Candidates), small(p.Printed.Claimed), small(p.Printed.Exact), verdict(p.Printed),
			small(p.Repaired.Claimed), small(p.Repaired.Exact), fmt.Sprintf("%.3g", p.Simulated), verdict(p.Repaired)})
	}
	return t
}
