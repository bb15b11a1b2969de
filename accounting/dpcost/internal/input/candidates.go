package input

import (
	"fmt"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection/expost"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Candidates is a search among candidates of different ε, as a file lists it.
type Candidates struct {
	expost.Event
	Names []string
	Delta float64 // 0 if the file has none
}

// MostCandidates keeps an answer within some ten seconds. Each candidate needs some hundred
// questions about its runs.
const MostCandidates = 200

// ReadCandidates reads a file, or standard input.
func ReadCandidates(path string) (Candidates, error) {
	text, err := ReadText("expost", path)
	if err != nil {
		return Candidates{}, err
	}
	c, err := parseCandidates(text)
	if err != nil {
		return Candidates{}, fmt.Errorf("expost %s: %w", path, err)
	}
	return c, nil
}

// parseCandidates reads {"law": {...}, "candidates": [...]} with the optional field "delta". A
// candidate is an event with the optional fields "name" and "weight". Faults name candidate and
// field.
func parseCandidates(text []byte) (Candidates, error) {
	var t Candidates
	o := eventjson.NewObject(text)
	if o.Has("delta") {
		if t.Delta = o.Float("delta"); !check.OpenUnit.Holds(t.Delta) {
			o.Fault("delta", "%g: %s", t.Delta, check.OpenUnit.Text)
		}
	}
	t.Law = law.Read(o.Object("law"))
	candidates := o.Objects("candidates")
	for i, inner := range candidates {
		name := fmt.Sprintf("candidate %d", i+1)
		if inner.Has("name") {
			name = inner.Text("name")
		}
		var c expost.Candidate
		if weighted := candidates[0].Has("weight"); inner.Has("weight") {
			if c.Weight = inner.Float("weight"); !check.Rate.Holds(c.Weight) {
				inner.Fault("weight", "%g: %s", c.Weight, check.Rate.Refuses(c.Weight))
			} else if !weighted {
				inner.Fault("weight", "%g: must be given for all candidates or for none", c.Weight)
			}
		} else if weighted {
			inner.Fault("weight", "is missing: must be given for all candidates or for none")
		}
		c.Event = inner.AsEvent()
		t.Names, t.Candidates = append(t.Names, name), append(t.Candidates, c)
	}
	o.Done()
	if n := len(candidates); n > MostCandidates {
		o.Fault("candidates", "%d candidates: must be at most %d", n, MostCandidates)
	}
	if err := o.Err(); err != nil {
		return Candidates{}, err
	}
	if err := t.Validate(); err != nil {
		o.Invalid(err)
	}
	return t, o.Err()
}
