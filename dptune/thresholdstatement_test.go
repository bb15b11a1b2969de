package dptune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
)

func TestThresholdSearchStatement(t *testing.T) {
	s := constantScores(0.5)
	s.Training = accounting.Gaussian{NoiseMultiplier: 2}
	s.Train = func(_ context.Context, h float64, root streams.Root) (float64, error) {
		return h, nil
	}
	s.Scores.ValidationSensitivity = 0.2
	if e := s.TestsEvent(); e.Sensitivity != 0.2 || e.MaxPositives != 21 {
		t.Errorf("event %v: want the larger sensitivity, and 21 positives of 41 tests", e)
	}
	price, err := threshold.PriceAt(s.TestsEvent(), s.Training, s.Delta)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Run(t.Context(), streams.Fixed("statement"))
	if err != nil {
		t.Fatal(err)
	}
	if out.Output != out.Hyperparameters || !out.Seeded {
		t.Errorf("released %+v: want the training's output, and that the root was fixed", out)
	}
	if got := out.Statement.Guarantee.Epsilon.Upper; got != price.Guarantee.Epsilon.Upper {
		t.Errorf("stated ε %g, want %g of package threshold", got, price.Guarantee.Epsilon.Upper)
	}
	secret, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = s.Run(t.Context(), secret); err != nil && !errors.Is(err, ErrCapReached) || out.Seeded {
		t.Errorf("secret root: %v, seeded %v", err, out.Seeded)
	}
}

