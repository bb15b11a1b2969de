package game_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// counting returns games of one run. A row has the gradient -C along the bias of a hinge loss, and
// the canary has +C. So λ·Steps is the signed sum of the batches' sizes, plus normals.
func counting(t testing.TB, games, rows int, sampling dpsgd.Sampling) game.Tuning {
	t.Helper()
	g := tuning(t, games)
	g.Law = law.Fixed{Count: 1}
	g.Model = dpsgd.Model{Name: "hinge", Input: []int{6}, Layers: []nn.Layer{nn.Dense(6, 1)}, Loss: nn.Hinge()}
	g.Data = data.Dataset{Name: "ones", Shape: []int{6}, Classes: 2, Features: make([]float32, rows*6), Labels: slices.Repeat([]int32{1}, rows)}
	g.Canary = dpsgd.Canary{Example: &dpsgd.Example{Features: make([]float32, 6), Label: 0}}
	along := []float64{6: 0.5}
	g.Proxies[0] = func(_, gradient []float64) { copy(gradient, along) }
	g.Config.Sampling, g.Config.Steps, g.Config.NoiseMultiplier, g.Config.LearningRate = sampling, 2, 0.4, 1e-3
	return g
}

// firstRuns returns the first proxy of the first run of each game.
func firstRuns(games []game.TunedGame) (list []float64) {
	for _, played := range games {
		list = append(list, played.First[0])
	}
	return list
}

// signedSums returns the law of the signed sum of one batch of a truncated Poisson sample. If the
// canary joins a full batch, a random one of them all gives way. With onTop none does, so the batch
// is larger than its cap.
func signedSums(rows int, s dpsgd.TruncatedPoisson, canary, onTop bool) map[int]float64 {
	chances := map[int]float64{}
	for m := range rows + 1 {
		chance := binomialChance(rows, m, s.Rate)
		if !canary {
			chances[-min(m, s.Cap)] += chance
			continue
		}
		chances[-min(m, s.Cap)] += chance * (1 - s.Rate)
		switch kept := float64(s.Cap) / float64(m+1); {
		case onTop || m < s.Cap:
			chances[-min(m, s.Cap)+1] += chance * s.Rate
		default:
			chances[-(s.Cap-1)+1] += chance * s.Rate * kept
			chances[-s.Cap] += chance * s.Rate * (1 - kept)
		}
	}
	return chances
}

func binomialChance(n, k int, q float64) float64 {
	ways := 1.0
	for i := range k {
		ways *= float64(n-i) / float64(i+1)
	}
	return ways * math.Pow(q, float64(k)) * math.Pow(1-q, float64(n-k))
}

// twoSteps returns the distribution function of λ after two steps.
func twoSteps(one map[int]float64, sigma float64) func(x float64) float64 {
	return func(x float64) (total float64) {
		for a, p := range one {
			for b, q := range one {
				total += p * q * normalCDF((2*x-float64(a+b))/(sigma*math.Sqrt2))
			}
		}
		return total
	}
}

// A truncated batch is cut with the canary in it, as a batch with one more row is. The scores have
// the law that enumerates all batches, and not that of a canary on top of a cut batch.
func TestTuningOfTruncatedBatches(t *testing.T) {
	const rows, games = 3, 2000
	sampling := dpsgd.TruncatedPoisson{Rate: 0.5, Cap: 2, Examples: rows + 1}
	g := counting(t, games, rows, sampling)
	result, err := g.Run(t.Context(), streams.Fixed("truncated"))
	if err != nil {
		t.Fatal(err)
	}
	member, nonMember := firstRuns(result.Member), firstRuns(result.NonMember)
	law := func(canary, onTop bool) func(float64) float64 {
		return twoSteps(signedSums(rows, sampling, canary, onTop), g.Config.NoiseMultiplier)
	}
	if d := kolmogorov(member, law(true, false)); d > limit(games) {
		t.Errorf("members are %.4f from their law, allowed %.4f", d, limit(games))
	}
	if d := kolmogorov(nonMember, law(false, false)); d > limit(games) {
		t.Errorf("non-members are %.4f from their law, allowed %.4f", d, limit(games))
	}
	if d := kolmogorov(member, law(true, true)); d < limit(games) {
		t.Errorf("members are %.4f from the law of a canary that takes no place: must be at least %.4f", d, limit(games))
	}
}

