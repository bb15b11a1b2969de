package audits

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/experiments"
)

// BankPoint is the audit of one setup at one base ε. All ε are in nats.
type BankPoint struct {
	BaseEpsilon float64
	Runs        int       // of each world, in all trials
	Games       [2]int    // whose power the runs of one trial have: at the worst error rate, and at most
	Generic     float64   // ε_U: Theorem 2 of Papernot and Steinke, a bound
	A, B        BankBound // from the proxies λ_a and λ_b
	SingleRuns  []float64 // of each trial: audit.RankOfSearch, a bound; nil unless the proxy is the score
}

// BankBound is ε_L as in the paper, the mean of the trials. Half is two bootstrap standard errors,
// NaN for a bank that is too small for it.
type BankBound struct{ Epsilon, Half float64 }

// released are single runs of one world by increasing score, with the proxies of each.
type released struct {
	scores  []float64
	proxies [2][]float64 // λ_a and λ_b
	order   [2][]int     // runs by increasing proxy
}

// newReleased sorts the runs. λ_b is λ_a plus sign times the score.
func newReleased(a, g experiments.Floats, sign float64) released {
	byScore := make([]int, len(a))
	for i := range byScore {
		byScore[i] = i
	}
	sort.SliceStable(byScore, func(i, j int) bool { return g[byScore[i]] < g[byScore[j]] })
	var r released
	for _, i := range byScore {
		r.scores = append(r.scores, float64(g[i]))
		r.proxies[0] = append(r.proxies[0], float64(a[i]))
		r.proxies[1] = append(r.proxies[1], float64(a[i])+sign*float64(g[i]))
	}
	for p, values := range r.proxies {
		r.order[p] = make([]int, len(values))
		for i := range r.order[p] {
			r.order[p][i] = i
		}
		slices.SortFunc(r.order[p], func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	}
	return r
}

// paperAudit is the audit of Nasr et al. on weighted runs: Clopper-Pearson bounds of as many games,
// the best threshold on the same runs, a Gaussian trade-off. Rates are rounded up to multiples of
// 1/games, against the audit.
type paperAudit struct {
	games    int // the most, and so 1 over the steps of a rate
	fewest   int // at any rate
	delta    float64
	quantile []float64 // Φ⁻¹ of the upper bound on an error rate, by multiples of 1/games
}

func newPaperAudit(k law.Distribution, runs int, delta float64) paperAudit {
	most := equivalentGames(k, runs)
	p := paperAudit{games: int(most + 1e-6), fewest: runs, delta: delta}
	high := math.Inf(-1) // no higher rate has a lower bound
	for i := range p.games + 1 {
		rate := float64(i) / float64(p.games)
		games := gamesOfRate(k, runs, most, rate)
		p.fewest = min(p.fewest, games)
		upper := audit.RateUpper(int(math.Ceil(float64(games)*rate-1e-6)), games, (1-audit.DefaultConfidence)/2)
		high = max(high, distuv.UnitNormal.Quantile(upper))
		p.quantile = append(p.quantile, high)
	}
	return p
}

// place returns the place of a rate in quantile.
func (p paperAudit) place(rate float64) int {
	return min(p.games, max(0, int(math.Ceil(float64(p.games)*rate-1e-6))))
}

// epsilon returns ε_L by a proxy, from runs without z and with it, and the weights of both.
func (p paperAudit) epsilon(without, with released, proxy int, w0, w1 []float64) (float64, error) {
	order0, values0, values1 := without.order[proxy], without.proxies[proxy], with.proxies[proxy]
	missed, below, next, mu := 0.0, 0.0, 0, 0.0
	for at, i := range with.order[proxy] { // the threshold just below x misses the members before it
		x := values1[i]
		for next < len(order0) && values0[order0[next]] < x {
			below += w0[order0[next]]
			next++
		}
		if at == 0 || values1[with.order[proxy][at-1]] < x {
			mu = max(mu, -p.quantile[p.place(missed)]-p.quantile[p.place(1-below)])
		}
		missed += w1[i]
	}
	return audit.EpsilonOfMu(mu, p.delta)
}

// resamples is the number of bootstrap samples of a bank.
const resamples = 100

// auditBank audits the runs of one base ε.
func (s setup) auditBank(c BankConfig, epsilon float64, runs BankShard) (BankPoint, error) {
	tuned, _, err := newTunedPoint(TuningConfig{Steps: c.Steps, Delta: c.Delta, Law: c.Law}, epsilon)
	if err != nil {
		return BankPoint{}, err
	}
	trials := c.trials(runs)
	size := trials[0].Runs()
	k := c.Law.Distribution()
	paper := newPaperAudit(k, size, c.Delta)
	p := BankPoint{BaseEpsilon: epsilon, Runs: len(trials) * size, Games: [2]int{paper.fewest, paper.games}, Generic: tuned.Generic}
	var variance [2]float64 // of a mean of trials, times their number squared
	for trial, part := range trials {
		w0, w1 := s.bankWorlds(part)
		b, err := paper.trial(k, w0, w1, rand.New(rand.NewPCG(uint64(trial), math.Float64bits(epsilon))))
		if err != nil {
			return p, err
		}
		for proxy, to := range []*BankBound{&p.A, &p.B} {
			to.Epsilon += b[proxy].Epsilon / float64(len(trials))
			variance[proxy] += b[proxy].Half * b[proxy].Half
		}
		if s.selects() {
			// The proxy is the score.
			if err := addSingleRuns(&p.SingleRuns, c.Law, c.Delta, audit.Scores{Member: w1.scores, NonMember: w0.scores}); err != nil {
				return p, err
			}
		}
	}
	p.A.Half, p.B.Half = math.Sqrt(variance[0])/float64(len(trials)), math.Sqrt(variance[1])/float64(len(trials))
	return p, nil
}

// trial returns ε_L of both proxies, with its bootstrap errors.
func (p paperAudit) trial(k law.Distribution, without, with released, rng *rand.Rand) (out [2]BankBound, err error) {
	both := func(counts0, counts1 []float64) (e [2]float64, err error) {
		w0, w1 := releasedWeights(k, without.scores, counts0), releasedWeights(k, with.scores, counts1)
		for proxy := range e {
			if e[proxy], err = p.epsilon(without, with, proxy, w0, w1); err != nil {
				return e, err
			}
		}
		return e, nil
	}
	e, err := both(nil, nil)
	if err != nil {
		return out, err
	}
	out = [2]BankBound{{e[0], math.NaN()}, {e[1], math.NaN()}}
	if len(with.scores) < leastRuns(k, mostBandWeight) {
		return out, nil
	}
	var drawn [2][]float64
	for range resamples {
		e, err := both(resampled(len(without.scores), rng), resampled(len(with.scores), rng))
		if err != nil {
			return out, err
		}
		drawn[0], drawn[1] = append(drawn[0], e[0]), append(drawn[1], e[1])
	}
	for proxy := range out {
		out[proxy].Half = 2 * stat.StdDev(drawn[proxy], nil)
	}
	return out, nil
}

// resampled returns how often each of n runs is drawn, in n draws with replacement.
func resampled(n int, rng *rand.Rand) []float64 {
	counts := make([]float64, n)
	for range n {
		counts[rng.IntN(n)]++
	}
	return counts
}

// trials cuts the runs of one base ε into whole trials. Runs of less than one trial are one.
func (c BankConfig) trials(runs BankShard) (list []BankShard) {
	size := c.Runs / c.Trials
	if runs.Runs() < size {
		return []BankShard{runs}
	}
	for first := 0; first+size <= runs.Runs(); first += size {
		list = append(list, part(runs, first, size))
	}
	return list
}

// bankWorlds returns the runs of a setup without z and with it.
func (s setup) bankWorlds(runs BankShard) (without, with released) {
	w0, w1 := runs.Without, runs.Foreign
	switch {
	case s.empty:
		w0, w1 = runs.EmptyWithout, runs.EmptyWith
	case s.dirac:
		w1 = runs.Dirac
	}
	return s.bankReleased(w0), s.bankReleased(w1)
}

func (s setup) bankReleased(w BankRuns) released {
	proxy, score := w.Foreign, w.Validation
	if s.dirac {
		proxy = w.Dirac
	}
	switch {
	case s.selects():
		score = proxy
	case s.sign > 0:
		score = w.Canary
	}
	return newReleased(proxy, score, s.sign)
}
