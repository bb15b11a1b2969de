package hidden

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure1a is [ConvNet], the network with the canary at every step, a panel for each clip norm:
// A_GC-R and A_L. Of several profiles each panel takes that with the most games.
func Figure1a(profiles ...Audits) (Figure, error) {
	return figure1("cebere2024-figure1a", "Figure 1a: the canary at every step", profiles)
}

// Figure1b is the same of [ResNet].
func Figure1b(a Audits) (Figure, error) {
	return figure1("cebere2024-figure1b", "Figure 1b: the canary at every step, a residual network", []Audits{a})
}

func figure1(name, title string, profiles []Audits) (Figure, error) {
	f := Figure{Name: name, Title: title}
	if len(profiles) == 0 {
		return f, fmt.Errorf("hidden: %s: no audits: must be those of at least one profile", title)
	}
	for _, s := range profiles[0].Config.Settings {
		a, i := mostGames(profiles, func(t Setting) bool { return t.ClipNorm == s.ClipNorm })
		lines, err := a.lines(i, random, loss)
		if err != nil {
			return f, err
		}
		if err := f.addClipNorm(a, s.ClipNorm, lines); err != nil {
			return f, err
		}
	}
	if len(f.Parts) > 1 {
		f.Trained = append(f.Trained, "The panels share the order of the data, the initial weights and the noise of each game, so their errors are not independent.")
	}
	return f, nil
}

// mostGames returns the audits that have the most games in a setting that is meant, the earlier of
// equal ones, and the number of the setting there, or -1 if none has one.
func mostGames(profiles []Audits, meant func(Setting) bool) (most Audits, setting int) {
	games, setting := -1, -1
	for _, a := range profiles {
		i := slices.IndexFunc(a.Config.Settings, meant)
		if i >= 0 && a.games(i) > games {
			most, setting, games = a, i, a.games(i)
		}
	}
	return most, setting
}

// addClipNorm appends the panel of a clip norm, the source of its audits, and the claims of the
// text.
func (f *Figure) addClipNorm(a Audits, clipNorm float64, lines []Line) error {
	if len(lines) == 0 {
		f.Trained = append(f.Trained, fmt.Sprintf("Not trained: clip norm C = %g.", clipNorm))
		return nil
	}
	f.from(a)
	f.randomSays(fmt.Sprintf(", clip norm %g", clipNorm), lines, true)
	return f.add(fmt.Sprintf("C = %g, %d games of each world", clipNorm, lines[0].Bounds[0].Games), lines)
}

// randomSays adds the claims of the text about A_GC-R and A_L.
func (f *Figure) randomSays(of string, lines []Line, isTight bool) {
	r, okR := find(lines, random)
	l, okL := find(lines, loss)
	if okR && isTight {
		f.Said = append(f.Said, tight(papers.Cebere2024.RandomTight, of, r))
	}
	if okR && okL {
		f.Said = append(f.Said, larger(papers.Cebere2024.RandomOverLoss, of, r, l))
	}
}

// Figure2 has the canary at every k-th step: [ConvNetPeriod] at k = 5, and [FCNNPeriod] at 5 and
// 25.
func Figure2(convNet, fcnn Audits) (Figure, error) {
	f := Figure{Name: "cebere2024-figure2", Title: "Figure 2: the canary at every k-th step"}
	for _, a := range []Audits{convNet, fcnn} {
		f.from(a)
		var before []Line
		for i, s := range a.Config.Settings {
			lines, err := a.lines(i, random, simulated, loss)
			if err != nil {
				return f, err
			}
			if err := f.add(a.atPeriod(s), lines); err != nil {
				return f, err
			}
			f.randomSays(", "+a.atPeriod(s), lines, false)
			smaller, ok := find(before, random)
			if larger25, ok25 := find(lines, random); ok && ok25 {
				f.Said = append(f.Said, larger(papers.Cebere2024.PeriodWeakens, ", "+networks[a.Config.Network].name, smaller, larger25))
			}
			before = lines
		}
	}
	return f, nil
}

// atPeriod names the network and a setting's k.
func (a Audits) atPeriod(s Setting) string {
	return fmt.Sprintf("%s, k = %d", networks[a.Config.Network].name, s.Every)
}

// single returns a figure with one panel: some adversaries in the first setting, all done.
func single(name, title, panel string, a Audits, adversaries ...string) (Figure, []Line, error) {
	f := Figure{Name: name, Title: title}
	f.from(a)
	lines, err := a.lines(0, adversaries...)
	if err != nil || len(lines) < len(adversaries) {
		return f, nil, errNothing(f, err)
	}
	err = f.add(panel, lines)
	return f, lines, err
}

// atRate names the network and the first learning rate.
func (a Audits) atRate() string {
	return fmt.Sprintf("%s, learning rate %g", networks[a.Config.Network].name, a.Config.Settings[0].LearningRate)
}

// Figure4 has the four ways of A_GC-S to choose the dimension, of [FCNN].
func Figure4(a Audits) (Figure, error) {
	f, lines, err := single("cebere2024-figure4", "Figure 4: four ways to choose the dimension", a.atRate(), a, simulated, noiselessFinal, noisyStep, noisyFinal, random, loss)
	if err != nil {
		return f, err
	}
	byMean := func(a, b Line) int { return cmp.Compare(stat.Mean(a.Last(), nil), stat.Mean(b.Last(), nil)) }
	f.Said = append(f.Said, larger(papers.Cebere2024.NoiselessStepBest, "", lines[0].Curve, slices.MaxFunc(lines[1:4], byMean).Curve))
	lines[0].Label = "A_GC-S (noiseless, per step)"
	return f, nil
}