// A search calibrated to an ε of the whole costs just that, and with a smaller ε has more noise.
// Its noise is split as package threshold does.
func TestThresholdSearchCalibrated(t *testing.T) {
	var last float64
	for _, epsilon := range []float64{2, 1, 0.5} {
		s, noise, err := Calibrate(constantScores(0.5).WithNoise, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		price, err := s.Price()
		if err != nil {
			t.Fatal(err)
		}
		if got := price.Guarantee.Epsilon.Upper; got > epsilon || got < epsilon*(1-1e-4) || s.ScoreNoise <= last || math.Abs(s.ThresholdNoise/(noise*s.Scores.Sensitivity())-1) > 1e-12 {
			t.Errorf("ε %g: price %g, score noise %g after %g, threshold noise %g of multiplier %g", epsilon, got, s.ScoreNoise, last, s.ThresholdNoise, noise)
		}
		last = s.ScoreNoise
		alone, err := threshold.Calibrate(accounting.Target{Epsilon: epsilon, Delta: s.Delta}, s.Scores.Sensitivity(), s.MaxTests, s.Refresh, s.Noise)
		if ratio := alone.ScoreNoise / alone.ThresholdNoise; err != nil || math.Abs(ratio/(s.ScoreNoise/s.ThresholdNoise)-1) > 1e-12 || s.ScoreNoise > alone.ScoreNoise*(1+1e-6) {
			t.Errorf("ε %g: noises %g and %g, package threshold has %v, %v", epsilon, s.ThresholdNoise, s.ScoreNoise, alone, err)
		}
	}
}

func TestThresholdSearchErrors(t *testing.T) {
	broken := errors.New("broken")
	s := constantScores(0.2, 0.3)
	s.Scores.Score = func(context.Context, []int, float64, streams.Root) (float64, error) { return 0, broken }
	if out, err := s.Run(t.Context(), streams.Fixed("broken")); !errors.Is(err, broken) || len(out.Details.Tests) > 0 {
		t.Errorf("a broken score: got %+v, %v", out, err)
	}
	s = nearlySilent(constantScores(0.2))
	s.Training = accounting.Gaussian{NoiseMultiplier: 1}
	s.Train = func(context.Context, float64, streams.Root) (float64, error) { return 1, broken }
	if out, err := s.Run(t.Context(), streams.Fixed("broken")); !errors.Is(err, broken) || out.Output != 0 || len(out.Details.Tests) > 0 {
		t.Errorf("a broken training: got %+v, %v", out, err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := constantScores(0.2).Run(canceled, streams.Fixed("canceled")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
	if _, err := constantScores(0.2).Run(t.Context(), streams.Root{}); !errors.Is(err, streams.ErrNoRoot) {
		t.Errorf("no root: got %v", err)
	}
	for name, change := range map[string]func(*ThresholdSearch[float64, float64]){
		"Proposer":              func(s *ThresholdSearch[float64, float64]) { s.Proposer = nil },
		"Grid":                  func(s *ThresholdSearch[float64, float64]) { s.Proposer = Grid[float64]{} },
		"Proposer is nil":       func(s *ThresholdSearch[float64, float64]) { s.Proposer = ProposerFunc[float64](nil) },
		"Records":               func(s *ThresholdSearch[float64, float64]) { s.Scores.Records = 0 },
		"Parts":                 func(s *ThresholdSearch[float64, float64]) { s.Scores.Parts = 0 },
		"Score":                 func(s *ThresholdSearch[float64, float64]) { s.Scores.Score = nil },
		"ValidationSensitivity": func(s *ThresholdSearch[float64, float64]) { s.Scores.ValidationSensitivity = -1 },
		"Start":                 func(s *ThresholdSearch[float64, float64]) { s.Start = 1 },
		"Granularity":           func(s *ThresholdSearch[float64, float64]) { s.Granularity = 0 },
		"MaxTests":              func(s *ThresholdSearch[float64, float64]) { s.MaxTests = 0 },
		"ThresholdNoise":        func(s *ThresholdSearch[float64, float64]) { s.ThresholdNoise = 0 },
		"ScoreNoise":            func(s *ThresholdSearch[float64, float64]) { s.ScoreNoise = math.NaN() },
		"Noise":                 func(s *ThresholdSearch[float64, float64]) { s.Noise = 7 },
		"Refresh":               func(s *ThresholdSearch[float64, float64]) { s.Refresh = 0 },
		"Training":              func(s *ThresholdSearch[float64, float64]) { s.Training = accounting.Gaussian{NoiseMultiplier: 1} },
		"Delta":                 func(s *ThresholdSearch[float64, float64]) { s.Delta = 0 },
		"Unit":                  func(s *ThresholdSearch[float64, float64]) { s.Unit = "" },
	} {
		s := constantScores(0.2)
		change(&s)
		if _, err := s.Run(t.Context(), streams.Fixed("bad")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A grid of structs, which are compared field by field.
func ExampleThresholdSearch() {
	type setting struct{ Rate, Momentum float64 }
	search := ThresholdSearch[setting, string]{
		Proposer: Cross(LogGrid(0.01, 1, 5), Grid[float64]{0, 0.9}, func(r, m float64) setting { return setting{r, m} }),
		Scores: PartScores[setting]{Records: 50_000, Parts: 1000, Score: func(_ context.Context, _ []int, h setting, _ streams.Root) (float64, error) {
			return 0.9 - 0.1*math.Abs(math.Log10(h.Rate/0.1)) - 0.2*(0.9-h.Momentum), nil // replaces a training
		}},
		Start: 0.12, Granularity: 0.05, MaxTests: 13, Refresh: threshold.Once, Noise: threshold.Exponential, KeepAtCap: true,
		Training: accounting.Gaussian{NoiseMultiplier: 2},
		Train: func(_ context.Context, h setting, _ streams.Root) (string, error) {
			return fmt.Sprintf("model of rate %.2f", h.Rate), nil
		},
		Delta: 1e-5, Unit: "one labelled image",
	}
	search, _, err := Calibrate(search.WithNoise, 2.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := search.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Output, "with momentum", out.Hyperparameters.Momentum)
	fmt.Printf("ε <= %s\n", accounting.FormatUpper(out.Statement.Guarantee.Epsilon.Upper))
	// Output:
	// model of rate 0.10 with momentum 0.9
	// ε <= 2.5000
}
