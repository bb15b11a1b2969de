package subsample_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// gridEpsilon is ε at δ over the integer orders 2..64, as in the rows.
func gridEpsilon(curve rdp.Curve, delta float64) float64 {
	least := math.Inf(1)
	for order := 2.0; order <= 64; order++ {
		least = math.Min(least, rdp.CanonneKamathSteinke.Epsilon(order, curve(order), delta))
	}
	return least
}

// gridTuning is Theorem 6 of 2022 with δ̂ the least over the integer orders 2..64.
func gridTuning(base rdp.Curve, mean float64) rdp.Curve {
	divergences := map[float64]float64{}
	for order := 2.0; order <= 64; order++ {
		divergences[order] = base(order)
	}
	return func(order float64) float64 {
		logDelta := 0.0
		for other, divergence := range divergences {
			logDelta = math.Min(logDelta, rdp.CanonneKamathSteinke.LogDelta(other, divergence, math.Log1p(1/(order-1))))
		}
		return base(order) + mean*math.Exp(logDelta) + numeric.Log(mean)/(order-1)
	}
}

// The published bounds against ../testdata/vectors.json, "koskela_kulkarni", which other
// software computed at the same orders.
func TestTuneThenTrainVectors(t *testing.T) {
	data, err := os.ReadFile("../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Koskela struct {
			Note string
			Rows []struct {
				Sigma              float64
				SGDRate            float64 `json:"sgd_q"`
				Steps              int
				Delta, Mu          float64
				TuneRate           float64 `json:"tune_q"`
				Base               float64
				Baseline           float64 `json:"ps_baseline"`
				Variant1, Variant2 float64
			}
		} `json:"koskela_kulkarni"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Koskela.Rows) != 9 {
		t.Fatalf("%d rows: must be 9", len(v.Koskela.Rows))
	}
	for i, row := range v.Koskela.Rows {
		if testing.Short() && i%8 != 0 {
			continue
		}
		base, err := rdp.FromEvent(sgd(row.SGDRate, row.Sigma, row.Steps))
		if err != nil {
			t.Fatal(err)
		}
		tuning := gridTuning(base, row.Mu)
		first, err := subsample.KoskelaTheorem6(tuning, base, row.TuneRate)
		if err != nil {
			t.Fatal(err)
		}
		second, err := rdp.ZhuWang(tuning, row.TuneRate)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name  string
			curve rdp.Curve
			want  float64
		}{
			{"base", base, row.Base}, {"baseline", tuning, row.Baseline},
			{"variant 1", first, row.Variant1}, {"variant 2", rdp.Sum(second, base), row.Variant2},
		} {
			if got := gridEpsilon(c.curve, row.Delta); !near(got, c.want, 1e-9) {
				t.Errorf("%+v: %s: ε %.12g: want %.12g (%s)", row, c.name, got, c.want, v.Koskela.Note)
			}
		}
		checkPrice(t, row.SGDRate, row.Sigma, row.Steps, row.Mu, row.TuneRate, row.Delta, row.Variant1, row.Variant2)
	}
}

// checkPrice asks that the least bound is at most the published one, and that training on
// the rest is never above training on all.
func checkPrice(t *testing.T, sgdRate, sigma float64, steps int, mean, rate, delta, variant1, variant2 float64) {
	t.Helper()
	event := sgd(sgdRate, sigma, steps)
	least := map[subsample.Variant]float64{}
	for variant, published := range map[subsample.Variant]float64{subsample.RestOfData: variant1, subsample.AllData: variant2} {
		price, err := subsample.PriceAt(subsample.Event{
			TuningRate: rate, Variant: variant, Training: event,
			Tuning: selection.BestOf{Law: law.Poisson{MeanRepeats: mean}, Base: event},
		}, delta)
		if err != nil {
			t.Fatal(err)
		}
		least[variant] = price.Least().Epsilon
		if least[variant] > published*(1+1e-9) {
			t.Errorf("σ %g, rate %g, %v: least ε %g: must be at most the published bound %g", sigma, rate, variant, least[variant], published)
		}
		if b, ok := price.LeastPublished(); !ok || b.Epsilon > published*(1+1e-4) {
			t.Errorf("σ %g, rate %g, %v: published bound %g at all orders: must be at most %g at integer ones", sigma, rate, variant, b.Epsilon, published)
		}
	}
	if least[subsample.RestOfData] > least[subsample.AllData]*(1+1e-9) {
		t.Errorf("σ %g, rate %g: training on the rest costs %g, on all %g", sigma, rate, least[subsample.RestOfData], least[subsample.AllData])
	}
}

// With one run and Gaussian parts the truth is a mixture of shifts in the plane, whose δ a
// fine partition bounds from below.
func TestTuneThenTrainOfGaussiansAgainstPartition(t *testing.T) {
	const sigma1, sigma2, rate, delta = 0.8, 1.5, 0.2, 1e-3
	for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
		price, err := subsample.PriceAt(subsample.Event{
			TuningRate: rate, Variant: variant, Training: accounting.Gaussian{NoiseMultiplier: sigma2},
			Tuning: selection.BestOf{Law: law.Fixed{Count: 1}, Base: accounting.Gaussian{NoiseMultiplier: sigma1}},
		}, delta, contour.NewAccountant())
		if err != nil {
			t.Fatal(err)
		}
		truth := planeDelta(rate, 1/sigma1, 1/sigma2, variant)
		for _, b := range price.Bounds {
			if exact := truth(b.Epsilon); exact > delta {
				t.Errorf("%v, %s: ε %g at δ %g: δ is at least %g", variant, b.Name, b.Epsilon, delta, exact)
			}
		}
		// The truth is not far: at 0.6 of the least bound δ is exceeded.
		if exact := truth(0.6 * price.Least().Epsilon); exact < delta {
			t.Errorf("%v: the least bound %g is far above the truth: δ at 0.6 of it is %g", variant, price.Least().Epsilon, exact)
		}
	}
}

// planeDelta returns the δ at ε of the pair on a grid of cells.
func planeDelta(rate, mu1, mu2 float64, variant subsample.Variant) func(epsilon float64) float64 {
	const h = 0.05
	cell := func(x, mu float64) float64 { return numeric.NormalCDF(x+h-mu) - numeric.NormalCDF(x-mu) }
	var with, without []float64
	for x := -7.0; x < 9; x += h {
		for y := -7.0; y < 9; y += h {
			insideTrain := cell(y, 0)
			if variant == subsample.AllData {
				insideTrain = cell(y, mu2)
			}
			with = append(with, rate*cell(x, mu1)*insideTrain+(1-rate)*cell(x, 0)*cell(y, mu2))
			without = append(without, cell(x, 0)*cell(y, 0))
		}
	}
	d := enumerate.Of(with, without)
	return d.Delta
}

func TestTuneThenTrainEnds(t *testing.T) {
	event := sgd(0.01, 2, 1000)
	tuning := selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: event}
	alone, err := selection.EventAt(tuning, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	at := func(rate float64) accounting.Price {
		price, err := subsample.PriceAt(subsample.Event{TuningRate: rate, Tuning: tuning, Training: event, Variant: subsample.RestOfData}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		return price
	}
	if got, want := at(1).Least().Epsilon, alone.Least().Epsilon; !near(got, want, 1e-6) {
		t.Errorf("rate 1: ε %g: want %g of the tuning alone", got, want)
	}
	if got, want := at(1e-9).Least().Epsilon, alone.OneRun.Epsilon.Upper; !near(got, want, 1e-3) {
		t.Errorf("rate 1e-9: ε %g: want %g of the training alone", got, want)
	}
	binomial, err := subsample.PriceAt(subsample.Event{
		TuningRate: 0.1, Training: event, Variant: subsample.RestOfData,
		Tuning: selection.BestOf{Law: law.Binomial{Trials: 20, P: 0.5}, Base: event},
	}, 1e-5)
	if err != nil || math.IsInf(binomial.Least().Epsilon, 1) {
		t.Errorf("binomial law: %v, %v: must have a finite bound", binomial.Guarantee, err)
	}
}

func TestTuneThenTrainValidate(t *testing.T) {
	event := accounting.Gaussian{NoiseMultiplier: 1}
	good := subsample.Event{TuningRate: 0.1, Tuning: selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: event}, Training: event, Variant: subsample.AllData}
	for name, c := range map[string]struct {
		change func(*subsample.Event)
		want   string
	}{
		"rate":     {func(e *subsample.Event) { e.TuningRate = 0 }, "TuningRate 0: must be in (0, 1]"},
		"tuning":   {func(e *subsample.Event) { e.Tuning.Law = nil }, "Law is nil"},
		"training": {func(e *subsample.Event) { e.Training = nil }, "Training is nil"},
		"variant":  {func(e *subsample.Event) { e.Variant = 0 }, "Variant 0: must be"},
	} {
		e := good
		c.change(&e)
		if _, err := subsample.PriceAt(e, 1e-5); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v: must contain %q", name, err, c.want)
		}
	}
	if _, err := subsample.PriceAt(good, 0); err == nil {
		t.Error("δ 0: must be refused")
	}
	good.Training = accounting.NonPrivate{}
	price, err := subsample.PriceAt(good, 1e-5)
	if err != nil || !math.IsInf(price.Guarantee.Epsilon.Upper, 1) {
		t.Errorf("training without noise: %v, %v: must cost +Inf", price.Guarantee, err)
	}
}

// What does it cost to tune on a tenth of the data, then train on the rest?
func ExamplePriceAt() {
	run := sgd(0.01, 2, 5000)
	price, err := subsample.PriceAt(subsample.Event{
		TuningRate: 0.1,
		Tuning:     selection.BestOf{Law: law.Poisson{MeanRepeats: 15}, Base: run},
		Training:   run,
		Variant:    subsample.RestOfData,
	}, 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Printf("training alone %.3f\n", price.OneRun.Epsilon.Upper)
	for _, b := range price.Bounds {
		fmt.Printf("%.3f %s\n", b.Epsilon, b.Name)
	}
	// Output:
	// training alone 1.477
	// 1.503 likelihood ratios, contour
	// 1.995 sharpened RDP
	// 2.401 Theorem 6 of 2023
}

func BenchmarkTuneThenTrain(b *testing.B) {
	run := sgd(0.01, 2, 5000)
	for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
		b.Run(variant.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := subsample.PriceAt(subsample.Event{
					TuningRate: 0.1, Variant: variant, Training: run,
					Tuning: selection.BestOf{Law: law.Poisson{MeanRepeats: 15}, Base: run},
				}, 1e-5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// In corners every bound is finite, and training on the rest is at most as dear as on all,
// by Rényi curves as by the least bound.
func TestTuneThenTrainCorners(t *testing.T) {
	logarithmic := tnb(t, 0, 15)
	for i, c := range []struct {
		event       accounting.Event
		law         law.Law
		rate, delta float64
	}{
		{sgd(0.01, 0.3, 100_000), logarithmic, 0.1, 1e-5},
		{sgd(0.01, 2, 5000), law.Poisson{MeanRepeats: 15}, 0.1, 0.1},
		{sgd(0.01, 2, 5000), law.Poisson{MeanRepeats: 15}, 1 - 1e-9, 1e-5},
		{sgd(0.01, 2, 5000), logarithmic, 1e-7, 1e-300},
		{sgd(1e-6, 1, 1_000_000), law.Poisson{MeanRepeats: 15}, 0.1, 1e-5},
		{accounting.Gaussian{NoiseMultiplier: 1e-3}, logarithmic, 0.5, 1e-5},
		{accounting.Gaussian{NoiseMultiplier: 1000}, law.Binomial{Trials: 20, P: 0.5}, 0.5, 1e-5},
	} {
		if testing.Short() && i%3 != 0 {
			continue
		}
		var epsilon, curves [3]float64
		for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
			event := subsample.Event{TuningRate: c.rate, Tuning: selection.BestOf{Law: c.law, Base: c.event}, Training: c.event, Variant: variant}
			price, err := subsample.PriceAt(event, c.delta)
			if err != nil {
				t.Fatal(err)
			}
			epsilon[variant] = price.Least().Epsilon
			for _, b := range price.Bounds {
				if math.IsInf(b.Epsilon, 1) || b.Epsilon < 0 {
					t.Errorf("%v, δ %g: %s: ε %g: must be finite", event, c.delta, b.Name, b.Epsilon)
				}
				if b.Name == "sharpened RDP" {
					curves[variant] = b.Epsilon
				}
			}
		}
		// The search over orders stops 1e-5 short in ln(α-1), the splits are a grid.
		if curves[1] > curves[2]*(1+1e-6) || epsilon[1] > epsilon[2]*(1+1e-2) {
			t.Errorf("%v, %v, rate %g, δ %g: on the rest %g (curves %g), on all %g (%g)", c.event, c.law, c.rate, c.delta, epsilon[1], curves[1], epsilon[2], curves[2])
		}
	}
}

// What prices of many samples share changes no bit of them.
func TestPreparedPrices(t *testing.T) {
	run := accounting.SelfComposed{Event: accounting.PoissonSampled{SamplingRate: 0.02, Event: accounting.Gaussian{NoiseMultiplier: 2}}, Count: 300}
	for i, runs := range []law.Law{law.Poisson{MeanRepeats: 5}, law.TNB{Eta: 1, Gamma: 0.2}, law.Binomial{Trials: 8, P: 0.5}} {
		if testing.Short() && i > 0 {
			break
		}
		event := subsample.Event{TuningRate: 0.7, Tuning: selection.BestOf{Law: runs, Base: run}, Training: run, Variant: subsample.AllData}
		shared, err := subsample.Prepare(event, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		for _, rate := range []float64{0.3, 0.05} {
			for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
				event.TuningRate, event.Variant = rate, variant
				want, err := subsample.PriceAt(event, 1e-5)
				if err != nil {
					t.Fatal(err)
				}
				got, err := shared.PriceAt(rate, variant)
				if err != nil || !reflect.DeepEqual(got.Bounds, want.Bounds) {
					t.Errorf("%v at %v, %v: %v, %v, want %v", runs, rate, variant, got.Bounds, err, want.Bounds)
				}
			}
		}
		if _, err := shared.PriceAt(1.5, subsample.AllData); err == nil {
			t.Error("a rate of 1.5 is priced")
		}
	}
}

// Tuning and training are of one kind, of which no profile is certified: that is said once.
func TestWarningsAreSaidOnce(t *testing.T) {
	run := accounting.ZCDP{Rho: 0.01}
	price, err := subsample.PriceAt(subsample.Event{
		TuningRate: 0.1, Tuning: selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: run}, Training: run, Variant: subsample.RestOfData,
	}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for _, w := range price.Guarantee.Warnings {
		said[w.Error()]++
	}
	if len(said) == 0 {
		t.Error("no warning: want that nothing is certified")
	}
	for text, times := range said {
		if times > 1 {
			t.Errorf("%d times: %s", times, text)
		}
	}
}
