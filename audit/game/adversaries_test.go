package game_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// Each way to simulate finds a coordinate that training leaves alone; the noisy ones need noise
// that does not hide what moves. There the scores are N(√T/σ, 1) and N(0, 1).
func TestEveryWayToSimulateFindsAQuietCoordinate(t *testing.T) {
	for _, c := range []struct {
		adversary game.SimulatedDimension
		name      string
		sigma     float64
	}{
		{game.SimulatedDimension{FinalModel: true}, "A_GC-S (noiseless, final model)", 4},
		{game.SimulatedDimension{Noisy: true}, "A_GC-S (noisy, per step)", 0.01},
		{game.SimulatedDimension{Noisy: true, FinalModel: true, Runs: 6}, "A_GC-S (noisy, final model)", 0.01},
	} {
		g := hiddenState(t, c.adversary, hiddenGames())
		g.Config.NoiseMultiplier = c.sigma
		result := playHidden(t, g, "ways")
		if result.Adversary != c.name {
			t.Errorf("adversary %q: want %q", result.Adversary, c.name)
		}
		checkLaws(t, c.name, result.Observed[1].Scores, c.sigma/math.Sqrt(20), 1)
	}
}

// With gradients far below the noise a model moves by noise and canary alone: along the
// direction by N(√T/σ, 1) or N(0, 1), across it by the norm of P-1 standard normals. With c the
// cosine, c/√(1-c²) · √(P-1) has Student's law of P-1 degrees of freedom without the canary,
// and with it the non-central one, here drawn.
func TestRandomDirectionHasStudentsLaw(t *testing.T) {
	g := hiddenState(t, game.RandomDirection{}, hiddenGames())
	g.Config.ClipNorm, g.Config.LearningRate, g.Config.NoiseMultiplier = 1e4, 1e-8, 4
	rest := float64(g.Model.Size() - 1)
	student := func(c float64) float64 { return c / math.Sqrt(1-c*c) * math.Sqrt(rest) }
	scores := playHidden(t, g, "cosine").Observed[1].Scores
	var member, nonMember []float64
	for i := range scores.Member {
		member, nonMember = append(member, student(scores.Member[i])), append(nonMember, student(scores.NonMember[i]))
	}
	law := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: rest}
	if d := kolmogorov(nonMember, law.CDF); d > limit(hiddenGames()) {
		t.Errorf("without the canary: %.4f from Student's law, allowed %.4f", d, limit(hiddenGames()))
	}
	rng := streams.Fixed("non-central").Rand("draws")
	drawn := make([]float64, 200_000)
	for i := range drawn {
		squares := 0.0
		for range int(rest) {
			z := rng.NormFloat64()
			squares += z * z
		}
		drawn[i] = (rng.NormFloat64() + math.Sqrt(20)/4) / math.Sqrt(squares/rest)
	}
	slices.Sort(drawn)
	share := func(x float64) float64 {
		i, _ := slices.BinarySearch(drawn, x)
		return float64(i) / float64(len(drawn))
	}
	if d, allowed := kolmogorov(member, share), limit(hiddenGames())+limit(len(drawn)); d > allowed {
		t.Errorf("with the canary: %.4f from the non-central law, allowed %.4f", d, allowed)
	}
}

