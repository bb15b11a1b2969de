package hidden

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Coordinates is A_GC-R by many canaries in each training, of the ConvNet: Figures 1a, 2a and 11 by
// a hundredth of the trainings. The rows, their order and the initial weights are those of
// [ConvNet].
var Coordinates = experiment("convnet-coordinates", "Figures 1a, 2a and 11: the ConvNet by coordinates", map[string]Config{
	"quick": coordinatesQuick(),
	"full":  convNetCoordinates(),
})

func convNetCoordinates() Config {
	m := papers.Cebere2024.Models[1]
	c := convNet(m.Runs/2, m.Runs/2)
	c.Ranks = true
	for _, every := range []int{1, 5, 25} {
		for _, clip := range m.ClipNorms {
			s := Setting{LearningRate: m.LearningRate, ClipNorm: clip, Every: every, Adversaries: []string{coordinates}, Canaries: 200, Trainings: 26, Simulations: 34}
			for _, insertions := range seldom {
				s.Observe = append(s.Observe, every*insertions)
			}
			c.Settings = append(c.Settings, s)
		}
	}
	return c
}

// coordinatesQuick is of the small ConvNet on the embedded digits.
func coordinatesQuick() Config {
	c := smallConvNetQuick(Setting{Every: 1, ClipNorm: 1, Adversaries: []string{coordinates}, Canaries: 20, Trainings: 12, Simulations: 12})
	c.Games, c.Block = 90, 90
	return c
}

// byCoordinates trains and scores the models of a shard that has canaries along coordinates.
func (c Config) byCoordinates(ctx context.Context, h game.HiddenState, p place, root streams.Root) (Shard, error) {
	s := c.Settings[p.setting]
	play := game.OneRun{
		Model: h.Model, Data: h.Data, Config: h.Config, Observe: h.Observe, Coordinates: s.Canaries, Trainings: s.Trainings,
		Simulations: s.Simulations, SimulateNoise: true, At: h.At, Performance: h.Performance, Progress: h.Progress,
	}
	if play.At == nil {
		play.At = func(int) bool { return true } // not in the turn of a batch
	}
	result, err := play.Run(ctx, root)
	if err != nil {
		return Shard{}, fmt.Errorf("hidden: setting %d: %w", p.setting+1, err)
	}
	shard := Shard{Adversaries: make([][]Scores, 1)}
	for i, o := range result.Observed {
		if least := min(len(o.Scores.Member), len(o.Scores.NonMember)); least < c.Games {
			return Shard{}, fmt.Errorf("hidden: setting %d: coins left %d scores of one world: must be %d", p.setting+1, least, c.Games)
		}
		o.Scores.Member, o.Scores.NonMember = o.Scores.Member[:c.Games], o.Scores.NonMember[:c.Games]
		shard.Adversaries[0] = append(shard.Adversaries[0], c.pack(o.Scores, root, i < len(result.Observed)-1))
		var apart []float64
		for _, one := range o.Trainings {
			apart = append(apart, stat.Mean(one.Member, nil)-stat.Mean(one.NonMember, nil))
		}
		shard.Apart = append(shard.Apart, experiments.FloatsOf(apart))
	}
	return shard, nil
}

// ByCoordinates shows the audits of [Coordinates], a panel for each setting that is trained, next
// to those of the games with the same setting that have the most.
func ByCoordinates(a Audits, games ...Audits) (Figure, error) {
	f := Figure{Name: "cebere2024-coordinates", Title: "Coordinates instead of games"}
	f.from(a)
	var moved []string
	for i, s := range a.Config.Settings {
		lines, err := a.lines(i, coordinates)
		if err != nil {
			return f, err
		}
		if len(lines) == 0 {
			continue
		}
		panel := fmt.Sprintf("C = %g, k = %d", s.ClipNorm, s.Every)
		by := lines[0].moved(a.Audits, i)
		mu, err := exact.Coordinate{NoiseMultiplier: a.Config.NoiseMultiplier, Steps: s.Steps(), Every: s.Every}.Mu()
		if err != nil {
			return f, err
		}
		moved = append(moved, fmt.Sprintf("%s (%s; %.3f)", figures.PlusMinus(by.Mean, 2*by.StdErr()), panel, mu))
		if g, same := mostGames(games, s.same); same >= 0 {
			more, err := g.lines(same, random)
			if err != nil {
				return f, err
			}
			for _, line := range more {
				line.Label = fmt.Sprintf("%s, %d games", random, line.Bounds[0].Games)
				lines = append(lines, line)
			}
		}
		if err := f.add(panel, lines); err != nil {
			return f, err
		}
	}
	if len(f.Parts) == 0 {
		return f, errNothing(f, nil)
	}
	s := f.Parts[0].Curves[0].Setting
	f.Trained = append(f.Trained,
		fmt.Sprintf("By coordinates: %d canaries in each of %d trainings, and %d simulations. Panels share coordinates and noise, so their errors are not independent. Bands draw the scores again as if all were independent, at 95 %%.", s.Canaries, s.Trainings, s.Simulations),
		"In deviations of its noise, a canary moves its coordinate by (± two standard errors over trainings; alone): "+strings.Join(moved, ", ")+".")
	return f, nil
}

// moved returns by how much the canaries of a setting move their scores after the last step, with
// the error of independent trainings.
func (c Curve) moved(audits []Audit, setting int) figures.Estimate {
	i := slices.IndexFunc(audits, func(a Audit) bool { return a.Setting == setting })
	return figures.EstimateOf(audits[i].Apart[len(audits[i].Apart)-1])
}

func (s Setting) same(t Setting) bool { return s.Every == t.Every && s.ClipNorm == t.ClipNorm }