func errNothing(f Figure, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("hidden: %s: no shard of its setting is done", f.Title)
}

// Figure5 compares A_GC-S with A_GC-R, of [ConvNet]. At k = 5, of [ConvNetPeriod], only A_GC-R is
// trained. The exact law of a coordinate that only noise and canary move is that of both.
func Figure5(every, period Audits) (Figure, error) {
	f, lines, err := single("cebere2024-figure5", "Figure 5: a chosen and a random dimension", every.atPeriod(every.Config.Settings[0]), every, random, simulated)
	if err != nil {
		return f, err
	}
	mean, half := lines[0].reached()
	f.Said = append(f.Said, ratio(papers.Cebere2024.SimulatedEqualsRandom, "", lines[1].Curve, mean, half, lines[0].Curve))
	if lines, err = period.lines(0, random); err != nil || len(lines) == 0 {
		return f, err
	}
	f.from(period)
	return f, f.add(period.atPeriod(period.Config.Settings[0]), lines)
}

// Figure7 compares a random direction with a cosine score with A_GC-R and A_L, of [FCNN].
func Figure7(a Audits) (Figure, error) {
	f, lines, err := single("cebere2024-figure7", "Figure 7: a random direction and a cosine score", a.atRate(), a, random, loss, cosine)
	if err != nil {
		return f, err
	}
	f.Said = append(f.Said, larger(papers.Cebere2024.RandomOverCosine, "", lines[0].Curve, lines[2].Curve),
		larger(papers.Cebere2024.CosineOverLoss, "", lines[2].Curve, lines[1].Curve))
	return f, nil
}

// Figure12 is A_GC-R with known and with unknown initial weights, of [ConvNet] and
// [ConvNetUnknown].
func Figure12(known, unknown Audits) (Figure, error) {
	f := Figure{Name: "cebere2024-figure12", Title: "Figure 12: unknown initial weights"}
	a, b, err := f.addTwo(networks[known.Config.Network].name+", A_GC-R", known, "known", unknown, "unknown")
	if err != nil {
		return f, err
	}
	mean, half := a.reached()
	f.Said = append(f.Said, ratio(papers.Cebere2024.UnknownEqualsKnown, "", b, mean, half, a))
	law := chart.Curve{Label: "unknown, exact law", Reference: true}
	for _, steps := range b.Setting.Observe {
		l, err := unknownWeight(b.Config, b.Setting, steps).Law()
		if err != nil {
			return f, err
		}
		epsilon, err := l.EpsilonAt(b.Config.Delta)
		if err != nil {
			return f, err
		}
		law.X, law.Y = append(law.X, float64(steps)), append(law.Y, epsilon.Estimate)
	}
	f.Parts[0].Laws, f.Parts[0].Curves[1].Closed = append(f.Parts[0].Laws, law), law.Y
	f.Trained = append(f.Trained, fmt.Sprintf("Exact law: a weight of the dense layer that only noise and canary move. With known weights it is the accountant's line, with unknown ones ε is %.2f after the last step.",
		law.Y[len(law.Y)-1]))
	return f, nil
}

// addTwo appends a panel with A_GC-R of two audits.
func (f *Figure) addTwo(title string, first Audits, firstLabel string, second Audits, secondLabel string) (a, b Curve, err error) {
	for _, of := range []struct {
		label string
		Audits
	}{{firstLabel, first}, {secondLabel, second}} {
		if f.from(of.Audits); len(f.Trained) > 0 {
			f.Trained[len(f.Trained)-1] = "“" + of.label + "”: " + f.Trained[len(f.Trained)-1]
		}
	}
	one, errOne := first.lines(0, random)
	two, errTwo := second.lines(0, random)
	if errOne != nil || errTwo != nil || len(one)+len(two) < 2 {
		return a, b, errNothing(*f, errors.Join(errOne, errTwo))
	}
	one[0].Label, two[0].Label, two[0].Color = firstLabel, secondLabel, 2
	return one[0].Curve, two[0].Curve, f.add(title, append(one, two...))
}

// The largest layer of the ConvNet.
const denseInputs, denseOutputs = 400, 120

// unknownWeight is a weight of that layer, uniform with standard deviation √(2/(inputs + outputs))
// at first (Glorot and Bengio).
func unknownWeight(c Config, s Setting, steps int) exact.Coordinate {
	step := s.LearningRate / float64(c.BatchSize) * s.ClipNorm
	return exact.Coordinate{NoiseMultiplier: c.NoiseMultiplier, Steps: steps, Every: s.Every, Initial: math.Sqrt(6./(denseInputs+denseOutputs)) / step}
}

// Figure13 is A_GC-R on a last layer that is trained on features of a public network, [LastLayer],
// and on [ConvNet], which is trained from scratch.
func Figure13(layer, whole Audits) (Figure, error) {
	f := Figure{Name: "cebere2024-figure13", Title: "Figure 13: a last layer on public features"}
	a, _, err := f.addTwo("A_GC-R", layer, "last layer", whole, "ConvNet from scratch")
	if err != nil {
		return f, err
	}
	f.Said = append(f.Said, tight(papers.Cebere2024.LastLayerTight, "", a))
	return f, nil
}
