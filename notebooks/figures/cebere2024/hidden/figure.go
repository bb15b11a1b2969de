package hidden

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure is one item of the paper: lower bounds on ε over the steps, in panels.
type Figure struct {
	Name, Title string
	Parts       []Part
	Trained     []string // what is drawn of what is stored
	Sources     []string // where that was trained, and when
	Said        []figures.ComparisonRow
}

// Part is one panel.
type Part struct {
	Title  string
	Curves []Line
	Tight  *Tight        // where the audits have fewer games than the paper's
	Laws   []chart.Curve // exact, to compare the audits with
}

// Line is a curve with its entry in the legend.
type Line struct {
	Label string
	Color int
	Curve
}

// colors keep an adversary's color from figure to figure.
var colors = map[string]int{random: 1, simulated: 2, loss: 3, cosine: 4, noiselessFinal: 5, noisyStep: 6, noisyFinal: 7, coordinates: 5}

// lines returns those of some adversaries in a setting, as far as they are done.
func (a Audits) lines(setting int, names ...string) ([]Line, error) {
	var lines []Line
	for _, name := range names {
		c, ok, err := a.Curve(setting, name)
		if err != nil {
			return nil, err
		}
		if ok {
			lines = append(lines, Line{Label: name, Color: colors[name], Curve: c})
		}
	}
	return lines, nil
}

// add appends a panel, unless nothing of it is done.
func (f *Figure) add(title string, lines []Line) error {
	if len(lines) == 0 {
		return nil
	}
	p := Part{Title: title, Curves: lines}
	if closed := lines[0].Closed; lines[0].Setting.Every > 1 && closed[len(closed)-1] > 0 {
		p.Laws = []chart.Curve{{Label: "only noise and canary", X: figures.Floats(lines[0].Setting.Observe), Y: closed, Reference: true}}
	}
	if lines[0].Bounds[0].Games < papers.Cebere2024.Models[0].Runs/2 {
		t, err := lines[0].tight()
		if err != nil {
			return err
		}
		p.Tight = &t
	}
	f.Parts = append(f.Parts, p)
	return nil
}

// from notes where audits are from, once.
func (f *Figure) from(a Audits) {
	trained := fmt.Sprintf("%s on %s, batches of %d, %s", networks[a.Config.Network].name, datasets[a.Config.Data].name, a.Config.BatchSize, a.Size())
	source := trained + ": " + a.Account
	if slices.Contains(f.Sources, source) {
		return
	}
	if a.Profile != "full" {
		trained = "Not the paper's size: " + trained
	}
	if f.Sources = append(f.Sources, source); !slices.Contains(f.Trained, trained+".") {
		f.Trained = append(f.Trained, trained+".")
	}
}

// Figure draws the bounds over the steps: the mean over the repetitions, and a band from the least
// to the largest.
func (f Figure) Figure() chart.Figure {
	p := chart.Panels{Name: f.Name, Title: f.Title, Columns: min(3, len(f.Parts))}
	for i, part := range f.Parts {
		p.Charts = append(p.Charts, part.chart(fmt.Sprintf("%s-%d", f.Name, i+1)))
	}
	c := f.Parts[0].Curves[0].Config
	p.Notes = append(p.Notes, fmt.Sprintf("σ = %g; the adversary knows the batches. Bounds as in the paper: best threshold on the same scores, uncorrected, Gaussian trade-off assumed.", c.NoiseMultiplier))
	if slices.ContainsFunc(f.Parts, func(p Part) bool { return p.Curves[0].Setting.Every > 1 }) {
		p.Notes = append(p.Notes, "Only noise and canary: the exact ε of a coordinate that nothing else moves, µ = n/(σ√(kn)) after n canaries, in any network. At k = 1 it is the accountant's.")
	}
	if f.crowded() {
		p.Notes = append(p.Notes, "Means over the repetitions; their ranges after the last step are in the table.")
	}
	if slices.ContainsFunc(f.Parts, func(p Part) bool { return p.Tight != nil }) {
		p.Notes = append(p.Notes, fmt.Sprintf("Tight: the bounds of as many games as the first curve has, of a mechanism that leaks all that the accountant allows, mean and 95 %% of %d simulated audits. Bands of single audits: 95 %%, by bootstrap over games.", tightAudits))
	}
	for i, c := range p.Charts {
		if accountant := f.Parts[i].Curves[0].Accountant; c.YMax < accountant[len(accountant)-1] {
			p.Notes = append(p.Notes, fmt.Sprintf("%s: the axis ends below the accountant, which has %.1f after the last step.", c.Title, accountant[len(accountant)-1]))
		}
	}
	p.Notes, p.Sources = append(p.Notes, f.Trained...), f.Sources
	return p
}

// bandCount is how many curves of a panel can have bands that still can be told apart.
const bandCount = 4

func (p Part) crowded() bool { return len(p.Curves) > bandCount }

func (f Figure) crowded() bool { return slices.ContainsFunc(f.Parts, Part.crowded) }

