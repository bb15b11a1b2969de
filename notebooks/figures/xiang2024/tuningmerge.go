package xiang2024

import "github.com/dplab/dplab/notebooks/experiments"

// TuningAudits are all games at one base ε, in the order of their numbers.
type TuningAudits struct {
	BaseEpsilon   float64
	Normal, Empty TuningWorlds
	Runs          int // trained in all
}

// mergeTuning joins the shards of each ε; one that has none has no games.
func mergeTuning(c TuningConfig, parts []experiments.Part[TuningShard]) ([]TuningAudits, error) {
	all := make([]TuningAudits, len(c.BaseEpsilons))
	for i, epsilon := range c.BaseEpsilons {
		all[i].BaseEpsilon = epsilon
	}
	for _, p := range parts {
		a := &all[c.epsilon(p.Index)]
		a.Normal.add(p.Result.Normal)
		a.Empty.add(p.Result.Empty)
		a.Runs += p.Result.Runs
	}
	return all, nil
}

func (w *TuningWorlds) add(more TuningWorlds) {
	w.Without.add(more.Without)
	w.Foreign.add(more.Foreign)
	w.Dirac.add(more.Dirac)
}

func (s *TuningScores) add(more TuningScores) {
	s.BaseForeign, s.BaseDirac = append(s.BaseForeign, more.BaseForeign...), append(s.BaseDirac, more.BaseDirac...)
	s.ByValidation.add(more.ByValidation)
	s.ByCanary.add(more.ByCanary)
	s.ByCoordinate.add(more.ByCoordinate)
}

func (s *TunedScores) add(more TunedScores) {
	s.Score, s.Foreign, s.Dirac = append(s.Score, more.Score...), append(s.Foreign, more.Foreign...), append(s.Dirac, more.Dirac...)
}
