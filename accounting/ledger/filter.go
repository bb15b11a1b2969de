package ledger

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/renyi"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/rdp"
)

// Filter is the rule of an adaptive file. It has a constant, and each release takes a part of it.
// The constant is fixed when the file is made. Releases that fit into it cost together at most one
// event, [Head.Whole], whichever releases the answers so far led to, and however many.
type Filter string

const (
	// Fixed is not a filter: neither a parameter of a release nor their number depends on an answer.
	Fixed Filter = ""
	// Renyi takes the Rényi divergence of a release at one order. It knows what rdp.FromEvent
	// knows, except samples of fixed size.
	Renyi Filter = "renyi"
	// Gaussian takes µ². It knows Gaussian releases only, and is exact for them.
	Gaussian Filter = "gaussian"
	// ZCDP takes ρ of a release and the chance that it shows the data. Those of an (ε, δ)-private
	// release are ε²/2 and δ. It knows every event with a price: its ε at the δ of the line.
	ZCDP Filter = "zcdp"
)

// Theorem returns the theorem of the filter, with its source.
func (f Filter) Theorem() string {
	return map[Filter]string{
		Renyi:    "Rényi filter (Feldman and Zrnic 2021, arXiv:2008.11193, Theorem 4.3)",
		Gaussian: "Gaussian filter (Koskela, Tobaben and Honkela 2023, arXiv:2209.15596; Smith and Thakurta 2022, arXiv:2210.17520)",
		ZCDP:     "filter for approximate zCDP (Whitehouse, Ramdas, Rogers and Wu 2023, arXiv:2203.05481, Theorem 1)",
	}[f]
}

// Proofs. Let P and Q be the laws of all answers on two neighboring data sets, in either order. The
// n-th release is chosen by the answers before it, and so is whether there is one. r is the ratio
// dP/dQ of the answers so far, and r' that of the next release given them. E is the mean under Q.
// There are finitely many releases.
//
// Renyi. Given the answers before it, E r'^α <= e^((α-1) ρ), where these answers fix ρ. So
// r^α e^(-(α-1) Σρ) has a mean of at most 1 after each release. Σρ is at most B, so E r^α is at
// most e^((α-1) B). ∎
//
// Gaussian. Let Z be normal, and G_s(r) the mean of max(0, r e^(√s Z - s/2) - e^ε). It is convex in
// r, and rises with s. A µ-GDP release has E φ(r') <= E φ(e^(µZ - µ²/2)) for every convex φ, as
// max(0, r' - c) has such a mean for every c. Let s be what is left of B². For µ² <= s
//
//	E G_(s-µ²)(r r') <= E G_(s-µ²)(r e^(µZ - µ²/2)) = G_s(r).
//
// So the mean of G_s(r) does not rise. It is G_(B²)(1) at first, which is δ of N(B, 1) against N(0,
// 1) at ε, and at least E max(0, r - e^ε) at the end. ∎
//
// ZCDP. An (ε, δ)-private release is, on the two data sets, computed from a coin that shows the
// data set with chance δ, and else from randomized response, whose divergence is at most α ε²/2
// (Kairouz, Oh, Viswanath 2015, arXiv:1311.0776v4; Bun and Steinke 2016, arXiv:1605.02065v1,
// Proposition 3.3). Any other release shows nothing, and has a divergence of at most αρ. After the
// last release toss one more coin, such that the chances of showing nothing multiply to 1-d on
// every path, for d of Whole. That only adds to what is released. Then the data set is shown with
// chance d. Else the proof of Renyi holds at every order α, with B = α Σρ. ∎
//
// Trade-off functions have no such filter. Releases chosen by answers may cost more than f,
// even if those on each path compose to at most f (arXiv:2602.06756v2). So a sampled Gaussian goes
// through Renyi.

// NewHead returns the first line of a file for a data set. Filter is [Fixed] for a file whose
// releases were settled before any answer. Otherwise the constant is the largest for the budget.
// order is that of Renyi, above 1. If it is 0, it is the one at which the most Gaussian noise fits.
func NewHead(data string, relation accounting.Neighboring, budget accounting.Target, filter Filter, order float64) (Head, error) {
	h := Head{Data: data, Neighboring: relation, Budget: budget, Filter: filter, Order: order}
	constant := func(x float64) Head { h.Constant = 1 / x; return h }
	switch {
	case filter == Renyi && order == 0:
		h.Order = rdp.OverOrders(func(order float64) float64 {
			if d := rdp.CanonneKamathSteinke.Divergence(order, budget); d > 0 && !math.IsInf(order, 1) {
				return order / d
			}
			return math.Inf(1)
		}).Order
	case filter == Gaussian:
		constant = func(x float64) Head { h.Constant = x; return h }
	case filter == ZCDP: // half of δ is for the δ of releases
		h.Failure = budget.Delta / 2
	}
	if err := constant(1).validate(); err != nil || filter == Fixed {
		h.Constant = 0
		return h, err
	}
	x, err := auto.CalibrateNoiseMultiplier(func(x float64) accounting.Event { return constant(x).Whole() }, budget)
	if err != nil {
		return Head{}, fmt.Errorf("ledger: filter %s: no constant fits into the budget: %w", filter, err)
	}
	return constant(x), nil
}