func (p Part) chart(name string) chart.Chart {
	first := p.Curves[0]
	steps := figures.Floats(first.Setting.Observe)
	last := len(steps) - 1
	top, audits := first.Accountant[last], 0.0
	ch := chart.Chart{
		Name: name, Title: p.Title, XLabel: "step t, the last one of the run", YLabel: "ε at δ = " + chart.Scientific(first.Config.Delta),
		XMax: steps[last], Curves: []chart.Curve{{Label: "accountant", X: steps, Y: first.Accountant, Reference: true}},
	}
	ch.Curves = append(ch.Curves, p.Laws...)
	for _, law := range p.Laws {
		audits = max(audits, law.Y[len(law.Y)-1])
	}
	if p.Tight != nil {
		ch.Curves = append(ch.Curves, p.Tight.curve(steps))
		top = max(top, slices.Max(p.Tight.High))
	}
	for _, line := range p.Curves {
		mean, low, high := line.over(paperBounds)
		if len(line.Bounds) == 1 {
			low, high = line.band()
		}
		curve := chart.Curve{Label: line.Label, X: figures.Floats(line.Setting.Observe), Y: mean, Color: line.Color}
		if !p.crowded() {
			curve.Low, curve.High = low, high
		}
		audits = max(audits, slices.Max(high))
		ch.Curves = append(ch.Curves, curve)
	}
	if ch.YMax = 1.08 * max(top, audits); audits > 0 && audits < enlarged*top {
		ch.Title += ", enlarged"
		ch.YMax = 1.5 * audits
	}
	return ch
}

// enlarged is a share of the accountant. If all audits are below it, the axis fits the audits: on
// the accountant's they would lie on each other.
const enlarged = 0.2

// Table returns the bounds at the last step: as the paper takes them, and two that pay for what
// they choose.
func (f Figure) Table() (figures.Table, error) {
	c := f.Parts[0].Curves[0].Config
	t := figures.Table{
		Name: f.Name + "-bounds", Title: f.Title + fmt.Sprintf(": ε at δ = %s after the last step", chart.Scientific(c.Delta)),
		Columns: []string{"panel", "adversary", "games of each world", "accountant", "as in the paper (range)", "Gaussian trade-off, AUC", "no assumption", "as many games of a tight mechanism, 95 %", "only noise and canary"},
		Notes:   append(c.boundNotes(), f.aboveNote()),
	}
	for _, part := range f.Parts {
		for _, line := range part.Curves {
			row, err := line.row()
			if err != nil {
				return t, err
			}
			t.Rows = append(t.Rows, append(append([]string{part.Title, line.Label}, row...), part.place(line), chart.Places(line.Closed[len(line.Closed)-1], 2)))
		}
	}
	return t, nil
}

func (l Line) row() ([]string, error) {
	mean, low, high := l.over(paperBounds)
	gdp, _, _ := l.over(gdpBounds)
	i := len(mean) - 1
	inPaper := fmt.Sprintf("%.2f", mean[i])
	if len(l.Bounds) > 1 {
		inPaper += fmt.Sprintf(" (%.2f to %.2f)", low[i], high[i])
	}
	none, err := l.NoAssumption()
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprint(l.Bounds[0].Games), fmt.Sprintf("%.2f", l.Accountant[i]), inPaper, fmt.Sprintf("%.2f", gdp[i]), fmt.Sprintf("%.2f", stat.Mean(none, nil))}, nil
}

// Compare sets the claims of the text next to our numbers.
func (f Figure) Compare() figures.Comparison {
	return figures.Comparison{Name: f.Name, Title: f.Title + ", claims of the text", Rows: f.Said}
}

// boundNotes explain the columns of bounds.
func (c Config) boundNotes() []string {
	return []string{
		"An audit as in the paper may be above the accountant. Means over the repetitions.",
		fmt.Sprintf("A bound without an assumption is false with chance %g %% at most. So is a bound by the AUC if the trade-off curve is Gaussian. The paper's bounds have no such limit.", chart.Round(100*(1-c.Confidence), 3)),
	}
}

// aboveNote counts the bounds that are above the accountant's ε, which are false.
func (f Figure) aboveNote() string {
	paper, gdp := aboveAccountant(f.Parts, paperBounds), aboveAccountant(f.Parts, gdpBounds)
	c := f.Parts[0].Curves[0].Config
	return fmt.Sprintf("Above the accountant at any step, so false: %d of %d bounds as in the paper, %d by the area under the curve. At %.3g %% confidence %.3g %% may be, on average: bounds along one run share its games.",
		paper.Hold, paper.Of(), gdp.Hold, 100*c.Confidence, 100*(1-c.Confidence))
}

// aboveAccountant counts the bounds of all curves and steps that are above the accountant's ε.
func aboveAccountant(parts []Part, of func(Bounds) []float64) (above figures.Cases) {
	for _, part := range parts {
		for _, line := range part.Curves {
			for _, b := range line.Bounds {
				for i, v := range of(b) {
					above.AddIf(v > line.Accountant[i])
				}
			}
		}
	}
	return above
}