// The games of a half are those of the whole, and a world alone trains too.
func TestTuningOfTruncatedBatchesStandsAlone(t *testing.T) {
	play := func(members, nonMembers, first int) game.TuningResult {
		g := counting(t, 0, 3, dpsgd.TruncatedPoisson{Rate: 0.5, Cap: 2, Examples: 4})
		g.Members, g.NonMembers, g.First = members, nonMembers, first
		last, steps := 0, 0
		g.Progress = func(done, total int) { last, steps = done, total }
		result, err := g.Run(t.Context(), streams.Fixed("alone"))
		if err != nil {
			t.Fatal(err)
		}
		if last != steps || steps == 0 {
			t.Errorf("%d and %d games: progress ended at %d of %d", members, nonMembers, last, steps)
		}
		return result
	}
	whole, members, others := play(4, 5, 0), play(2, 0, 1), play(0, 2, 3)
	for i, pair := range [][2]game.TunedGame{{whole.Member[1], members.Member[0]}, {whole.Member[2], members.Member[1]}, {whole.NonMember[3], others.NonMember[0]}, {whole.NonMember[4], others.NonMember[1]}} {
		if a, b := pair[0].First[0], pair[1].First[0]; math.Abs(a-b) > 1e-6 {
			t.Errorf("pair %d: %g among others, %g alone", i, a, b)
		}
	}
}

// The scores of any scheme do not contradict the event of their run, and contradict that of a run
// with ten times the noise. Each has a chance of at most 1e-6 to fail.
func TestTuningClaimsOfEveryScheme(t *testing.T) {
	const games, rows = 2500, 3
	schemes := []dpsgd.Sampling{
		dpsgd.TruncatedPoisson{Rate: 0.5, Cap: 2, Examples: rows + 1}, dpsgd.CyclicPoisson{Period: 2, Rate: 0.5}, dpsgd.CyclicAllocation{Period: 2, Turns: 2},
	}
	quick := []accounting.Accountant{pld.Accountant{Width: 0.05, MaxGrid: 1 << 12}, contour.NewAccountant()} // that answer the first at once
	if !testing.Short() {
		schemes = append(schemes, dpsgd.Poisson{Rate: 0.5}, dpsgd.RandomAllocation{Period: 2}, dpsgd.FixedBatches{Period: 2}, dpsgd.FullBatch{})
		quick = nil
	}
	for i, sampling := range schemes {
		t.Run(fmt.Sprint(sampling), func(t *testing.T) {
			g := counting(t, games, rows, sampling)
			g.Config.Steps = 4 // a whole period of turns
			result, err := g.Run(t.Context(), streams.Fixed("claims"))
			if err != nil {
				t.Fatal(err)
			}
			scores := audit.Scores{Member: firstRuns(result.Member), NonMember: firstRuns(result.NonMember)}
			more := g.Config
			more.NoiseMultiplier *= 10
			for _, claim := range []struct {
				of    dpsgd.Config
				false bool
			}{{g.Config, false}, {more, true}} {
				curve, err := audit.ClaimOf(claim.of.Event(), quick[min(i, len(quick)):min(i+1, len(quick))]...)
				if err != nil {
					t.Fatal(err)
				}
				verdict, err := audit.TestClaim(scores, curve, audit.Config{Seed: 1, Confidence: 1 - 1e-6})
				if err != nil || verdict.Contradicted != claim.false {
					t.Errorf("%v, error %v", verdict, err)
				}
			}
		})
	}
}

func TestTuningFaultsOfTruncatedBatches(t *testing.T) {
	for want, change := range map[string]func(*game.Tuning){
		"Canary.Example is nil: must be given with TruncatedPoisson": func(g *game.Tuning) { g.Canary = dpsgd.Canary{Gradient: []float64{6: 0.5}} },
		"Canary has a crafted gradient: must be only an Example":     func(g *game.Tuning) { g.Canary.Gradient = []float64{6: 0.5} },
		"Canary.At is given: must be nil with TruncatedPoisson":      func(g *game.Tuning) { g.Canary.At = func(int) bool { return true } },
		"Examples 3: must be at least 4, the number of examples":     func(g *game.Tuning) { g.Config.Sampling = dpsgd.TruncatedPoisson{Rate: 0.5, Cap: 2, Examples: 3} },
		"length of Canary.Example.Features 5: must be 6":             func(g *game.Tuning) { g.Canary.Example.Features = make([]float32, 5) },
		"length of Canary.Example.Targets 1: must be 0":              func(g *game.Tuning) { g.Canary.Example.Targets = []float32{1} },
	} {
		g := counting(t, 1, 3, dpsgd.TruncatedPoisson{Rate: 0.5, Cap: 2, Examples: 4})
		change(&g)
		if _, err := g.Run(t.Context(), streams.Fixed("faults")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
