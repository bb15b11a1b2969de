package index

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/advise"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/lastiterate"
	"github.com/dplab/dplab/accounting/ledger"
	"github.com/dplab/dplab/accounting/lratio"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/expost"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/accounting/selection/worstorder"
	"github.com/dplab/dplab/accounting/verify"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/audit/record"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// privacyTypes are the types of results that are read as privacy: what stands beside an error must
// then be on the safe side.
var privacyTypes = []string{
	"float64", "Interval", "Guarantee", "Statement", "Price", "Bound", "ApproxDP", "CLT", "ApproximateMu", "ApproximateEpsilon",
	"Optimum", "Advice", "Drawing", "Search", "ThresholdSearch", "Config", "Release", "Planned", "ExPostPrice",
	"Report", "Rate", "Verdict", "Plan", "Guesses", "Prepared", "Heuristic",
}

// otherTypes are those that are not, with what they are. Where they are pointers, slices, functions or interfaces they
// are nil beside an error, and of no use.
var otherTypes = map[string]string{
	"byte": "text", "int": "counts, or steps: each has a case where it is a calibration", "bool": "", "int32": "classes", "Duration": "time",
	"Event": "what an accountant validates", "Node": "an event, taken apart", "SampledWithoutReplacement": "an event", "MixtureOfGaussians": "an event, refused if zero", "Accountant": "asks; has no answer", "Curve": "nil", "DiscretePair": "an event", "ProfileBound": "an event", "RenyiBound": "an event", "Root": "a secret, refused if zero",
	"TradeOff": "nil", "Run": "what is known of one run: prices refuse the zero one", "Distribution": "a law, refused if zero",
	"TNB": "a law, refused if zero", "Law": "a law", "Scores": "scores, refused if empty", "Profile": "a claim, refused if empty", "Band": "of a ROC", "ROC": "points",
	"Attack": "a canary and its scores", "HiddenResult": "scores of games", "OneRunResult": "scores of games", "ShadowsResult": "confidences of models", "Result": "scores of games, or a nil pointer", "TuningResult": "scores of games", "Monitor": "nil", "SGDSetting": "refused if zero", "Grid": "values, refused if empty",
	"Outcome": "nil slice", "Dataset": "data", "Chart": "a picture, refused if empty", "Panels": "pictures, refused if empty", "Memory": "bytes", "Performance": "speed", "Evaluator": "nil", "Trainer": "nil", "Replicas": "nil", "Results": "nil",
	"Head": "a first line, which new files refuse if zero", "Ledger": "nil",
	"Answer": "a claim, not verified", "Checker": "nil", "Shown": "nil", "CorrelatedNoise": "nil, which is independent noise", "Part": "laws, those of no privacy if zero",
}

