package ding2023

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Theorem3Config describes a check of Theorem 3's δ' and of Equation (6) behind it.
type Theorem3Config struct {
	KEpsilons  []float64 // kε > 0
	N          int       // n = (u*-u0)/g >= 2, with u* = 1 and u0 = 0
	Candidates []int     // |S|, of Equation (6)
	Repeats    int       // simulations, >= 2
	Seed       string
}

// Validate returns every fault, joined.
func (c Theorem3Config) Validate() error {
	return faults("Theorem3Config",
		positiveList("KEpsilons", c.KEpsilons, false), positiveInts("Candidates", c.Candidates),
		fault{"N", float64(c.N), c.N >= 2, ">= 2"},
		fault{"Repeats", float64(c.Repeats), c.Repeats >= 2, ">= 2"})
}

// Theorem3Result has one row for each kε, and one for each kε and |S|.
type Theorem3Result struct {
	Config Theorem3Config
	Deltas []DeltaPrime
	Passes []PassChance
}

// DeltaPrime is δ' = n^(-gkε/4) ln n of Theorem 3 with the constant 1, the least that its O
// can hide, at g = 1/n: the largest g that n steps leave room for.
type DeltaPrime struct {
	KEpsilon float64
	AtN      float64 // at Config.N
	Least    float64 // over all n >= 2
	LeastN   float64 // where
	// Leaving is the share of runs that do not answer all tests as the run without noise
	// does, which δ' is to bound. One candidate, whose score is u* = 1.
	Leaving float64
}

// PassChance is the chance that some candidate passes a test whose noisy threshold lies
// g ln n above the best score, which all |S| candidates have.
type PassChance struct {
	KEpsilon   float64
	Candidates int
	Claimed    float64 // n^(-gkε/4), Equation (6), for every |S|
	Exact      float64 // 1 - (1 - n^(-gkε/4)/2)^|S|
	Simulated  float64
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
	// Half a granule above, so that the last test without noise is not a tie of rounded sums.
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
	margin := math.Log(float64(n)) / float64(n) // g ln n
	claimed := math.Exp(-margin * kEpsilon / 4)
	p := PassChance{KEpsilon: kEpsilon, Candidates: count, Claimed: claimed, Exact: -math.Expm1(float64(count) * math.Log1p(-claimed/2))}
	rng := root.Rand(fmt.Sprintf("equation 6, kε %g, candidates %d", kEpsilon, count))
	for range repeats {
		for range count {
			if laplace(4/kEpsilon, rng) >= margin {
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
		Columns: []string{"kε", fmt.Sprintf("δ' at n = %d", r.Config.N), "least δ' over n >= 2", "at n", fmt.Sprintf("runs that leave the path without noise, n = %d", r.Config.N)},
		Notes:   []string{"A δ' of 1 or more says nothing. The paper's experiments have kε up to 10. The last column is what δ' is to bound."}}
	for _, d := range r.Deltas {
		t.Rows = append(t.Rows, []string{fmt.Sprint(d.KEpsilon), fmt.Sprintf("%.3g", d.AtN), fmt.Sprintf("%.3g", d.Least), fmt.Sprintf("%.1f", d.LeastN), fmt.Sprintf("%.1f %%", 100*d.Leaving)})
	}
	return t
}

// PassTable shows Equation (6), the exact chance and the simulated one.
func (r Theorem3Result) PassTable() figures.Table {
	t := figures.Table{Name: "ding2023-theorem3-pass", Title: fmt.Sprintf("Equation (6): chance to pass a threshold g ln n above the best score, n = %d", r.Config.N),
		Columns: []string{"kε", "candidates |S|", "claimed bound", "exact", "simulated", "verdict"},
		Notes:   []string{"The proof follows the noise of the best candidate alone. With more candidates there are more chances: the bound, and with it the claim that T and δ' do not depend on |S|, fails."}}
	for _, p := range r.Passes {
		verdict := "holds"
		if p.Exact > p.Claimed {
			verdict = "fails"
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(p.KEpsilon), fmt.Sprint(p.Candidates), fmt.Sprintf("%.3g", p.Claimed), fmt.Sprintf("%.3g", p.Exact), fmt.Sprintf("%.3g", p.Simulated), verdict})
	}
	return t
}
