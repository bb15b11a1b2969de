package papernot2022

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/worstorder"
	"github.com/dplab/dplab/internal/check"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
)

// HowLowConfig asks how low the price of the best of K Gaussian runs can be, at one δ.
type HowLowConfig struct {
	Mu       float64       // of one run, > 0
	Delta    float64       // in (0, 1)
	Families []laws.Family // a panel each
	Means    []float64     // E[K], increasing, each > 1
	Shown    laws.Spec     // the law whose worst order is drawn
	Cells    int           // outputs of a run in that order, from 10 to 1,000
}

// Validate returns every fault, joined.
func (c HowLowConfig) Validate() error {
	f := check.In("papernot2022: HowLowConfig.")
	f.Number("Mu", c.Mu, check.Positive)
	f.Number("Delta", c.Delta, check.OpenUnit)
	f.That(c.Cells >= 10 && c.Cells <= 1000, "Cells", c.Cells, "must be from 10 to 1000")
	f.Number("Shown.Mean", c.Shown.Mean, check.Rule{Text: "must be > 1", Holds: func(x float64) bool { return x > 1 }})
	return errors.Join(f.Err(), laws.Validate("HowLowConfig.Families", c.Families), c.Shown.Family.Validate(), check.Increasing("papernot2022: HowLowConfig.Means", c.Means, 1))
}

// HowLowPrice is what one law costs.
type HowLowPrice struct {
	Law                     law.Law
	Published, Ours         float64 // the least bound that stands in a paper, NaN if there is none, and the least of all, in nats
	PublishedBy, OursBy     string
	PublishedKnown, OursOwn bool    // there is a published bound; the least is not one
	Attained                float64 // what an order of the outputs really leaks: no bound can be below
}

// Ranked is one output of the worst order.
type Ranked struct {
	Better float64 // chance that a run on the data without the record ranks better
	Loss   float64 // ln of the ratio of its chances with and without the record, in nats
}

// HowLowResult has the prices of each family over its means, and the worst order of one law.
type HowLowResult struct {
	Config HowLowConfig
	Prices [][]HowLowPrice
	Order  []Ranked // from the best rank on
}

// HowLow sets published prices of the best of K Gaussian runs beside ours and beside the order of the outputs that attains them.
func HowLow(cfg HowLowConfig) (HowLowResult, error) {
	if err := cfg.Validate(); err != nil {
		return HowLowResult{}, err
	}
	base, err := selection.NewBase(accounting.Gaussian{NoiseMultiplier: 1 / cfg.Mu})
	if err != nil {
		return HowLowResult{}, err
	}
	base = base.Prepared()
	r := HowLowResult{Config: cfg, Prices: make([][]HowLowPrice, len(cfg.Families))}
	for i := range r.Prices {
		r.Prices[i] = make([]HowLowPrice, len(cfg.Means))
	}
	err = parallel.Each(len(cfg.Families)*len(cfg.Means), func(k int) (err error) {
		i, j := k/len(cfg.Means), k%len(cfg.Means)
		r.Prices[i][j], err = howLow(cfg, base, cfg.Families[i], cfg.Families[i].Means(cfg.Means)[j])
		return err
	})
	if err != nil {
		return HowLowResult{}, err
	}
	r.Order, err = worstOrder(cfg)
	return r, err
}

func howLow(cfg HowLowConfig, base selection.Base, family laws.Family, mean float64) (HowLowPrice, error) {
	l, err := family.Law(mean)
	if err != nil {
		return HowLowPrice{}, err
	}
	price, err := selection.PriceAt(l, base, cfg.Delta)
	if err != nil {
		return HowLowPrice{}, err
	}
	least := price.Least()
	out := HowLowPrice{Law: l, Ours: least.Epsilon, OursBy: least.Name, OursOwn: !least.Published, Published: math.NaN()}
	if published, ok := price.LeastPublished(); ok {
		out.Published, out.PublishedBy, out.PublishedKnown = published.Epsilon, published.Name, true
	}
	out.Attained, err = laws.LowerLimit(l, cfg.Mu, cfg.Delta)
	return out, err
}

// worstOrder returns the worst order of the shown law at the ε that it attains.
func worstOrder(cfg HowLowConfig) ([]Ranked, error) {
	l, err := cfg.Shown.Family.Law(cfg.Shown.Mean)
	if err != nil {
		return nil, err
	}
	pair := worstorder.Gaussian(cfg.Mu, cfg.Cells)
	epsilon, err := worstorder.EpsilonAt(l, pair, cfg.Delta)
	if err != nil {
		return nil, err
	}
	order, err := worstorder.Order(l, pair, epsilon)
	if err != nil {
		return nil, fmt.Errorf("papernot2022: worst order of the %v: %w", l, err)
	}
	var out []Ranked
	better := 0.0
	for _, i := range order {
		out = append(out, Ranked{Better: better + pair.Without[i]/2, Loss: math.Log(pair.With[i] / pair.Without[i])})
		better += pair.Without[i]
	}
	return out, nil
}

// defaultHowLow has a run of µ = 1.
func defaultHowLow(points int) HowLowConfig {
	return HowLowConfig{
		Mu: 1, Delta: 1e-5, Families: []laws.Family{laws.TNB(0), laws.TNB(1), laws.TNB(5), laws.Poisson, laws.Fixed}, Means: laws.LogSpace(1.2, 100, points),
		Shown: laws.TNB(0).WithMean(10), Cells: 160,
	}
}
