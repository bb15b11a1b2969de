package output

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/advise"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/numeric"
)

// Advice writes the ways to tune, for runs with these batches, and the ways to draw the batches.
func Advice(a advise.Advice, drawings []advise.Drawing, drawn *input.Batches, asJSON bool) ([]byte, error) {
	if asJSON {
		return adviceJSON(a, drawings, drawn)
	}
	return adviceText(a, drawings, drawn), nil
}

// adviceText returns the answer for people.
func adviceText(a advise.Advice, drawings []advise.Drawing, drawn *input.Batches) []byte {
	q, out := a.Question, bytes.Buffer{}
	best, reason := a.Recommended()
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "target\tepsilon %g at delta %g; %d examples\n", q.Epsilon, q.Delta, q.Examples)
	fmt.Fprintf(w, "a training\tsampling rate %g, %d steps\n", q.SamplingRate, q.Steps)
	fmt.Fprintf(w, "batches\t%s\n", drawn.Drawn)
	fmt.Fprintf(w, "wanted\texpected quantile %g, %d candidates, mean cost of at most %g trainings\n", q.Quantile, q.Candidates, q.MeanCost)
	fmt.Fprintf(w, "recommended\t%s\n\t%s\n", best.Name, reason)
	if best.Law != nil {
		fmt.Fprintf(w, "\tK from the %s\n", accounting.RoundParameters(best.Law.String()))
	}
	fmt.Fprintf(w, "\tnoise multiplier %s\n\tepsilon %s by %s\n", format.RoundUp(best.NoiseMultiplier), upper(best.Epsilon, best.Checked), best.Theorem)
	for _, warning := range a.Warnings {
		fmt.Fprintf(w, "warning\t%v\n", warning)
	}
	w.Flush()
	fmt.Fprintf(&out, "\nways, least noise first\n")
	fmt.Fprintf(w, "way\tnoise\tsigma\trank\tlost\tmean\t99 %%\tpublished\n")
	for _, way := range a.Ways {
		fmt.Fprintf(w, "%s\t%.3f\t%s\t%s\t%s\t%s\t%s\t%s\n", way.Name, way.Noise/a.OneRun.Noise, format.FourDecimals(way.NoiseMultiplier), known(way.Quantile), known(way.ScoreLoss),
			effort(way.Cost, q.Seconds), effort(way.Cost99, q.Seconds), format.FourDecimals(way.Published))
	}
	w.Flush()
	fmt.Fprintf(&out, `
noise: noise of a mean gradient in the training of the released model, relative to one run
sigma: noise multiplier of every run
rank: expected quantile of the winner among all possible runs
lost: bound on the winner's loss of score against the best candidate, in 9 of 10 searches
mean, 99 %%: %s, on average and in 99 of 100 tunings
published: epsilon at the same noise by the least published bound, estimated, not checked
`, map[bool]string{true: "time", false: "cost in trainings on all data"}[q.Seconds > 0])
	writeDrawings(&out, a, drawings)
	return []byte(command.Wrap(string(trimLines(out.Bytes()))))
}

// writeDrawings writes the ways to draw the batches of one run, if there are several.
func writeDrawings(out *bytes.Buffer, a advise.Advice, drawings []advise.Drawing) {
	if len(drawings) < 2 {
		return
	}
	fmt.Fprintf(out, "\none run with noise multiplier %s, its batches drawn in other ways\n", format.RoundUp(a.OneRun.NoiseMultiplier))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "batches\tepsilon\tengine\n")
	for _, d := range drawings {
		fmt.Fprintf(w, "%s\t%s\t%s\n", d.Name, bothEnds(d.Epsilon), cmp.Or(d.Scheme, "-"))
	}
	w.Flush()
	fmt.Fprint(out, `
batches: a value of -batches in dpcost sgd, at the same mean size and steps. Capped batches have room for five standard deviations above the mean
epsilon: of one run, estimated, not checked; if two ends are printed, the exact value is about between them
engine: the scheme of package dpsgd that draws such batches
`)
}

