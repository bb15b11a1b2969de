package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// Own declares that batches, clip norms and noise of a run are the caller's own: see
// engine.Replicas.RunOwn. Weights move by the optimizer, and the run has checkpoints, progress,
// probes and a statement like others.
//
// The engine cannot check that the steps cost what Event states. It believes the event, and the
// first assumption of a statement lists that.
type Own struct {
	// Event is the cost of the whole run of one replica for any one example. Required.
	// accounting.NonPrivate is the event of a run without a guarantee.
	Event accounting.Event

	// TruncationDelta is the part of δ to set aside for truncated noise, in [0, 1). The normals of
	// engine.OwnStep are truncated: [Config.TruncationDelta] of a config with as many steps and the
	// least noise multiplier, for the relation of the statement, is enough for them. 0 sets nothing
	// aside.
	TruncationDelta float64

	// State are the first values of numbers that steps keep and change, such as a clip norm that
	// adapts. Each replica has its own copy, in checkpoints and in Result.State. Publishing them
	// must be part of Event.
	State []float64
}

// validate returns every fault of the declaration, joined.
func (o Own) validate() error {
	f := check.In("dpsgd: Plan.Own.")
	if o.Event == nil {
		f.That(false, "Event", "is nil", "must be what the run costs (accounting.NonPrivate{} for no guarantee)")
	} else if err := o.Event.Validate(); err != nil {
		f.Below("Event", err)
	}
	f.That(o.TruncationDelta >= 0 && o.TruncationDelta < 1, "TruncationDelta", o.TruncationDelta, "must be in [0, 1)")
	if len(o.State) > 0 {
		f.Each("State", o.State, check.Finite)
	}
	return f.Err()
}

// validateOwn returns every fault of a plan with Own, joined. Configs have only what moves weights.
func (p Plan) validateOwn() error {
	f := check.In("dpsgd: Plan.")
	f.Add(p.Own.validate())
	f.That(!p.SharedBatches, "SharedBatches", p.SharedBatches, "must be false with Own")
	f.That(p.Canary == nil && p.Canaries == nil, "Canary", "or Canaries are given", "must be nil with Own, whose batches are the caller's")
	for r, c := range p.Replicas {
		name := fmt.Sprintf("Replicas[%d].", r)
		must := func(holds bool, field string, value any) {
			f.That(holds, name+field, value, "must be zero with Own, whose steps are the caller's")
		}
		must(c.Sampling == nil, "Sampling", c.Sampling)
		must(c.NoiseMultiplier == 0, "NoiseMultiplier", c.NoiseMultiplier)
		must(c.ClipNorm == 0, "ClipNorm", c.ClipNorm)
		must(!c.NonPrivate, "NonPrivate", c.NonPrivate)
		must(c.UnitsPerClip == 0, "UnitsPerClip", c.UnitsPerClip)
		must(c.Noise == nil, "Noise", c.Noise)
		must(len(c.Phases) == 0, "Phases", c.Phases)
		rule, perLayer := c.WithDefaults().Clipping.(PerLayerClipping)
		f.That(rule.Norms == nil, name+"Clipping", c.WithDefaults().Clipping, "must have no Norms with Own, whose clip norms may change")
		if !perLayer && Builtin(c.WithDefaults().Clipping) {
			f.Below(name+"Clipping", c.WithDefaults().Clipping.Validate(0, 0))
		}
		c.validateMoves(f, name)
	}
	return f.Err()
}

// claim returns the claim of a statement about a run of the caller's own steps.
func (o Own) claim(c Config, from Provenance) claim {
	return claim{
		subject: "the weights of one model trained by the user's own steps", event: from.before(o.Event),
		truncation: min(1, o.TruncationDelta+from.TruncationDelta),
		assumptions: append([]string{
			fmt.Sprintf("the user's own batches, clip norms and noise cost at most %v (as given: nothing has checked it)", o.Event),
			chosenBlindly, secretSeed,
		}, c.foreignCodeAssumptions()...),
		rounding: c.roundingNotCovered(),
	}
}
