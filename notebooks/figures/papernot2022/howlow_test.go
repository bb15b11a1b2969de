package papernot2022

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
)

func smallHowLow() HowLowConfig {
	return HowLowConfig{Mu: 1, Delta: 1e-5, Families: []laws.Family{laws.TNB(0), laws.Poisson, laws.Fixed}, Means: []float64{2, 10}, Shown: laws.TNB(0).WithMean(10), Cells: 60}
}

// Attained, ours and published are in this order; at mean 10 they are the values of another program
// (see TestLowerLimitAgainstOtherProgram, and selection's tests for ours).
func TestHowLow(t *testing.T) {
	r, err := HowLow(smallHowLow())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	for _, prices := range r.Prices {
		for _, p := range prices {
			if !(p.Attained <= p.Ours && (!p.PublishedKnown || p.Ours <= p.Published)) {
				t.Errorf("%v: attained %g, ours %g, published %g: must be in order", p.Law, p.Attained, p.Ours, p.Published)
			}
		}
	}
	for i, want := range []float64{6.0813, 8.1616} {
		if p := r.Prices[i][1]; math.Abs(p.Ours-want) > 0.002 || !p.OursOwn || p.Ours-p.Attained > 0.01 {
			t.Errorf("%v: ours %.4f by %s, attained %.4f: want %.4f and hardly less", p.Law, p.Ours, p.OursBy, p.Attained, want)
		}
	}
	best := r.Order[0]
	sum := 0.0
	for i, o := range r.Order {
		if i > 0 && !(o.Better >= best.Better) {
			t.Errorf("rank %d: chance %g of a better one, below that of the rank before", i, o.Better)
		}
		best, sum = o, o.Better
	}
	if math.Abs(sum-1) > 0.1 || len(r.Order) != 60 {
		t.Errorf("%d ranks, the last with a chance %g of a better one", len(r.Order), sum)
	}
}

// Without our bound the gain is none, and another order has other turns.
func TestHowLowTable(t *testing.T) {
	r, err := HowLow(smallHowLow())
	if err != nil {
		t.Fatal(err)
	}
	before := r.Table().Rows[0]
	for i := range r.Prices[0] {
		r.Prices[0][i].Ours = r.Prices[0][i].Published
	}
	r.Order = []Ranked{{0, 1}, {0.1, -1}, {0.2, 1}, {0.3, -1}, {0.9, 1}}
	if after := r.Table().Rows[0]; before[7] == "0" || after[7] != "0" || r.turns() != 3 {
		t.Errorf("row %q, then %q; %d turns", before, after, r.turns())
	}
}

func TestHowLowBadInput(t *testing.T) {
	bad := HowLowConfig{Families: []laws.Family{{Name: "x"}}, Means: []float64{3, 2}}
	_, err := HowLow(bad)
	for _, want := range []string{"Mu", "Delta", "Cells", "Shown", "Families[0]", "Means[1]"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %s named", err, want)
		}
	}
}

// One training needs the least noise, published bounds the most; each meets the target at its own
// price.
func TestLeastNoise(t *testing.T) {
	r, err := LeastNoise(NoiseLeftConfig{SamplingRate: 1, Steps: 1, Delta: 1e-5, Epsilons: []float64{2}, Success: 0.9, Top: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	n := r.Noise[0]
	if !(n.Alone < n.Ours.NoiseMultiplier && n.Ours.NoiseMultiplier < n.Published.NoiseMultiplier) {
		t.Errorf("σ %g alone, %g by all bounds, %g by published ones: must be in order", n.Alone, n.Ours.NoiseMultiplier, n.Published.NoiseMultiplier)
	}
	if got := n.Ours.Law.Distribution().SuccessProbability(0.1); math.Abs(got-0.9) > 1e-6 {
		t.Errorf("the winner is among the best tenth with chance %g, want 0.9", got)
	}
	before := r.Table().Rows[0]
	r.Noise[0].Ours.NoiseMultiplier = n.Published.NoiseMultiplier / 2
	if after := r.Table().Rows[0]; after[6] == before[6] || after[6] != "50.0 %" {
		t.Errorf("row %q, with half the noise %q", before, after)
	}
	if _, err := LeastNoise(NoiseLeftConfig{Epsilons: []float64{0}}); err == nil || !strings.Contains(err.Error(), "Epsilons[0]") || !strings.Contains(err.Error(), "SamplingRate") {
		t.Errorf("a config of zeros: %v", err)
	}
}