// bothEnds writes the upper end of ε. If the lower one is more than 2 % smaller, it writes both.
func bothEnds(epsilon accounting.Interval) string {
	upper := numeric.Significant(epsilon.Upper, drawingDigits, 1)
	if !epsilon.HasLower {
		return signed(epsilon.Upper, false, drawingDigits)
	}
	if epsilon.Lower < 0.98*epsilon.Upper {
		return numeric.Significant(epsilon.Lower, drawingDigits, -1) + " to " + upper
	}
	return upper
}

// drawingDigits is the number of digits of the coarse ends of ε.
const drawingDigits = 4

// effort returns a number of trainings or, if seconds is known, their time.
func effort(cost, seconds float64) string {
	switch t := cost * seconds; {
	case seconds == 0:
		return fmt.Sprintf("%.3g", cost)
	case t < 120:
		return fmt.Sprintf("%.3g s", t)
	case t < 7200:
		return fmt.Sprintf("%.3g min", t/60)
	default:
		return fmt.Sprintf("%.3g h", t/3600)
	}
}

func known(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}

// adviceWay is a way for programs. Unknown values are left out.
type adviceWay struct {
	Name            string             `json:"name"`
	Law             string             `json:"law,omitempty"`
	NoiseMultiplier float64            `json:"noise_multiplier"`
	Noise           float64            `json:"mean_gradient_noise"`
	Epsilon         float64            `json:"epsilon"`
	Checked         bool               `json:"checked,omitempty"` // whether Epsilon has a certificate
	Published       accounting.Number  `json:"epsilon_published"`
	Theorem         string             `json:"theorem"`
	Share           float64            `json:"share_of_data"`
	Quantile        *float64           `json:"expected_quantile,omitempty"`
	ScoreLoss       *float64           `json:"score_loss,omitempty"`
	Cost            float64            `json:"cost"`
	Cost99          accounting.Number  `json:"cost_99"`
	Seconds         *accounting.Number `json:"seconds,omitempty"`
}

// drawing is a way to draw the batches of one run, for programs.
type drawing struct {
	Batches string            `json:"batches"`
	Epsilon accounting.Number `json:"epsilon"`
	Lower   *float64          `json:"epsilon_lower,omitempty"` // nil if it is not known
	Engine  string            `json:"engine,omitempty"`        // the scheme of package dpsgd, if there is one
}

func adviceJSON(a advise.Advice, drawings []advise.Drawing, drawn *input.Batches) ([]byte, error) {
	best, reason := a.Recommended()
	answer := struct {
		Epsilon     float64        `json:"epsilon"`
		Delta       float64        `json:"delta"`
		Recommended string         `json:"recommended"`
		Reason      string         `json:"reason"`
		Batches     *input.Batches `json:"batches"`
		Ways        []adviceWay    `json:"ways"`
		Drawings    []drawing      `json:"drawings"`
		Warnings    []string       `json:"warnings,omitempty"`
	}{Epsilon: a.Question.Epsilon, Delta: a.Question.Delta, Recommended: best.Name, Reason: reason, Batches: drawn}
	for _, way := range a.Ways {
		out := adviceWay{
			Name: way.Name, NoiseMultiplier: way.NoiseMultiplier, Noise: way.Noise, Epsilon: way.Epsilon, Checked: way.Checked, Published: accounting.Number(way.Published), Theorem: way.Theorem,
			Share: way.Share, Quantile: ifKnown(way.Quantile), ScoreLoss: ifKnown(way.ScoreLoss), Cost: way.Cost, Cost99: accounting.Number(way.Cost99),
		}
		if way.Law != nil {
			out.Law = way.Law.String()
		}
		if a.Question.Seconds > 0 {
			seconds := accounting.Number(way.Cost * a.Question.Seconds)
			out.Seconds = &seconds
		}
		answer.Ways = append(answer.Ways, out)
	}
	for _, d := range drawings {
		out := drawing{Batches: d.Name, Epsilon: accounting.Number(d.Epsilon.Upper), Engine: d.Scheme}
		if d.Epsilon.HasLower {
			out.Lower = &d.Epsilon.Lower
		}
		answer.Drawings = append(answer.Drawings, out)
	}
	for _, warning := range a.Warnings {
		answer.Warnings = append(answer.Warnings, warning.Error())
	}
	return indented(answer)
}

func ifKnown(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}
