package engine_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// The statement of a run names the source of its initial weights. Two runs on all of the data, of σ
// = 2 and 5 steps each, the second from the weights of the first, are one Gaussian of µ = √10/2.
// Its ε at δ is known without the engine.
func TestStatementSaysWhereWeightsCameFrom(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	c := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 2, Steps: 5, ExpectedBatchSize: 40, LearningRate: 0.1}
	c.Sampling = dpsgd.FullBatch{}
	first := train(t, m, d, c.Plan(), engine.Performance{}, "first")
	tail := c.TruncationDelta(m, accounting.AddOrRemoveOne)
	for name, test := range map[string]struct {
		given bool
		from  dpsgd.Provenance
		steps int // of σ = 2 that are priced
		says  string
	}{
		"drawn":         {false, dpsgd.Provenance{}, 5, "the initial weights were drawn from the seed"},
		"not accounted": {true, dpsgd.Provenance{}, 5, "Not covered:"},
		"public":        {true, dpsgd.Provenance{Public: true}, 5, "the given initial weights are public"},
		"event":         {true, dpsgd.Provenance{Event: c.Event(), TruncationDelta: tail}, 10, "the given initial weights cost at most 5 x ClippedSum(σ=2) (included in ε)"},
	} {
		plan := c.Plan()
		if test.given {
			plan.Initial, plan.InitialFrom = &first.Parameters, test.from
		}
		result := train(t, m, d, plan, engine.Performance{}, "second")
		s := must(result.Model(0).Statement(1e-5, "one row", gdp.NewAccountant()))(t)
		if text := s.Full(); !strings.Contains(text, test.says) {
			t.Errorf("%s: statement lacks %q:\n%s", name, test.says, text)
		}
		if lacks := !strings.Contains(s.Full(), "the given initial weights: if they come from the data"); lacks != (name != "not accounted") {
			t.Errorf("%s: wrong about what is not covered:\n%s", name, s.Full())
		}
		want := must(gdp.NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: 2 / math.Sqrt(float64(test.steps))}, 1e-5))(t).Epsilon.Upper
		if got := s.Guarantee.Epsilon.Upper; got < want*(1-1e-12) || got > want*(1+1e-6) {
			t.Errorf("%s: ε <= %.12g: want %.12g, that of %d steps", name, got, want, test.steps)
		}
	}
}

func TestProvenanceIsValidated(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	event := accounting.Gaussian{NoiseMultiplier: 1}
	for want, from := range map[string]dpsgd.Provenance{
		"Plan.InitialFrom is Public and has the Event":                        {Public: true, Event: event},
		"Plan.InitialFrom.TruncationDelta 1: must be in [0, 1)":               {Event: event, TruncationDelta: 1},
		"Plan.InitialFrom.TruncationDelta 0.1: must be 0 without an Event":    {TruncationDelta: 0.1},
		"Plan.InitialFrom.Event: accounting: Gaussian.NoiseMultiplier":        {Event: accounting.Gaussian{}},
		"Plan.InitialFrom is set: must be zero without Plan.Initial (absent)": {Public: true},
	} {
		plan := private().Plan()
		want, absent := strings.CutSuffix(want, " (absent)")
		if !absent {
			weights := randomWeights(m, 1)
			plan.Initial = &weights
		}
		plan.InitialFrom = from
		_, err := engine.NewReplicas(m, d, plan)
		checkError(t, err, []string{want})
	}
}

// The numbers of a model other than its weights must be public. A statement lists that if there are
// such numbers.
func TestStatementNamesThePublicNumbers(t *testing.T) {
	const frozen, targets, code = "the values of frozen layers are public", "the targets of the squared error are public", "the user's own layers and losses treat each example by itself"
	fixed := nn.Frozen(nn.Dense(6, 6), make([]float64, 42))
	for name, test := range map[string]struct {
		loss   nn.Loss
		layers []nn.Layer
		says   []string
	}{
		"nothing": {nn.SoftmaxCrossEntropy(), []nn.Layer{nn.Dense(6, 3)}, nil},
		"frozen":  {nn.SoftmaxCrossEntropy(), []nn.Layer{nn.Residual([]nn.Layer{fixed}), nn.Dense(6, 3)}, []string{frozen}},
		"targets": {nn.SquaredError(1, 2, 3), []nn.Layer{nn.Dense(6, 1)}, []string{targets}},
		"code":    {nn.SquaredError(1, 2, 3), []nn.Layer{fixed, scaledBy(2), nn.Dense(6, 1)}, []string{frozen, targets, code}},
	} {
		m := dpsgd.Model{Name: "m", Input: []int{6}, Layers: test.layers, Loss: test.loss}
		result := train(t, m, blobs(40, 6, 3), private().Plan(), engine.Performance{}, "x")
		text := must(result.Model(0).Statement(1e-5, "one row", rdp.NewAccountant()))(t).Full()
		for _, part := range []string{frozen, targets, code} {
			says := false
			for _, s := range test.says {
				says = says || s == part
			}
			if strings.Contains(text, part) != says {
				t.Errorf("%s: statement says %q: want %v:\n%s", name, part, says, text)
			}
		}
		if !strings.Contains(text, "including the expected batch size, were chosen without looking at the data") {
			t.Errorf("%s: statement says nothing of the expected batch size:\n%s", name, text)
		}
	}
}