// Initial weights that nobody knows add their variance, a²/3 for uniform ones in ±a, and no
// more: at a coordinate that training leaves alone.
func TestUnknownInitialWeightsAddTheirVariance(t *testing.T) {
	g := hiddenState(t, game.SimulatedDimension{}, hiddenGames())
	g.UnknownInitial = true
	step := 0.1 / 12 * 4 * 0.7 // η/B σC
	for i, steps := range []float64{1, 20} {
		scores := playHidden(t, g, "unknown").Observed[i].Scores
		want := 1 + 6.0/11/3/(step*step*steps) // Xavier: a² = 6/(6 inputs + 5 outputs)
		for world, s := range map[string][]float64{"with": scores.Member, "without": scores.NonMember} {
			// The variance of a uniform and a normal summand has a relative standard deviation
			// below √(2/n); 6 of them are exceeded with chance 2e-9.
			if got, off := variance(s), 6*math.Sqrt(2/float64(hiddenGames())); math.Abs(got/want-1) > off {
				t.Errorf("%s the canary, %g steps: variance %.3f, want %.3f, relative error allowed %.2f", world, steps, got, want, off)
			}
		}
		shift := mean(scores.Member) - mean(scores.NonMember)
		if want2, off := math.Sqrt(steps)/4, 6*math.Sqrt(2*want/float64(hiddenGames())); math.Abs(shift-want2) > off {
			t.Errorf("%g steps: means are %.3f apart, want %.3f, allowed %.3f", steps, shift, want2, off)
		}
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func variance(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return sum / float64(len(values)-1)
}

// Shared runs give each adversary the scores that it has alone, and parts of the games those of
// the whole.
func TestPlayEach(t *testing.T) {
	adversaries := []game.Adversary{game.SimulatedDimension{}, game.RandomDirection{}, game.FlippedLabel{}}
	g := hiddenState(t, nil, 12)
	together, err := g.RunEach(context.Background(), streams.Fixed("each"), adversaries)
	if err != nil {
		t.Fatal(err)
	}
	for i, adversary := range adversaries {
		g.Adversary, g.Games, g.First = adversary, 12, 0
		alone := playHidden(t, g, "each")
		g.Games, g.First = 4, 5
		part := playHidden(t, g, "each")
		for at, o := range together[i].Observed {
			checkClose(t, adversary.String()+" with", o.Scores.Member, alone.Observed[at].Scores.Member)
			checkClose(t, adversary.String()+" without", o.Scores.NonMember, alone.Observed[at].Scores.NonMember)
			checkClose(t, adversary.String()+", a part", o.Scores.Member[5:9], part.Observed[at].Scores.Member)
			checkClose(t, adversary.String()+", a part without", o.Scores.NonMember[5:9], part.Observed[at].Scores.NonMember)
		}
	}
	if _, err := g.RunEach(context.Background(), streams.Fixed("each"), nil); err == nil {
		t.Error("no adversaries: no error")
	}
}

// checkClose compares scores of programs that round differently: float32, 20 steps, values of
// the order of 1.
func checkClose(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d scores, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-4 {
			t.Errorf("%s: score %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}

// The gradient of softmax regression at weights W, b is (p - y) ⊗ (x, 1), whose norm is
// ‖p - y‖ √(‖x‖² + 1). With a learning rate of nearly 0 the weights stay the initial ones, and
// with equal examples of two classes it is known which example has its label flipped.
func TestCanaryNorms(t *testing.T) {
	x := []float32{1, -2, 0.5}
	d := data.Dataset{Name: "equal", Shape: []int{3}, Classes: 2}
	for range 6 {
		d.Features, d.Labels = append(d.Features, x...), append(d.Labels, 1)
	}
	model := dpsgd.Model{Name: "softmax", Input: []int{3}, Layers: []nn.Layer{nn.Dense(3, 2)}, Loss: nn.SoftmaxCrossEntropy()}
	g := game.HiddenState{
		Model: model, Data: d, Adversary: game.FlippedLabel{}, Games: 3, Observe: []int{1, 4},
		Config: dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1, Steps: 4, ExpectedBatchSize: 6, LearningRate: 1e-12, Sampling: dpsgd.FullBatch{}},
	}
	root := streams.Fixed("norms")
	norms, err := g.CanaryNorms(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	w := model.Init(root.Rand("initial weights")) // [2, 3], then the biases, which are 0
	z := [2]float64{}
	for i, v := range x {
		z[0] += float64(v) * w[i]
		z[1] += float64(v) * w[3+i]
	}
	p1 := 1 / (1 + math.Exp(z[0]-z[1])) // of label 1; the canary has label 0
	want := math.Sqrt2 * p1 * math.Sqrt(1+4+0.25+1)
	if len(norms) != 2 {
		t.Fatalf("norms of %d numbers of steps, want 2", len(norms))
	}
	for at := range norms {
		for run, got := range norms[at] {
			if len(norms[at]) != 3 || math.Abs(got-want) > 1e-5 {
				t.Errorf("%d runs, norm %g of run %d, want %g", len(norms[at]), got, run, want)
			}
		}
	}
	g.Adversary = game.RandomDimension{}
	if _, err := g.CanaryNorms(context.Background(), root); err == nil || !strings.Contains(err.Error(), "must be an example") {
		t.Errorf("a crafted gradient: error %v", err)
	}
}