// besideErrors calls each exported function that returns such a value and an error wrongly, and says what must
// stand beside the error.
func besideErrors(t *testing.T) map[string][]besideError {
	nan, inf := math.NaN(), math.Inf(1)
	noise := func(sigma float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: sigma} }
	fine, bad := noise(1), noise(-1)
	never := func(float64) accounting.Event { return accounting.NonPrivate{} }
	target, exchanged := accounting.Target{Epsilon: 0.5, Delta: 1e-5}, accounting.Target{Epsilon: 1e-5, Delta: 0.5}
	calibration := func(event func(float64) accounting.Event, at accounting.Target) accounting.Calibration {
		return accounting.Calibration{Accountant: gdp.NewAccountant(), Event: event, Target: at}
	}
	nothing, noEpsilon, noDelta := accounting.NoGuarantee(), accounting.NoEpsilon(), accounting.NoDelta()
	runs := law.Fixed{Count: 2}
	base, err := baserun.New(fine)
	if err != nil {
		t.Fatal(err)
	}
	// What all accountants have, called with an event that is not valid, unknown or missing, and with bad numbers.
	all := map[string][]besideError{}
	accountant := func(name string, a interface {
		EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error)
		DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error)
	}) {
		for _, event := range []accounting.Event{bad, unknownEvent{}, nil, accounting.SelfComposed{Event: bad, Count: 2}, accounting.Parallel{Events: []accounting.Event{fine, bad}}, accounting.Composed{}} {
			all[name+".EpsilonAt"] = append(all[name+".EpsilonAt"], beside(nothing)(a.EpsilonAt(event, 1e-5)))
			all[name+".DeltaAt"] = append(all[name+".DeltaAt"], beside(noDelta)(a.DeltaAt(event, 1)))
		}
		for _, x := range []float64{-1, nan, inf} {
			all[name+".EpsilonAt"] = append(all[name+".EpsilonAt"], beside(nothing)(a.EpsilonAt(fine, x)))
			all[name+".DeltaAt"] = append(all[name+".DeltaAt"], beside(noDelta)(a.DeltaAt(fine, x)))
		}
	}
	accountant("accounting.WithDeltaReserve", accounting.WithDeltaReserve{Accountant: gdp.NewAccountant()})
	accountant("accounting.WithDeltaReserve", accounting.WithDeltaReserve{Accountant: gdp.NewAccountant(), Delta: 1e-9})
	accountant("accounting.WithDeltaReserve", accounting.WithDeltaReserve{Accountant: gdp.NewAccountant(), Delta: 1})
	accountant("accounting.WithDeltaReserve", accounting.WithDeltaReserve{Accountant: gdp.NewAccountant(), Delta: 2})
	accountant("accounting/auto.Accountant", auto.NewAccountant())
	accountant("accounting/contour.Accountant", contour.NewAccountant())
	accountant("accounting/gdp.Accountant", gdp.NewAccountant())
	accountant("accounting/lratio.Accountant", lratio.NewAccountant())
	accountant("accounting/pld.Accountant", pld.NewAccountant())
	accountant("accounting/rdp.Accountant", rdp.NewAccountant())
	add := func(name string, cases ...besideError) { all[name] = append(all[name], cases...) }

	add("accounting.Calibration.Least", beside(inf)(calibration(noise, exchanged).Least()), beside(inf)(accounting.Calibration{}.Least()))
	add("accounting.Calibration.Most", beside(0.)(calibration(noise, exchanged).Most()), beside(0.)(accounting.Calibration{}.Most()))
	add("accounting.Calibration.NoiseMultiplier", beside(inf)(calibration(never, target).NoiseMultiplier()), beside(inf)(calibration(nil, target).NoiseMultiplier()))
	add("accounting.Calibration.SamplingRate", beside(0.)(calibration(never, target).SamplingRate()))

	add("accounting/advise.Ask", besideError{safe: func(v any) bool {
		a := v.(advise.Advice)
		return a.OneRun.Epsilon == inf && a.OneRun.NoiseMultiplier == inf && a.Ways == nil
	}, got: second(advise.Ask(advise.Question{}, nil))})
	add("accounting/advise.Advice.Drawings", beside([]advise.Drawing(nil))(advise.Advice{}.Drawings()))

	add("accounting/auto.Accountant.PriceAt", beside(accounting.NoPrice())(auto.NewAccountant().PriceAt(bad, 1e-5)), beside(accounting.NoPrice())(auto.NewAccountant().PriceAt(fine, 1)))
	add("accounting/auto.Work", beside(inf)(auto.Work(bad)))
	for _, d := range []func() (accounting.Interval, accounting.Guarantee, error){
		func() (accounting.Interval, accounting.Guarantee, error) {
			return auto.NewAccountant().CheckedDeltaAt(bad, 1)
		},
		func() (accounting.Interval, accounting.Guarantee, error) {
			return auto.NewAccountant().CheckedDeltaAt(fine, -1)
		},
		func() (accounting.Interval, accounting.Guarantee, error) {
			return auto.NewAccountant().CheckedDeltaAt(unknownEvent{}, 1)
		},
	} {
		delta, guarantee, err := d()
		add("accounting/auto.Accountant.CheckedDeltaAt", beside(noDelta)(delta, err), beside(accounting.Guarantee{})(guarantee, err))
	}
	add("accounting/auto.CalibrateDelta", beside(1.)(auto.CalibrateDelta(bad, 1)), beside(1.)(auto.CalibrateDelta(fine, -1)), beside(1.)(auto.CalibrateDelta(accounting.NonPrivate{}, 1)))
	add("accounting/auto.CalibrateNoiseMultiplier", beside(inf)(auto.CalibrateNoiseMultiplier(noise, exchanged)), beside(inf)(auto.CalibrateNoiseMultiplier(never, target)))
	add("accounting/auto.CalibrateSamplingRate", beside(0.)(auto.CalibrateSamplingRate(noise, exchanged)), beside(0.)(auto.CalibrateSamplingRate(never, target)))
	add("accounting/auto.CalibrateSteps", beside(0)(auto.CalibrateSteps(func(int) accounting.Event { return accounting.NonPrivate{} }, target, 10)), beside(0)(auto.CalibrateSteps(nil, target, 10)))

	add("accounting/contour.Accountant.DeltasAt", beside([]accounting.Interval(nil))(contour.NewAccountant().DeltasAt(bad, []float64{1})))
	add("accounting/contour.Accountant.EpsilonAtLogDelta", beside(nothing)(contour.NewAccountant().EpsilonAtLogDelta(fine, 1)), beside(nothing)(contour.NewAccountant().EpsilonAtLogDelta(bad, -1)))
	add("accounting/contour.Accountant.LogDeltaAt", beside(accounting.Interval{})(contour.NewAccountant().LogDeltaAt(bad, 1)), beside(accounting.Interval{})(contour.NewAccountant().LogDeltaAt(fine, nan))) // log δ <= 0
	add("accounting/lratio.Accountant.DeltasAt", beside([]accounting.Interval(nil))(lratio.NewAccountant().DeltasAt(bad, []float64{1})))
	add("accounting/pld.Accountant.DeltasAt", beside([]accounting.Interval(nil))(pld.NewAccountant().DeltasAt(bad, []float64{1})))
	add("accounting/pld.Accountant.LogDeltaAt", beside(accounting.Interval{})(pld.NewAccountant().LogDeltaAt(bad, 1)), beside(accounting.Interval{})(pld.NewAccountant().LogDeltaAt(fine, nan)))

	tradeOff, err := gdp.NewTradeOff(fine, gdp.NewAccountant())
	if err != nil {
		t.Fatal(err)
	}
	add("accounting/gdp.TradeOff.MuOnDelta", beside(noEpsilon)(tradeOff.MuOnDelta(2, 1)))
	add("accounting/gdp.TradeOff.MuOnTypeI", beside(noEpsilon)(tradeOff.MuOnTypeI(2, 1)))
	add("accounting/gdp.TradeOff.TPRAt", beside(noDelta)(tradeOff.TPRAt(nan)))
	add("accounting/gdp.TradeOff.TypeIIAt", beside(noDelta)(tradeOff.TypeIIAt(nan))) // no lower end
	add("accounting/gdp.CLT.ApproximateDelta", beside(1.)(gdp.CLT{Mu: -1}.ApproximateDelta(1)))
	add("accounting/gdp.CLT.ApproximateEpsilon", beside(inf)(gdp.CLT{Mu: -1}.ApproximateEpsilon(1e-5)))
	add("accounting/gdp.Advantage", beside(1.)(gdp.Advantage(-1)))
	add("accounting/gdp.DeltaAt", beside(noDelta)(gdp.DeltaAt(-1, 1)), beside(noDelta)(gdp.DeltaAt(1, nan)))
	add("accounting/gdp.EpsilonAt", beside(noEpsilon)(gdp.EpsilonAt(-1, 1e-5)), beside(noEpsilon)(gdp.EpsilonAt(1, 0)))
	add("accounting/gdp.LogDeltaAt", beside(accounting.Interval{})(gdp.LogDeltaAt(-1, 1)), beside(accounting.Interval{})(gdp.LogDeltaAt(1, -1)))
	add("accounting/gdp.FixedSizeCLT", beside(gdp.CLT{Mu: inf})(gdp.FixedSizeCLT(2, 1, 1)))
	add("accounting/gdp.PoissonCLT", beside(gdp.CLT{Mu: inf})(gdp.PoissonCLT(0.1, 0, 1)))
	for _, event := range []accounting.Event{nil, bad, unknownEvent{}, accounting.Composed{Events: []accounting.Event{fine, unknownEvent{}}}, accounting.SelfComposed{Event: unknownEvent{}, Count: 2}} {
		add("accounting/gdp.Mu", beside(inf)(gdp.Mu(event)))
		add("accounting/gdp.MuInterval", beside(noEpsilon)(gdp.MuInterval(event)))
	}
	odd := ledger.Ledger{Head: ledger.Head{Neighboring: accounting.AddOrRemoveOne, Filter: ledger.Gaussian, Constant: 1}, Releases: []ledger.Release{{Event: bad}}}
	add("accounting/ledger.Ledger.Share", beside(inf)(odd.Share()))
	add("accounting/ledger.Ledger.EpsilonWith", beside(inf)(odd.EpsilonWith(fine, 1e-5)), beside(inf)((&ledger.Ledger{}).EpsilonWith(fine, 1e-5)), beside(inf)((&ledger.Ledger{Head: odd.Head}).EpsilonWith(unknownEvent{}, 1e-5)))
	add("accounting/gdp.MuAt", beside(0.)(gdp.MuAt(exchanged)), beside(0.)(gdp.MuAt(accounting.Target{}))) // the noise is 1/µ
	add("accounting/gdp.TPR", beside(1.)(gdp.TPR(-1, 0.5)), beside(1.)(gdp.TPR(1, 2)))
	add("accounting/gdp.TypeII", beside(0.)(gdp.TypeII(-1, 0.5)), beside(0.)(gdp.TypeII(1, 2))) // β: a test without errors

	add("accounting/rdp.Accountant.EpsilonOf", beside(nothing)(rdp.NewAccountant().EpsilonOf(nil, 1e-5)))
	for _, e := range []float64{-1, nan} {
		logDelta, _, err := rdp.NewAccountant().LogDeltaOf(func(float64) float64 { return 1 }, e)
		add("accounting/rdp.Accountant.LogDeltaOf", beside(0.)(logDelta, err))
	}

	none := accounting.ApproxDP{Epsilon: inf, Delta: 1}
	add("accounting/selection.Target.Optimize", beside(selection.Optimum{NoiseMultiplier: inf, Price: accounting.NoPrice()})(selection.Target{}.Optimize()))
	add("accounting/selection.Approximate", beside(none)(selection.Approximate(nil, accounting.ApproxDP{})), beside(none)(selection.Approximate(runs, accounting.ApproxDP{Epsilon: -1})))
	add("accounting/selection.EventAt", beside(accounting.NoPrice())(selection.EventAt(selection.BestOf{}, 1e-5)), beside(accounting.NoPrice())(selection.EventAt(selection.BestOf{Law: runs, Base: unknownEvent{}}, 1e-5)))
	add("accounting/lastiterate.Training.EpsilonAt", beside(nothing)(lastiterate.Training{}.EpsilonAt(1e-5)))
	add("accounting/lastiterate.Training.Heuristic", beside(lastiterate.Heuristic{Epsilon: inf, Delta: 1e-5})(lastiterate.Training{}.Heuristic(1e-5)))
	add("accounting/lastiterate.Training.Statement", beside(accounting.NoStatement())(lastiterate.Training{}.Statement(1e-5, "one example")))
	add("accounting/selection.QuickEpsilonAt", beside(inf)(selection.QuickEpsilonAt(selection.BestOf{}, 1e-5)), beside(inf)(selection.QuickEpsilonAt(selection.BestOf{Law: runs, Base: unknownEvent{}}, 1e-5)))
	add("accounting/selection.PriceAt", beside(accounting.NoPrice())(selection.PriceAt(nil, base, 1e-5)), beside(accounting.NoPrice())(selection.PriceAt(runs, baserun.Run{}, 1e-5)), beside(accounting.NoPrice())(selection.PriceAt(runs, base, 0)))
	add("accounting/selection.PointwiseAt", beside(accounting.NoBound())(selection.PointwiseAt(nil, base, 1e-5)), beside(accounting.NoBound())(selection.PointwiseAt(runs, base, 0)))
	add("accounting/selection.Repetition.FailureAt", beside(1.)(selection.Repetition{}.FailureAt(1)))
	add("accounting/selection.Repetition.DistanceAt", beside(inf)(selection.Repetition{}.DistanceAt(0.5)))
	add("accounting/selection.PureDP", beside(inf)(selection.PureDP(law.TNB{}, 1)), beside(inf)(selection.PureDP(law.TNB{Eta: 0, Gamma: 0.5}, -1)))
	add("accounting/selection/adaptive.PriceAt", beside(accounting.NoPrice())(adaptive.PriceAt(adaptive.Event{}, 1e-5)), beside(accounting.NoPrice())(adaptive.PriceAt(adaptive.Event{Law: runs, Base: fine, Least: 1, Most: 1}, 2)))
	add("accounting/selection/expost.PriceAt", beside([]expost.Price(nil))(expost.PriceAt(expost.Event{}, 1e-5)))
	add("accounting/selection/firstabove.Bound", beside(accounting.NoBound())(firstabove.Bound(nil, base, 1e-5)), beside(accounting.NoBound())(firstabove.Bound(runs, base, 2)))
	add("accounting/selection/firstabove.PriceAt", beside(accounting.NoPrice())(firstabove.PriceAt(firstabove.Event{}, 1e-5)), beside(accounting.NoPrice())(firstabove.PriceAt(firstabove.Event{Law: runs, Base: fine}, 2)))

	add("accounting/verify.Answer.Verify", beside(verify.Verdict{})(verify.Answer{}.Verify()))
	checker, err := verify.NewChecker([]byte(`{"type":"gaussian","noise_multiplier":1}`), accounting.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	add("accounting/verify.Checker.Shows", beside(1.)(checker.Shows(accounting.Step{}, 1, 1e-5)), beside(1.)(checker.Shows(accounting.Step{Rule: "closed form"}, nan, 1e-5)))

	order1 := func(i accounting.Interval, _ float64, err error) besideError { return beside(noEpsilon)(i, err) }
	game := monotone.Gaussian{}
	add("accounting/selection/monotone.Gaussian.Algorithm3Epsilon", order1(game.Algorithm3Epsilon(rdp.Classic, 1e-5)))
	add("accounting/selection/monotone.Gaussian.RDPEpsilon", order1(game.RDPEpsilon(rdp.Classic, 1e-5)))
	add("accounting/selection/monotone.Gaussian.Algorithm3Floor", beside(0.)(game.Algorithm3Floor(1e-5))) // lower limits
	add("accounting/selection/monotone.Gaussian.RDPEpsilonFloor", beside(0.)(game.RDPEpsilonFloor(1e-5)))
	add("accounting/selection/monotone.Gaussian.DeltaAt", beside(noDelta)(game.DeltaAt(1)))
	add("accounting/selection/monotone.Gaussian.EpsilonAt", beside(noEpsilon)(game.EpsilonAt(1e-5)))
	for _, g := range []monotone.Gaussian{game, {Law: runs, Mu: 1}} {
		forth, back, err := g.Divergences(0.5)
		add("accounting/selection/monotone.Gaussian.Divergences", beside(noEpsilon)(forth, err), beside(noEpsilon)(back, err))
	}
	add("accounting/selection/monotone.ApproximateMu.Algorithm3Epsilon", beside(monotone.ApproximateEpsilon(inf))(monotone.ApproximateMu{}.Algorithm3Epsilon(runs, rdp.Classic, 1e-5)))
	add("accounting/selection/monotone.ApproximateMu.TuningEpsilon", beside(monotone.ApproximateEpsilon(inf))(monotone.ApproximateMu{}.TuningEpsilon(runs, rdp.Classic, 1e-5)))
	add("accounting/selection/monotone.CentralLimitMu", beside(monotone.ApproximateMu{Mu: inf})(monotone.CentralLimitMu(2, 1, 1)), beside(monotone.ApproximateMu{Mu: inf})(monotone.CentralLimitMu(1, 1e-3, 1)))
	add("accounting/selection/monotone.LargeNumbersMu", beside(monotone.ApproximateMu{Mu: inf})(monotone.LargeNumbersMu(0.1, -1, 1)))

	sample := subsample.Event{}
	add("accounting/selection/subsample.PriceAt", beside(accounting.NoPrice())(subsample.PriceAt(sample, 1e-5)))
	add("accounting/selection/subsample.Prepare", beside(subsample.Prepared{})(subsample.Prepare(sample, 1e-5)))
	add("accounting/selection/subsample.Prepared.PriceAt", beside(accounting.NoPrice())(subsample.Prepared{}.PriceAt(0.1, subsample.AllData)))
	add("accounting/selection/subsample.QuickEpsilonAt", beside(inf)(subsample.QuickEpsilonAt(sample, 1e-5)))
	add("accounting/selection/threshold.Calibrate", beside(threshold.Event{})(threshold.Calibrate(exchanged, 1, 5, threshold.Once, threshold.Laplace)))
	add("accounting/selection/threshold.PriceAt", beside(accounting.NoPrice())(threshold.PriceAt(threshold.Event{}, nil, 1e-5)))
	pair := worstorder.Gaussian(1, 10)
	add("accounting/selection/worstorder.DeltaAt", beside(0.)(worstorder.DeltaAt(nil, pair, 1))) // lower limits
	add("accounting/selection/worstorder.Proposition17", beside(0.)(worstorder.Proposition17(0, 1, 2)))
	add("accounting/selection/worstorder.EpsilonAt", beside(0.)(worstorder.EpsilonAt(nil, pair, 1e-5)))

	type f = float64
	none64 := dptune.Release[f, f, dptune.NoDetails]{Statement: accounting.NoStatement()}
	ctx, root := context.Background(), streams.Fixed("beside errors")
	add("dptune.Search.Run", beside(none64)(dptune.Search[float64, float64]{}.Run(ctx, root)))
	add("dptune.Search.Statement", beside(accounting.NoStatement())(dptune.Search[float64, float64]{}.Statement()))
	add("dptune.Search.Price", beside(accounting.NoPrice())(dptune.Search[float64, float64]{}.Price()))
	add("dptune.Search.Plan", beside(dptune.Planned{Statement: accounting.NoStatement()})(dptune.Search[float64, float64]{}.Plan(dptune.Budget{})))
	add("dptune.Search.ExPostPrices", beside([]dptune.ExPostPrice[float64](nil))(dptune.Search[float64, float64]{}.ExPostPrices()))
	add("dptune.FirstAbove.Run", beside(none64)(dptune.FirstAbove[float64, float64]{}.Run(ctx, root)))
	add("dptune.FirstAbove.Statement", beside(accounting.NoStatement())(dptune.FirstAbove[float64, float64]{}.Statement()))
	add("dptune.FirstAbove.Price", beside(accounting.NoPrice())(dptune.FirstAbove[float64, float64]{}.Price()))
	add("dptune.ExponentialSearch.Run", beside(none64)(dptune.ExponentialSearch[float64, float64]{}.Run(ctx, root)))
	add("dptune.ExponentialSearch.Statement", beside(accounting.NoStatement())(dptune.ExponentialSearch[float64, float64]{}.Statement()))
	add("dptune.ExponentialSearch.Price", beside(accounting.NoPrice())(dptune.ExponentialSearch[float64, float64]{}.Price()))
	add("dptune.ThresholdSearch.Run", beside(dptune.Release[f, f, dptune.ThresholdSearchDetails[f]]{Statement: accounting.NoStatement()})(dptune.ThresholdSearch[float64, float64]{}.Run(ctx, root)))
	add("dptune.ThresholdSearch.Statement", beside(accounting.NoStatement())(dptune.ThresholdSearch[float64, float64]{}.Statement()))
	add("dptune.ThresholdSearch.Price", beside(accounting.NoPrice())(dptune.ThresholdSearch[float64, float64]{}.Price()))
	add("dptune.TuneThenTrain.Run", beside(dptune.Release[f, f, dptune.TuneThenTrainDetails[f]]{Statement: accounting.NoStatement()})(dptune.TuneThenTrain[float64, float64]{}.Run(ctx, root)))
	add("dptune.TuneThenTrain.Statement", beside(accounting.NoStatement())(dptune.TuneThenTrain[float64, float64]{}.Statement()))
	add("dptune.TuneThenTrain.Price", beside(accounting.NoPrice())(dptune.TuneThenTrain[float64, float64]{}.Price()))
	for _, with := range []func(float64) dptune.Search[float64, float64]{nil, func(float64) dptune.Search[float64, float64] { return dptune.Search[float64, float64]{} }} {
		search, sigma, err := dptune.Calibrate(with, 1)
		add("dptune.Calibrate", beside(inf)(sigma, err), beside(dptune.Search[float64, float64]{})(search, err))
	}
	before := dpsgd.Config{NoiseMultiplier: 0.1}
	for _, at := range []accounting.Target{target, exchanged, {}} {
		add("dptune/dpsgd.Config.Calibrate", beside(dpsgd.Config{NoiseMultiplier: inf})(before.Calibrate(dpsgd.Model{}, at)))
	}
	add("dptune/dpsgd.Config.Statement", beside(accounting.NoStatement())(before.Statement(dpsgd.Model{}, 1e-5, "one row")))
	add("dptune/dpsgd.Training.Statement", beside(accounting.NoStatement())(dpsgd.Training{Config: before}.Statement(1e-5, "one row")))
	add("dptune/dpsgd/engine.Result.Statement", beside(accounting.NoStatement())((&engine.Result{}).Statement(1e-5, "one row")), beside(accounting.NoStatement())((&engine.Result{Config: before}).Statement(1e-5, "one row")))
	add("dptune/dpsgd/engine.Result.Accuracy", beside(0.)((&engine.Result{}).Accuracy(ctx, data.Dataset{}))) // a share of examples
	add("dptune/dpsgd/candidate.DPSGD.TruncationDelta", beside(1.)(candidate.DPSGD[float64]{}.TruncationDelta(1)), beside(1.)(candidate.DPSGD[float64]{Configure: func(float64) dpsgd.Config { return dpsgd.Config{} }}.TruncationDelta(1)))

	scores, cfg := audit.Scores{Member: []float64{nan}, NonMember: []float64{0}}, audit.Config{}
	add("audit.AUC", beside(noDelta)(audit.AUC(scores, cfg)))
	add("audit.Advantage", beside(noDelta)(audit.Advantage(scores, cfg)))
	add("audit.Bounds", beside(audit.Report{})(audit.Bounds(scores, cfg)))
	add("audit.Describe", beside(audit.Report{})(audit.Describe(scores, cfg)))
	add("audit.ClopperPearson", beside(audit.Bound{})(audit.ClopperPearson(audit.Counts{}, cfg)))
	add("audit.ClopperPearsonSplit", beside(audit.Bound{})(audit.ClopperPearsonSplit(scores, 1, cfg, nil)))
	add("audit.DeltaLower", beside(0.)(audit.DeltaLower(scores, 1, 1, cfg)))   // lower bounds
	add("audit.EpsilonOfMu", beside(0.)(audit.EpsilonOfMu(-1, 1e-5)))          // of a lower bound on µ
	add("audit.Expect", beside(audit.Plan{})(audit.Expect("none", 1, 1, cfg))) // a plan shows nothing
	add("audit.GDPAUC", beside(audit.Bound{})(audit.GDPAUC(scores, cfg, nil)))
	add("audit.GDPClopperPearson", beside(audit.Bound{})(audit.GDPClopperPearson(audit.Counts{}, cfg)))
	add("audit.GDPRank", beside(audit.Bound{})(audit.GDPRank(scores, 1, cfg)))
	add("audit.NormalOfSearch", beside(audit.Bound{})(audit.NormalOfSearch(scores, runs, cfg, nil)))
	add("audit.NormalScores", beside(audit.Bound{})(audit.NormalScores(scores, cfg)))
	add("audit.RankOfSearch", beside(audit.Bound{})(audit.RankOfSearch(scores, runs, 1, cfg)))
	add("audit.RankOneTail", beside(audit.Bound{})(audit.RankOneTail(scores, 1, cfg)))
	add("audit.RankTwoTail", beside(audit.Bound{})(audit.RankTwoTail(scores, 1, cfg)))
	add("audit.RankOfSearchP", beside(1.)(audit.RankOfSearchP(scores, runs, audit.GDP{Mu: 1}, 1)))
	add("audit.RankOneTailP", beside(1.)(audit.RankOneTailP(scores, audit.GDP{Mu: 1}, 1)))
	add("audit.RankTwoTailP", beside(1.)(audit.RankTwoTailP(scores, audit.GDP{Mu: 1}, 1)))
	add("audit.TPRAtFPR", beside(audit.Rate{TPR: noDelta})(audit.TPRAtFPR(scores, 0.1, cfg)))
	add("audit.TestClaim", beside(audit.Verdict{PValue: 1})(audit.TestClaim(scores, audit.GDP{Mu: 1}, cfg)))
	add("audit.GamesFor", beside(audit.Plan{})(audit.GamesFor("none", 1, 1, cfg)))
	_, lower, err := exact.Process{}.BestRidge(nil, 1, 1, nil, nil)
	add("audit/exact.Process.BestRidge", beside(0.)(lower, err))
	add("audit/exact.Coordinate.Mu", beside(inf)(exact.Coordinate{}.Mu()))
	add("audit/exact.Law.DeltaAt", beside(noDelta)(exact.Law{}.DeltaAt(-1)))
	add("audit/exact.Law.EpsilonAt", beside(noEpsilon)(exact.Law{}.EpsilonAt(0)))
	add("audit/exact.Law.TPRAt", beside(noDelta)(exact.Law{}.TPRAt(0)))
	add("audit/onerun.Bound", beside(audit.Bound{})(onerun.Bound(onerun.Guesses{}, cfg)))
	add("audit/onerun.Bounds", beside(audit.Report{})(onerun.Bounds(scores, cfg)))
	add("audit/onerun.Expect", beside(audit.Plan{})(onerun.Expect("none", 1, 1, cfg)))
	add("audit/onerun.FDP", beside(audit.Bound{})(onerun.FDP(onerun.Guesses{}, cfg)))
	add("audit/onerun.InTurn", beside(audit.Bound{})(onerun.InTurn(onerun.Guesses{}, cfg)))
	add("audit/onerun.Max", beside(audit.Bound{})(onerun.Max(onerun.Guesses{}, cfg)))
	add("audit/onerun.TestClaim", beside(audit.Verdict{PValue: 1})(onerun.TestClaim(onerun.Guesses{}, audit.GDP{Mu: 1}, cfg)))
	add("audit/onerun.Guess", beside(onerun.Guesses{})(onerun.Guess(scores, 1)))
	add("audit/onerun.GuessInTurn", beside(onerun.Guesses{})(onerun.GuessInTurn(scores, 1, 1)))
	add("audit/onerun.GuessesFor", beside(onerun.Guesses{})(onerun.GuessesFor(scores, cfg)))
	add("audit/onerun.GamesFor", beside(audit.Plan{})(onerun.GamesFor("none", 1, 1, cfg)))
	add("audit/record.Run", besideError{safe: func(v any) bool { return v.(record.Report).Err() != nil }, got: second(record.Run[int](nil, 0, nil, record.Config{}))})
	return all
}

