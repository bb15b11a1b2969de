package xiang2024

import (
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/experiments"
)

// setup is one column of Table 2 of the paper, on a network.
type setup struct {
	figure, name string
	empty, dirac bool // X is empty; z is the Dirac gradient
	sign         float64
	released     func(TuningScores) TunedScores
}

// setups are those of Figures 1 to 3: λ_b is λ_a - g where g is not manipulated, or else λ_a + g.
var setups = []setup{
	{figure: "Figure 1", name: "NTNV, foreign z", sign: -1, released: byValidation},
	{figure: "Figure 2", name: "NTCV, foreign z", sign: 1, released: byCanary},
	{figure: "Figure 3", name: "ETCV, foreign z", sign: 1, released: byCanary, empty: true},
	{figure: "Figure 1", name: "NTNV, Dirac gradient", sign: -1, released: byValidation, dirac: true},
	{figure: "Figure 2", name: "NTCV, Dirac gradient", sign: 1, released: byCoordinate, dirac: true},
}

func byValidation(s TuningScores) TunedScores { return s.ByValidation }
func byCanary(s TuningScores) TunedScores     { return s.ByCanary }
func byCoordinate(s TuningScores) TunedScores { return s.ByCoordinate }

// selects reports whether λ_a is the score up to scale: the first coordinate of the sums, which
// is w_0 - w_N.
func (s setup) selects() bool { return s.dirac && s.sign > 0 }

// worlds returns the games without z and with it.
func (s setup) worlds(a TuningAudits) (without, with TuningScores) {
	w := a.Normal
	if s.empty {
		w = a.Empty
	}
	if s.dirac {
		return w.Without, w.Dirac
	}
	return w.Without, w.Foreign
}

// scores returns λ_a of runs without selection, and λ_a and g of the released ones.
func (s setup) scores(t TuningScores) (single, a, g experiments.Floats) {
	released := s.released(t)
	if s.dirac {
		return t.BaseDirac, released.Dirac, released.Score
	}
	return t.BaseForeign, released.Foreign, released.Score
}

// part returns size games from the first on.
func (s TuningScores) part(first, size int) TuningScores {
	cut := func(f experiments.Floats) experiments.Floats { return f[first : first+size] }
	tuned := func(t TunedScores) TunedScores { return TunedScores{cut(t.Score), cut(t.Foreign), cut(t.Dirac)} }
	return TuningScores{cut(s.BaseForeign), cut(s.BaseDirac), tuned(s.ByValidation), tuned(s.ByCanary), tuned(s.ByCoordinate)}
}

// exactEpsilon returns the ε of tuning with a monotone score.
func exactEpsilon(c TuningConfig, run baseRun) (float64, error) {
	exact, err := monotone.Gaussian{Law: c.Law, Mu: run.o.Mu}.EpsilonAt(c.Delta)
	return exact.Estimate, err
}
