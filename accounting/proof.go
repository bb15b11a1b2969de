package accounting

import "encoding/json"

// ProofVersion is the version of the format that this package writes.
const ProofVersion = 1

// Proof is what a program needs to check a [Certificate] once more, without trust in the one that
// made it. Package verify reads it. The format is described there.
type Proof struct {
	Version int             `json:"version"`
	Event   json.RawMessage `json:"event"` // as it was asked about: see package eventjson
	Step
}

// Step is one step of a proof: a rule, the numbers that it takes, and the steps that it uses.
type Step struct {
	Rule    string          `json:"rule"`
	Witness json.RawMessage `json:"witness,omitempty"`
	Of      []Step          `json:"of,omitempty"`
}

var (
	proofShape = shape{"proof", []string{"version", "event", "rule"}, []string{"witness", "of"}}
	stepShape  = shape{"step", []string{"rule"}, []string{"witness", "of"}}
)

// UnmarshalJSON reads a proof. Unknown fields are errors.
func (p *Proof) UnmarshalJSON(text []byte) error {
	var in struct {
		Version int
		Event   json.RawMessage
		Rule    string
		Witness json.RawMessage
		Of      []Step
	}
	err := proofShape.read(text, &in)
	*p = Proof{in.Version, in.Event, Step{in.Rule, in.Witness, in.Of}}
	return err
}

// UnmarshalJSON reads a step. Unknown fields are errors.
func (s *Step) UnmarshalJSON(text []byte) error {
	type plain Step // without this method
	return stepShape.read(text, (*plain)(s))
}
