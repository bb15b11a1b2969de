package certificate

import (
	"encoding/json"

	"github.com/dplab/dplab/accounting"
)

// Rules of proofs that are about an event and not about a bound. Package verify has all rules but
// RulePairs, which is for those that show the pairs.
const (
	RuleForm    = "simplest form" // Form
	RuleReserve = "reserve"       // Reserve
	RuleWorst   = "worst of several"
	RuleSample  = "sampling lemma"
	RulePublic  = "public steps"      // of batches
	RuleFalls   = "a smaller ε"       // At: δ falls with ε
	RuleSum     = "basic composition" // Parts
	RulePairs   = "laws on a grid of pairs that are not shown"
)

// Parts is the witness of RuleSum: ε of each event of a composition.
type Parts struct {
	Epsilons []float64 `json:"epsilons"`
}

// At is the witness of RuleFalls: an ε at or below that of the step.
type At struct {
	Epsilon float64 `json:"epsilon"`
}

// Form is the witness of RuleForm: the event in its simplest form under the relation.
type Form struct {
	Event json.RawMessage `json:"event"`
}

// Reserve is the witness of RuleReserve: a part of δ.
type Reserve struct {
	Delta float64 `json:"delta"`
}

// Proof returns a proof of one step, without its event. It is nil if one of the steps that it uses
// is not known, or if the witness has no JSON form.
func Proof(rule string, witness any, of ...*accounting.Proof) *accounting.Proof {
	step := accounting.Step{Rule: rule}
	if witness != nil {
		text, err := json.Marshal(witness)
		if err != nil {
			return nil
		}
		step.Witness = text
	}
	for _, used := range of {
		if used == nil || used.Rule == RulePairs {
			return nil
		}
		step.Of = append(step.Of, used.Step)
	}
	return &accounting.Proof{Step: step}
}
