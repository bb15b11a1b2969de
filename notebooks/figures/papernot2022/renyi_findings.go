package papernot2022

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
)

// Findings says what sharpening takes off, what naive repetition costs in comparison, and in which order the laws come.
func (r RenyiResult) Findings() []string {
	var fixed, random []RenyiCurve
	for _, c := range r.Curves {
		switch {
		case c.Spec.Family != laws.Fixed:
			random = append(random, c)
		case c.Spec.Mean > 1:
			fixed = append(fixed, c)
		}
	}
	if len(random) == 0 {
		return nil
	}
	out := []string{r.sharpening(random)}
	for _, naive := range fixed {
		out = append(out, r.passes(naive, random))
	}
	if len(random) > 1 {
		out = append(out,
			"Cheapest first, by the paper's bounds: "+r.ranking(random, paperBound)+".",
			"Cheapest first, sharpened: "+r.ranking(random, sharpenedBound)+".")
	}
	return append(out, r.poissonCrossings(random)...)
}

func paperBound(c RenyiCurve) []float64     { return c.Paper }
func sharpenedBound(c RenyiCurve) []float64 { return c.Sharpened }

// sharpening gives the least and the largest gain over the laws and orders. Less than rounding is none.
func (r RenyiResult) sharpening(curves []RenyiCurve) string {
	least, most := math.Inf(1), math.Inf(-1)
	var atLeast, atMost string
	for _, c := range curves {
		for i, order := range r.Config.Orders {
			gain, place := c.Paper[i]-c.Sharpened[i], fmt.Sprintf("%s, order %.3g", r.look.label(c.Spec), order)
			if math.Abs(gain) <= 1e-12*c.Paper[i] {
				gain = 0
			}
			if gain < least {
				least, atLeast = gain, place
			}
			if gain > most {
				most, atMost = gain, place
			}
		}
	}
	if least < 0 {
		return fmt.Sprintf("The sharpened bounds are not everywhere below the paper's: from %.2g nats above (%s) to %.2g below (%s).", -least, atLeast, most, atMost)
	}
	return fmt.Sprintf("The sharpened bounds are %.2g (%s) to %.2g nats (%s) below the paper's.", least, atLeast, most, atMost)
}

// passes says from which order on naive repetition costs more than all laws, or which one it does not pass.
func (r RenyiResult) passes(naive RenyiCurve, curves []RenyiCurve) string {
	name, orders := r.look.label(naive.Spec), r.Config.Orders
	last := len(orders) - 1
	from, passed := 0.0, ""
	for _, c := range curves {
		if naive.Paper[last] <= c.Paper[last] {
			return fmt.Sprintf("%s is not above the paper's bound for %s at order %g.", name, r.look.label(c.Spec), orders[last])
		}
		at := orders[0]
		if last > 0 {
			at = crossing(orders, c.Paper, orders, naive.Paper)
		}
		if at > from {
			from, passed = at, r.look.label(c.Spec)
		}
	}
	return fmt.Sprintf("%s costs more than all of these laws by the paper's bounds from order %.2g on; the last to be passed is %s.", name, from, passed)
}

// ranking lists the laws by their bound at the last order.
func (r RenyiResult) ranking(curves []RenyiCurve, bound func(RenyiCurve) []float64) string {
	last := len(r.Config.Orders) - 1
	sorted := slices.SortedStableFunc(slices.Values(curves), func(a, b RenyiCurve) int { return cmp.Compare(bound(a)[last], bound(b)[last]) })
	var parts []string
	for _, c := range sorted {
		parts = append(parts, fmt.Sprintf("%s (%.3g)", r.look.label(c.Spec), bound(c)[last]))
	}
	return fmt.Sprintf("%s nats at order %g", strings.Join(parts, ", "), r.Config.Orders[last])
}

// poissonCrossings says from which order on a Poisson law costs more than each other law.
func (r RenyiResult) poissonCrossings(curves []RenyiCurve) (out []string) {
	for _, poisson := range curves {
		if poisson.Spec.Family != laws.Poisson || len(r.Config.Orders) < 2 {
			continue
		}
		for _, bound := range []struct {
			name string
			of   func(RenyiCurve) []float64
		}{{"the paper's bounds", paperBound}, {"the sharpened bounds", sharpenedBound}} {
			var parts []string
			for _, c := range curves {
				if c.Spec.Family == laws.Poisson {
					continue
				}
				at := crossing(r.Config.Orders, bound.of(c), r.Config.Orders, bound.of(poisson))
				switch {
				case math.IsNaN(at):
					parts = append(parts, "less than "+r.look.label(c.Spec)+" at the last order")
				case at <= r.Config.Orders[0]:
					parts = append(parts, "more than "+r.look.label(c.Spec)+" at every order")
				default:
					parts = append(parts, fmt.Sprintf("more than %s from order %.2g on", r.look.label(c.Spec), at))
				}
			}
			if len(parts) > 0 {
				out = append(out, fmt.Sprintf("By %s %s costs %s.", bound.name, r.look.label(poisson.Spec), strings.Join(parts, ", ")))
			}
		}
	}
	return out
}
