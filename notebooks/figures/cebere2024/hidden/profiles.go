package hidden

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/paperaudit"
)

// Profiles are privacy profiles ε → δ(ε): Figure 11. An audit as in the paper is a lower bound on
// µ, and so on the δ of every ε, if the trade-off curve is Gaussian.
type Profiles struct {
	Parts   []ProfilePart
	Trained []string // what is drawn of what is stored
	Sources []string // where that was trained, and when
}

// ProfilePart is one network.
type ProfilePart struct {
	Title      string
	Accountant float64 // µ of 250 insertions, or of as many as there are
	Lines      []ProfileLine
}

// ProfileLine is A_GC-R at one period.
type ProfileLine struct {
	Every  int
	Mu     float64 // the mean over the repetitions
	Closed float64 // of a coordinate that only noise and canary move
}

// Figure11 takes the profiles of A_GC-R after the last step, with the canary at every step and at
// every k-th. Of audits with the canary at every step it takes only the first setting. Audits of
// one network that follow each other share a panel.
func Figure11(audits ...Audits) Profiles {
	var p Profiles
	for _, a := range audits {
		f := Figure{Trained: p.Trained, Sources: p.Sources}
		f.from(a)
		p.Trained, p.Sources = f.Trained, f.Sources
		for i, s := range a.Config.Settings {
			if mu, ok := a.mu(i, random); ok && (s.Every > 1 || i == 0) {
				part := p.part(networks[a.Config.Network].name)
				closed, err := exact.Coordinate{NoiseMultiplier: a.Config.NoiseMultiplier, Steps: s.Steps(), Every: s.Every}.Mu()
				if err != nil {
					closed = math.NaN() // the last period is not over
				}
				part.Lines = append(part.Lines, ProfileLine{Every: s.Every, Mu: mu, Closed: closed})
				part.Accountant = max(part.Accountant, math.Sqrt(float64(s.Insertions(s.Steps())))/a.Config.NoiseMultiplier)
			}
		}
	}
	return p
}

// part returns the last panel if it is of a network, else a new one.
func (p *Profiles) part(network string) *ProfilePart {
	if n := len(p.Parts); n == 0 || p.Parts[n-1].Title != network {
		p.Parts = append(p.Parts, ProfilePart{Title: network})
	}
	return &p.Parts[len(p.Parts)-1]
}

// mu returns the mean of the paper's µ after the last step of a setting.
func (a Audits) mu(setting int, adversary string) (mu float64, ok bool) {
	count := 0.0
	for _, one := range a.Audits {
		if one.Setting == setting && one.Adversary == adversary {
			last := one.Observed[len(one.Observed)-1]
			mu += paperaudit.New(one.Games, a.Config.level()).Mu(last)
			count++
		}
	}
	return mu / max(count, 1), count > 0
}

// Figure draws a panel for each network.
func (p Profiles) Panels() (chart.Panels, error) {
	out := chart.Panels{
		Name: "cebere2024-figure11", Title: "Figure 11: privacy profiles of A_GC-R", Columns: min(3, len(p.Parts)),
		Notes: append([]string{"A lower bound on δ at every ε, by the paper's lower bound on µ (Gaussian trade-off assumed, uncorrected)."}, p.Trained...), Sources: p.Sources,
	}
	for i, part := range p.Parts {
		ch := chart.Chart{
			Name: fmt.Sprintf("cebere2024-figure11-%d", i+1), Title: part.Title, XLabel: "ε", YLabel: "δ", YLog: true, YMin: 1e-9, YMax: 1,
		}
		curve, err := profile(part.Accountant)
		if err != nil {
			return out, err
		}
		curve.Label, curve.Reference = "accountant", true
		ch.Curves = append(ch.Curves, curve)
		for _, line := range part.Lines {
			if curve, err = profile(line.Mu); err != nil {
				return out, err
			}
			if len(curve.X) > 0 { // nothing is known of a mechanism with µ = 0
				curve.Label, curve.Color = fmt.Sprintf("A_GC-R, k = %d", line.Every), line.color()
				ch.Curves = append(ch.Curves, curve)
			}
			if line.Every > 1 && line.Closed > 0 {
				if curve, err = profile(line.Closed); err != nil {
					return out, err
				}
				curve.Label, curve.Reference = fmt.Sprintf("only noise and canary, k = %d", line.Every), true
				ch.Curves = append(ch.Curves, curve)
			}
		}
		out.Charts = append(out.Charts, ch)
	}
	return out, nil
}

// color is the same in all panels.
func (l ProfileLine) color() int {
	switch l.Every {
	case 1:
		return 1
	case 5:
		return 2
	}
	return 3
}

// profile returns δ(ε) of the Gaussian with µ, as far as it is above 1e-9.
func profile(mu float64) (chart.Curve, error) {
	var c chart.Curve
	for epsilon := 0.0; epsilon <= 40; epsilon += 0.25 {
		delta, err := gdp.DeltaAt(mu, epsilon)
		if err != nil {
			return c, err
		}
		if delta.Estimate < 1e-9 {
			break
		}
		c.X, c.Y = append(c.X, epsilon), append(c.Y, delta.Estimate)
	}
	return c, nil
}

// Table lists µ: the whole profile follows from it.
func (p Profiles) Table() figures.Table {
	t := figures.Table{Name: "cebere2024-figure11-mu", Title: "Figure 11: µ, which gives each profile", Columns: []string{"network", "canary at every k-th step", "accountant", "only noise and canary", "audits of A_GC-R"}}
	for _, part := range p.Parts {
		for _, line := range part.Lines {
			t.Rows = append(t.Rows, []string{part.Title, fmt.Sprint(line.Every), fmt.Sprintf("%.2f", part.Accountant), chart.Places(line.Closed, 2), fmt.Sprintf("%.2f", line.Mu)})
		}
	}
	return t
}
