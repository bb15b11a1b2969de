package selected

import (
	"math"

	"github.com/dplab/dplab/accounting"
)

// The rules of proofs by this package. Each has a Witness, and steps that show privacy profiles of
// one run.
const (
	RulePointwise   = "best of K by ranks"
	RuleInterleaved = "best of K by ranks that are taken"
	RuleProfile     = "best of K by a ratio of weights"
	RuleRenyi       = "best of K by a Rényi divergence"
	RuleFirstAbove  = "first above by shares"
	RuleFirstRenyi  = "first above by a Rényi divergence"
	RuleSearch      = "threshold tests" // By
	RuleChoice      = "a choice that comes first"
	RuleFirstBest   = "first above as a post-processing of the best of K" // without a Witness
	RuleValues      = "values of a profile"                               // with Run only
	RulePublished   = "all runs, as if their number were public"          // with Counts only
	RuleFates       = "a tuning on a sample, then a training"             // without a Witness
)

// Witness is what a proof of a selection takes.
type Witness struct {
	Run     []Epsilons        `json:"run,omitempty"`   // of each profile of one run
	Slack   float64           `json:"slack,omitempty"` // a share of δ, that of a Check
	Slopes  []float64         `json:"slopes,omitempty"`
	Weights []float64         `json:"weights,omitempty"`
	Masses  []float64         `json:"masses,omitempty"`
	Order   accounting.Number `json:"order,omitempty"`
	Counts  []int             `json:"counts,omitempty"` // of RulePublished, rising
	By      string            `json:"by,omitempty"`     // of RuleSearch
}

// By returns the check that a witness of RuleSearch names: "losses", "tests" or "pure", next to
// events with a profile, or "Rényi" without others. It is nil if there is none.
func (s Search) By(w Witness, after Run, delta float64) Check {
	switch w.By {
	case "losses":
		return s.Losses(after, delta)
	case "tests":
		return s.Tests(after)
	case "pure":
		return s.Pure(after)
	case "Rényi":
		if len(w.Run) == 0 {
			return s.Renyi(float64(w.Order), 0)
		}
	}
	return nil
}

// Nothing is a run that reveals nothing.
func Nothing() Run { return NewRun([]Known{{}}) }

// Epsilons are ε at which a profile of one run is asked: the numbers of List, and Count others.
// These are the multiples of Step from 0 to End, and then Far in each doubling.
type Epsilons struct {
	Step  float64   `json:"step,omitempty"`
	End   int       `json:"end,omitempty"`
	Far   int       `json:"far,omitempty"`
	Count int       `json:"count,omitempty"`
	List  []float64 `json:"list,omitempty"`
}

// MostEpsilons bounds the values of one profile.
const MostEpsilons = 1 << 14

// Values returns the ε.
func (e Epsilons) Values() []float64 {
	all := append([]float64{}, e.List...)
	for i := range min(e.Count, MostEpsilons) {
		if i <= e.End {
			all = append(all, e.Step*float64(i))
		} else {
			all = append(all, e.Step*float64(e.End)*math.Exp2(float64(i-e.End)/float64(e.Far)))
		}
	}
	return all
}
