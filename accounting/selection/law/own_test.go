package law_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// free is a law of another package that hides a law, and says of itself that it is harmless.
type free struct {
	law.Law
	made law.Distribution
}

func (f free) Distribution() law.Distribution { return f.made }
func (free) Mean() float64                    { return 0 }

func (free) MaxLogWeight(float64, law.Profile) float64 { return 0 }

// A law of another package costs what the list of its chances costs, by the same bounds and wherever it stands; its name and JSON are
// its own.
func TestOwnLaw(t *testing.T) {
	own, base := zipf{Most: 50, Exponent: 2}, accounting.Gaussian{NoiseMultiplier: 1}
	chances := make([]float64, 51)
	for k := range chances {
		chances[k] = math.Exp(own.Distribution().LogPMF(k))
	}
	list := law.PMF{Weights: chances}
	for _, pair := range [][2]law.Law{
		{own, list}, {law.Truncated{Law: own, Max: 20}, law.Truncated{Law: list, Max: 20}}, {law.Capped{Law: own, Max: 20}, law.Capped{Law: list, Max: 20}},
		{free{law.Fixed{Count: 1}, law.Poisson{MeanRepeats: 10}.Distribution()}, law.Poisson{MeanRepeats: 10}},
	} {
		got, err := selection.EventAt(selection.BestOf{Law: pair[0], Base: base}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		want, err := selection.EventAt(selection.BestOf{Law: pair[1], Base: base}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Bounds) != len(want.Bounds) {
			t.Fatalf("%v: %d bounds, want the %d of %v", pair[0], len(got.Bounds), len(want.Bounds), pair[1])
		}
		for i, b := range got.Bounds {
			if w := want.Bounds[i]; b.Name != w.Name || !near(b.Epsilon, w.Epsilon, 1e-9) { // the list was rounded once more
				t.Errorf("%v: ε %.12g by %s, want %.12g by %s", pair[0], b.Epsilon, b.Name, w.Epsilon, w.Name)
			}
		}
		if !strings.Contains(got.Guarantee.Method, pair[0].String()) {
			t.Errorf("%q does not name the %v", got.Guarantee.Method, pair[0])
		}
	}
	text, err := eventjson.Marshal(selection.BestOf{Law: law.Truncated{Law: own, Max: 20}, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	read, err := eventjson.Unmarshal(text)
	if want := (selection.BestOf{Law: law.Truncated{Law: own, Max: 20}, Base: base}); err != nil || !reflect.DeepEqual(read, accounting.Event(want)) {
		t.Errorf("%s is read as %v, %v", text, read, err)
	}
}

// What is not from a law here has no price and draws nothing.
func TestEmptyDistribution(t *testing.T) {
	for _, bad := range []law.Law{free{Law: law.Fixed{Count: 1}}, free{law.Fixed{Count: 1}, law.Poisson{}.Distribution()}, nil} {
		if _, err := law.Of(bad); err == nil {
			t.Errorf("Of(%#v): no error", bad)
		}
		if p, err := selection.EventAt(selection.BestOf{Law: bad, Base: accounting.Gaussian{NoiseMultiplier: 1}}, 1e-5); err == nil {
			t.Errorf("%#v: ε %g, want an error", bad, p.Guarantee.Epsilon.Upper)
		}
		if bad == nil {
			continue
		}
		if k, err := bad.Distribution().Rand(rand.New(rand.NewPCG(1, 1))); err == nil {
			t.Errorf("%#v drew %d", bad, k)
		}
		if got := bad.Distribution().Mean(); !math.IsNaN(got) {
			t.Errorf("%#v: mean %g, want NaN", bad, got)
		}
	}
}

// A law without a form in JSON is an error, not another law.
func TestNoFormat(t *testing.T) {
	if _, err := eventjson.Marshal(selection.BestOf{Law: free{law.Fixed{Count: 1}, law.Fixed{Count: 2}.Distribution()}, Base: accounting.Gaussian{NoiseMultiplier: 1}}); err == nil || !strings.Contains(err.Error(), "law.RegisterFormat") {
		t.Errorf("a law without a format: %v, want an error that names what would do", err)
	}
}
