package sixth

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Result has the trainings that are done, by increasing repeat and views.
type Result struct {
	Config    Config
	Trainings []Training
	Size      int    // weights of the network
	Profile   string // "full", "mid" or "quick"
	Account   string // how many trainings are done, on what, and when
}

func merge(c Config, parts []experiments.Part[Training]) (Result, error) {
	r := Result{Config: c}
	for _, p := range parts {
		r.Trainings = append(r.Trainings, p.Result)
	}
	shape, classes := []int{32, 32, 3}, 10
	if c.Data == "digits" {
		shape = []int{8, 8, 1}
	}
	model, err := c.Network.model(shape, classes, 1)
	r.Size = model.Size()
	return r, err
}

// Options are how Load trains if nothing is stored.
type Options = experiments.Env

// Load returns the stored trainings, of the profile full if there are any, or else of mid. If there
// are none, it trains the profile quick.
func Load(ctx context.Context, o Options) (Result, error) {
	stored, err := CIFAR.AtHand(ctx, o)
	return named(stored), err
}

func named(s experiments.Stored[Config, Result]) Result {
	r := s.Result
	r.Profile, r.Account = s.Profile, s.Account.String()
	return r
}

// ofViews returns the trainings with K views.
func (r Result) ofViews(views int) []Training {
	return slices.DeleteFunc(slices.Clone(r.Trainings), func(t Training) bool { return t.Views != views })
}

// drawn returns the numbers of views with at least two trainings, which have a mean and an error.
func (r Result) drawn() []int {
	return slices.DeleteFunc(slices.Clone(r.Config.Views), func(views int) bool { return len(r.ofViews(views)) < 2 })
}

func percent(of func(Training) float64) func(Training) float64 {
	return func(t Training) float64 { return 100 * of(t) }
}

var (
	last     = percent(func(t Training) float64 { return t.Last })
	averaged = percent(func(t Training) float64 { return t.Averaged })
)

// mean returns the estimate of an accuracy with K views, in percent.
func (r Result) mean(views int, of func(Training) float64) figures.Estimate {
	return figures.EstimateOf(figures.Map(r.ofViews(views), of))
}

// averageOverLast returns the estimate of what the average gains with K views, in points. Both are
// of the same trainings.
func (r Result) averageOverLast(views int) figures.Estimate {
	return r.mean(views, func(t Training) float64 { return averaged(t) - last(t) })
}

// overOneView returns the estimate of what K views gain over the least number, in points, with
// averaged weights. The differences are of repeats that have both.
func (r Result) overOneView(views int) (e figures.Estimate, ok bool) {
	base := map[int]float64{}
	for _, t := range r.ofViews(r.Config.Views[0]) {
		base[t.Repeat] = averaged(t)
	}
	var gains []float64
	for _, t := range r.ofViews(views) {
		if one, has := base[t.Repeat]; has {
			gains = append(gains, averaged(t)-one)
		}
	}
	if len(gains) < 2 {
		return figures.Estimate{}, false
	}
	return figures.EstimateOf(gains), true
}

// about describes what was trained, in one sentence.
func (r Result) about() string {
	c := r.Config
	set, images := "embedded digits", "8x8 images"
	if c.Data == "cifar-10" {
		set, images = "CIFAR-10", fmt.Sprintf("%dx%[1]d images", 32/c.Network.Pool)
	}
	return fmt.Sprintf("%s as %s, WRN-%d-%d from %d channels, %d weights, batches of %g, %d steps, learning rate %g", set, images,
		6*c.Network.Blocks+4, c.Network.Width, c.Network.Channels, r.Size, c.ExpectedBatchSize, c.Steps, c.LearningRate)
}

// profile returns which size is shown.
func (r Result) profile() string {
	if r.Profile == "full" {
		return "Profile full"
	}
	return fmt.Sprintf("Profile %s, not the paper's size", r.Profile)
}

// name is that of the figure.
const name = "sixth-cifar"

func (r Result) title() string {
	data := "CIFAR-10"
	if r.Config.Data == "digits" {
		data = "Embedded digits in place of CIFAR-10"
	}
	return fmt.Sprintf("%s at ε = %g", data, r.Config.Epsilon)
}