// Whole returns what all releases that fit cost at most together, by the filter. It is nil if
// Fixed.
func (h Head) Whole() accounting.Event {
	switch h.Filter {
	case Renyi:
		return accounting.RenyiBound{Name: "filter", Orders: []float64{h.Order}, Divergences: []float64{h.Constant}}
	case Gaussian:
		return accounting.Gaussian{NoiseMultiplier: h.Constant}
	case ZCDP:
		return accounting.Composed{Events: []accounting.Event{accounting.ApproxDP{Delta: h.Failure}, accounting.ZCDP{Rho: h.Constant}}}
	}
	return nil
}

// parts is what a release takes, or may take: D, µ² or ρ, and of ZCDP -ln(1-d) for the chance d of
// showing the data.
type parts [2]interval.I

var one, half = interval.Of(1), interval.Of(0.5)

func (p parts) plus(q parts, times float64) parts {
	for i := range p {
		p[i] = p[i].Add(q[i].Mul(interval.Of(times)))
	}
	return p
}

// private returns what an (ε, δ)-private release takes under ZCDP.
func private(epsilon interval.I, delta float64) parts {
	return parts{epsilon.Mul(epsilon).Mul(half), interval.Of(-delta).Log1p().Neg().Positive()}
}

// take returns what a release takes, rounded up.
func (h Head) take(event accounting.Event, delta float64) (parts, error) {
	q, err := ask.Of("ledger", event, h.Neighboring)
	if err != nil {
		return parts{}, err
	}
	switch h.Filter {
	case Renyi:
		d, err := renyi.Divergence(q.Node(), h.Neighboring, h.Order)
		return parts{interval.Of(d)}, h.unknown(event, err == nil)
	case Gaussian:
		mu, ok := certificate.Mu(q.Node())
		return parts{mu.Mul(mu)}, h.unknown(event, ok)
	}
	var all parts
	for run, times := range q.Node().Runs() {
		epsilon, failure, ok := certificate.Private(run.Event)
		p := private(epsilon, failure)
		switch e := run.Event.(type) {
		case accounting.Gaussian:
			p, ok = parts{half.Div(interval.Of(e.NoiseMultiplier)).Div(interval.Of(e.NoiseMultiplier))}, true
		case accounting.ZCDP:
			p, ok = parts{interval.Of(e.Rho)}, true
		}
		if !ok {
			return h.priced(event, delta)
		}
		all = all.plus(p, times)
	}
	return all, nil
}

// priced returns what a release takes under ZCDP by its ε at delta.
func (h Head) priced(event accounting.Event, delta float64) (parts, error) {
	accountant, err := auto.NewAccountantFor(h.Neighboring)
	if err != nil {
		return parts{}, err
	}
	g, err := accountant.EpsilonAt(event, delta)
	if err == nil && g.Certificate == nil && g.Epsilon.Upper > 0 && !math.IsInf(g.Epsilon.Upper, 1) {
		err = fmt.Errorf("ledger: %v: has an ε without a certificate at δ %g: must have one in an adaptive file", event, delta)
	}
	return private(interval.Of(g.Epsilon.Upper), delta), err
}

func (h Head) unknown(event accounting.Event, known bool) error {
	if known {
		return nil
	}
	return fmt.Errorf("ledger: filter %s: %v: must be an event that the filter knows; a file with the filter zcdp takes every event: %w", h.Filter, event, accounting.ErrUnsupportedEvent)
}

// share returns the larger share of what may be taken, rounded up. It is above 1 if too much is.
func (h Head) share(taken parts) float64 {
	may := parts{interval.Of(h.Constant), interval.Of(-h.Failure).Log1p().Neg()}
	if h.Filter == Gaussian {
		may[0] = one.Div(may[0].Mul(may[0]))
	}
	share := 0.0
	for i, part := range taken {
		switch ratio := part.Hi / may[i].Lo; {
		case i == 1 && h.Filter != ZCDP:
		case part.Hi <= may[i].Lo:
			share = math.Max(share, math.Min(1, ratio))
		default:
			share = math.Max(share, math.Max(math.Nextafter(1, 2), ratio))
		}
	}
	return share
}

// meter is the accountant of an adaptive file. Its ε is that of the budget times the share of the
// constant that the releases and one more event take. So the event fits if ε is at most the budget.
type meter struct {
	head  Head
	taken parts
	delta float64
}

func (m meter) Name() string                        { return "filter " + string(m.head.Filter) }
func (m meter) Neighboring() accounting.Neighboring { return m.head.Neighboring }

// EpsilonAt returns the share, times the ε of the budget.
func (m meter) EpsilonAt(event accounting.Event, _ float64) (accounting.Guarantee, error) {
	more, err := m.head.take(event, m.delta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	upper := m.head.share(m.taken.plus(more, 1)) * m.head.Budget.Epsilon
	return accounting.Guarantee{Epsilon: accounting.UpperBound(upper), Delta: m.head.Budget.Delta, Neighboring: m.head.Neighboring, Method: m.Name()}, nil
}

// DeltaAt returns an error: a filter bounds no other δ.
func (m meter) DeltaAt(accounting.Event, float64) (accounting.Interval, error) {
	return accounting.NoDelta(), fmt.Errorf("ledger: %s at another ε: %w", m.Name(), accounting.ErrUnsupportedEvent)
}
