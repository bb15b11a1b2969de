package dpsgd

import (
	"crypto/sha256"
	"fmt"
	"hash"

	"github.com/dplab/dplab/dptune/dpsgd/internal/digest"
)

// Identity returns a hash of all fields of the config. Its clipping and optimizer are hashed by
// type and String. whole reports whether both are this package's own. Only then does the hash cover
// all of the config: your own code has no hash.
func (c Config) Identity() (sum []byte, whole bool) {
	c = c.WithDefaults()
	rule, o := c.Clipping, c.Optimizer
	c.Clipping, c.Optimizer = nil, nil
	return digest.JSON(c, fmt.Sprintf("%T", rule), rule.String(), fmt.Sprintf("%T", o), o.String()), Builtin(rule) && Builtin(o)
}

// Identity returns a hash of the plan, without its Generator, its Average, its InitialFrom, its
// Evaluate, KeepSlots and the functions that observe it. Functions are hashed by their values.
// Canary.GradientAt is hashed at all steps, or at evenly spaced steps if all steps have more than
// gradients numbers; gradients is at least 1. whole reports whether all clipping rules,
// optimizers and steps are this package's own. The plan must be valid.
func (p Plan) Identity(gradients int) (sum []byte, whole bool) {
	h := sha256.New()
	whole = true
	for _, c := range p.Replicas {
		sum, all := c.Identity()
		whole = whole && all
		h.Write(sum)
	}
	h.Write(digest.JSON(len(p.Replicas), p.SharedBatches, p.ClipMethod, len(p.Probes), p.Initial != nil, p.Canary != nil))
	for t := range p.Replicas[0].Steps {
		digest.Add(h, p.Schedule.At(t))
	}
	for _, direction := range p.Probes {
		digest.Add(h, direction)
	}
	if p.Initial != nil {
		h.Write(digest.JSON(len(p.Initial.Values)))
		for _, values := range p.Initial.Values {
			digest.Add(h, values)
		}
	}
	if p.Own != nil { // its steps are the caller's code
		whole = false
		h.Write(digest.JSON("own", fmt.Sprint(p.Own.Event), p.Own.TruncationDelta, p.Own.State))
	}
	if p.Canary != nil {
		h.Write(digest.JSON(p.Canary.In, p.Canary.Example))
		digest.Add(h, p.Canary.Gradient)
		p.hashSteps(h, gradients)
	}
	if c := p.Canaries; c != nil {
		h.Write(digest.JSON("canaries", c.Coordinates, len(c.Gradients), c.Examples, c.In))
		for _, gradient := range c.Gradients {
			digest.Add(h, gradient)
		}
		if c.At != nil {
			h.Write(digest.JSON("at"))
			p.hashAt(h, c.At)
		}
	}
	return h.Sum(nil), whole
}

// hashSteps adds the functions of the canary.
func (p Plan) hashSteps(h hash.Hash, most int) {
	c, steps, size := p.Canary, p.Replicas[0].Steps, 0
	p.hashAt(h, c.At)
	for r := 0; r < len(p.Replicas) && c.GradientAt != nil; r++ {
		stride := max(1, steps*len(p.Replicas)*size/most)
		for t := 0; t < steps && c.In[r]; t += stride {
			gradient := c.GradientAt(t, r)
			size = len(gradient)
			digest.Add(h, gradient)
		}
	}
}

// hashAt adds the steps that canaries may take part in.
func (p Plan) hashAt(h hash.Hash, at func(step int) bool) {
	for t := range p.Replicas[0].Steps {
		digest.Add(h, at == nil || at(t))
	}
}
