package gdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// settle returns the bound that the known points give, and checks the one point that decides it.
// One right line is a bound of f. A check may raise its ε, and then another point may decide.
func (c *TradeOff) settle(bound func() (value float64, at int)) (float64, error) {
	for {
		value, at := bound()
		if at < 0 || c.known[at].checked {
			return value, nil
		}
		if err := c.check(at); err != nil {
			return 0, err
		}
	}
}

// mostRaised bounds what a check may add to δ at ε = 0, as a share of it.
const mostRaised = 1e-3

// check asks the accountant with checks about a known point, and keeps the first failure.
func (c *TradeOff) check(at int) error {
	k := c.known[at]
	k.checked = true
	switch {
	case k.upDelta >= 1 || !(k.upDelta > 0):
	case at == 0: // ε is 0, and δ is raised until that is its price
		for step := 0.0; ; step = math.Max(4*step, 0x1p-40) {
			delta := k.upDelta * (1 + step)
			if delta >= 1 {
				k.upDelta = 1
				break
			}
			g, err := c.checked.EpsilonAt(c.event, delta)
			if err != nil {
				return fmt.Errorf("gdp: trade-off of %v: %w", c.event, err)
			}
			if g.Epsilon.Upper == 0 {
				k.upDelta = delta
				c.note(g)
				break
			}
			if step > mostRaised { // the search's δ stays, as one that was not checked
				g.Certificate = nil
				c.note(g)
				break
			}
		}
	default:
		g, err := c.checked.EpsilonAt(c.event, k.upDelta)
		if err != nil {
			return fmt.Errorf("gdp: trade-off of %v: %w", c.event, err)
		}
		k.upEpsilon = math.Max(k.upEpsilon, g.Epsilon.Upper)
		c.note(g)
	}
	c.known[at] = k.withMu()
	return nil
}

// note keeps the first guarantee without a certificate.
func (c *TradeOff) note(g accounting.Guarantee) {
	if g.Certificate == nil && c.failure == nil {
		c.failure = fmt.Errorf("gdp: a rate rests on ε <= %.9g at δ %g: %w", g.Epsilon.Upper, g.Delta, accounting.ErrUncertified)
	}
}

// Uncertified returns nil if the upper ends of TPRAt and the lower ends of TypeIIAt follow from
// bounds with certificates, for all rates asked so far. Otherwise the error wraps
// accounting.ErrUncertified and names the first bound without one. The rates of an [Accountant] of
// this package are closed forms. The other ends of rates, and MuOnDelta and MuOnTypeI, are not
// checked.
func (c *TradeOff) Uncertified() error { return c.failure }