// Figure draws the test accuracy over the views, with two standard errors of the mean.
func (r Result) Figure() chart.Figure {
	views := r.drawn()
	curve := func(label string, of func(Training) float64, dodge int) chart.Curve {
		means := figures.Map(views, func(k int) figures.Estimate { return r.mean(k, of) })
		return figures.Means(chart.Curve{Label: label, X: figures.Floats(views), Kind: chart.Points, Dodge: dodge}, means, 2, figures.Estimate.StdErr)
	}
	return chart.Chart{
		Name: name, Title: r.title(), XLabel: "views of an image", YLabel: "test accuracy, %", XLog: true,
		Curves: []chart.Curve{curve("last weights", last, -1), curve("averaged weights", averaged, 1)},
		Notes:  []string{fmt.Sprintf("%s: %s.", r.profile(), r.about()), "Bars: two standard errors of the mean."}, Sources: []string{r.Account},
	}
}

// Table returns the accuracies and their paired differences.
func (r Result) Table() figures.Table {
	c := r.Config
	t := figures.Table{
		Name: name + "-table", Title: fmt.Sprintf("%s, δ = %s", r.title(), chart.Scientific(c.Delta)),
		Columns: []string{"views", "trainings", "last weights: accuracy, %", "averaged weights: accuracy, %", "averaged - last", "averaged, less " + counted(c.Views[0])},
		Notes: []string{
			fmt.Sprintf("%s: %s; σ %.3f, first %d test images.", r.profile(), r.about(), r.Trainings[0].NoiseMultiplier, c.Tested),
			"± two standard errors of the mean; differences are of the same repeats.",
		},
	}
	for _, k := range r.drawn() {
		gain := "–"
		if e, ok := r.overOneView(k); ok && k != c.Views[0] {
			gain = e.Text(1)
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(k), fmt.Sprint(len(r.ofViews(k))), r.mean(k, last).Text(1), r.mean(k, averaged).Text(1), r.averageOverLast(k).Text(1), gain})
	}
	return t
}

// Compare sets the paper's numbers and claims next to ours. On the embedded digits nothing has a
// reference. Our errors are two standard errors of the mean.
func (r Result) Compare() figures.Comparison {
	said, views := papers.De2022, r.drawn()
	c := figures.Comparison{Name: name, Title: r.title() + ", the paper's numbers"}
	add := func(row figures.ComparisonRow) {
		if r.Config.Data != "cifar-10" {
			row = row.OursOnly("not the paper's data")
		}
		c.Rows = append(c.Rows, row.ByOurChoice())
	}
	if len(views) == 0 {
		return c
	}
	most := views[len(views)-1]
	best := r.mean(most, averaged)
	add(figures.Against(said.CIFAR, best.Mean).WithErr(2*best.StdErr()).WithNote("%s, averaged weights; ours: %s", counted(most), r.why()))
	for _, k := range views {
		e := r.averageOverLast(k)
		sign, err := figures.Sign(e.Mean, 2*e.StdErr())
		add(figures.Against(said.Averages, sign).Of(", "+counted(k)).WithErr(err).WithNote("difference %s points", e.Text(1)))
	}
	for _, k := range views {
		if e, ok := r.overOneView(k); ok && k != r.Config.Views[0] {
			sign, err := figures.Sign(e.Mean, 2*e.StdErr())
			add(figures.Against(said.Views, sign).Of(fmt.Sprintf(", %d views", k)).WithErr(err).WithNote("averaged weights, difference %s points", e.Text(1)))
		}
	}
	return c
}

// counted writes a number of views.
func counted(views int) string {
	if views == 1 {
		return "1 view"
	}
	return fmt.Sprintf("%d views", views)
}

// why lists in what the trainings differ from those of the paper.
func (r Result) why() string {
	c, full := r.Config, CIFAR.Profiles["full"]
	var ways []string
	if c.Network != full.Network {
		ways = append(ways, fmt.Sprintf("a smaller network (WRN-40-4 in the paper, WRN-%d-%d from %d channels here)", 6*c.Network.Blocks+4, c.Network.Width, c.Network.Channels))
	} else {
		ways = append(ways, "WRN-16-4 instead of WRN-40-4")
	}
	if c.Network.Pool > 1 {
		ways = append(ways, fmt.Sprintf("images of 1/%d of the pixels", c.Network.Pool*c.Network.Pool))
	}
	if seen, paper := c.seen(), full.seen(); seen < paper {
		ways = append(ways, fmt.Sprintf("%s of the views that the profile full takes gradients of", share(seen/paper)))
	}
	return strings.Join(ways, ", ")
}

// seen returns the most views that one training takes gradients of.
func (c Config) seen() float64 {
	return c.ExpectedBatchSize * float64(c.Steps*slices.Max(c.Views))
}

// share writes a share as "1/250".
func share(x float64) string { return fmt.Sprintf("1/%.0f", math.Round(1/x)) }