// besideError is what a wrong call returned, and what must stand beside its error.
type besideError struct {
	want any
	safe func(got any) bool // in place of want
	got  outcome
}

type outcome struct {
	value any
	err   error
}

func second[T any](value T, err error) outcome { return outcome{value, err} }

// beside wants a value beside the error of a call.
func beside[T any](want T) func(got T, err error) besideError {
	return func(got T, err error) besideError { return besideError{want: want, got: outcome{got, err}} }
}

// unknownEvent is an event that no accountant can know.
type unknownEvent struct{}

func (unknownEvent) Validate() error { return nil }
func (unknownEvent) String() string  { return "unknown" }

// TestNothingBesideAnErrorReadsAsPrivacy walks the exported functions and methods of accounting, dptune and audit. Whoever
// drops an error, as people do in cells, reads what stands beside it: ε is +Inf there, δ 1, a lower bound 0. A function that has no
// case fails the test, and so does a type that is in neither list above.
func TestNothingBesideAnErrorReadsAsPrivacy(t *testing.T) {
	cases := besideErrors(t)
	declared, unknown := returnsPrivacy(t, "../..")
	for _, name := range unknown {
		t.Errorf("%s: must be in privacyTypes or otherTypes", name)
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if len(cases[name]) == 0 {
			t.Errorf("%s returns %s and an error, and besideErrors does not call it wrongly: must have a case", name, declared[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		// CalibrateSteps returns an int, threshold.Calibrate an Event.
		if declared[name] == "" && name != "accounting/auto.CalibrateSteps" && name != "accounting/selection/threshold.Calibrate" {
			t.Errorf("besideErrors has cases for %s, which is not there", name)
		}
		for i, c := range cases[name] {
			switch {
			case c.got.err == nil:
				t.Errorf("%s, case %d: %v without an error", name, i, c.got.value)
			case c.safe != nil && !c.safe(c.got.value), c.safe == nil && !reflect.DeepEqual(c.got.value, c.want):
				t.Errorf("%s, case %d: %+v beside the error %v: want %+v", name, i, c.got.value, c.got.err, c.want)
			}
		}
	}
	if len(declared) < 120 {
		t.Errorf("only %d functions found", len(declared))
	}
}

// returnsPrivacy lists the exported functions and methods that return a value of privacyTypes and an error, with the
// results, and those of a type in neither list.
func returnsPrivacy(t *testing.T, root string) (declared map[string]string, unknown []string) {
	t.Helper()
	declared = map[string]string{}
	files := token.NewFileSet()
	for _, folder := range []string{"accounting", "dptune", "audit"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"testdata", "internal", "weights", "models", "xla", "backend", "dpbench", "command", "check", "nn"}, d.Name()):
				return filepath.SkipDir // no privacy in them
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil || file.Name.Name == "main" {
				return err
			}
			dir, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || !f.Name.IsExported() || f.Type.Results == nil || takesQuestion(f) {
					continue
				}
				results := f.Type.Results.List
				if last := results[len(results)-1]; types.ExprString(last.Type) != "error" {
					continue
				}
				name := filepath.ToSlash(dir) + "."
				if f.Recv != nil {
					receiver := bareType(f.Recv.List[0].Type)
					if !ast.IsExported(receiver) {
						continue
					}
					name += receiver + "."
				}
				name += f.Name.Name
				for _, r := range results[:len(results)-1] {
					text, word := types.ExprString(r.Type), bareType(r.Type)
					list := strings.HasPrefix(text, "[]") && word == "float64" // of outputs, scores and accuracies: nil
					switch _, other := otherTypes[word]; {
					case slices.Contains(privacyTypes, word) && !list:
						declared[name] = text
					case !other && !list && len(word) > 1: // H and O are the caller's own
						unknown = append(unknown, name+" returns "+text)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return declared, unknown
}

// takesQuestion reports whether a function is below the doors: only package accounting and those
// below it can make its argument. TestNothingBesideAnErrorOfAQuestion of package intersected calls
// it wrongly.
func takesQuestion(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool { return types.ExprString(p.Type) == "ask.Question" })
}

// bareType returns the name of a type without package, pointer, slice and type arguments.
func bareType(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return bareType(x.X)
	case *ast.ArrayType:
		return bareType(x.Elt)
	case *ast.IndexExpr:
		return bareType(x.X)
	case *ast.IndexListExpr:
		return bareType(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return types.ExprString(e)
}
