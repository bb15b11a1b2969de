package baserun

import (
	"math"
	"sync"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Source is one source of the profile of a run.
type Source struct {
	Name string
	Fast bool // DeltaAt takes microseconds
	// EpsilonAt returns ε of one run at δ.
	EpsilonAt func(delta float64) float64
	// DeltaAt returns δ of one run at ε.
	DeltaAt func(epsilon float64) float64
	// DeltasAt returns δ at many non-decreasing ε, in little more time than at one. It is nil if
	// the source cannot do that.
	DeltasAt func(epsilons []float64) []float64
	list     *profileList
	prove    func(epsilons, deltas []float64) *accounting.Proof // nil without a proof
	// LogWeight returns the least MaxLogWeight of a law that the source allows.
	LogWeight func(k law.Distribution, order float64) float64
	// OverProfiles returns the least of f over the profiles of the source. Each of them is valid,
	// so the least is too.
	OverProfiles func(f func(Profile) float64) float64
	// Crossing returns the least Crossing(odds) over these profiles.
	Crossing func(odds float64) float64
}

func profileSource(p Profile) Source {
	p = p.clamped()
	known := p.AsLawProfile().Memoized()
	return Source{
		Name:         p.Name,
		Fast:         p.quick,
		EpsilonAt:    rdp.Memoized(p.epsilonAt),
		DeltaAt:      p.DeltaAt,
		DeltasAt:     p.deltasAt,
		list:         &profileList{},
		prove:        p.prove,
		LogWeight:    func(k law.Distribution, order float64) float64 { return k.MaxLogWeight(order, known) },
		OverProfiles: func(f func(Profile) float64) float64 { return f(p) },
		Crossing:     known.Crossing,
	}
}

// curveSource returns the source of a Rényi curve. The curve implies a family of profiles, one for
// each order.
func curveSource(curve rdp.Curve) Source {
	table := sync.OnceValue(func() *orderTable { return newOrderTable(curve) })
	refined := func(extra int) law.Profile {
		return law.Profile{DeltaAt: func(epsilon float64) float64 { return table().refinedDelta(epsilon, extra) }, Quick: true}
	}
	once, closest := refined(1).Memoized(), refined(3)
	overProfiles := func(f func(Profile) float64) float64 {
		return rdp.OverOrders(func(order float64) float64 { return f(oneOrder(order, curve(order))) }).Value
	}
	return Source{
		Name: "RDP",
		Fast: true,
		list: &profileList{},
		EpsilonAt: rdp.Memoized(func(delta float64) float64 {
			return rdp.CanonneKamathSteinke.Best(curve, delta).Value
		}),
		DeltaAt: func(epsilon float64) float64 { return table().refinedDelta(epsilon, 3) },
		LogWeight: func(k law.Distribution, order float64) float64 {
			return k.Limited(order, func(k law.Distribution) float64 {
				_, poisson := k.Law().(law.Poisson)
				switch {
				case k.Searched():
					return k.MaxLogWeight(order, once)
				case math.IsInf(order, 1):
					return overProfiles(func(p Profile) float64 { return k.MaxLogWeight(order, p.AsLawProfile()) })
				case poisson: // it asks for one δ, as Theorem6 does, from as many orders
					return k.MaxLogWeight(order, closest)
				}
				return k.MaxLogWeight(order, law.Profile{DeltaAt: table().delta, Quick: true})
			})
		},
		OverProfiles: overProfiles,
		Crossing: func(odds float64) float64 {
			return overProfiles(func(p Profile) float64 { return p.AsLawProfile().Crossing(odds) })
		},
	}
}

// oneOrder returns the profile that the divergence at one order implies.
func oneOrder(order, divergence float64) Profile {
	return Profile{quick: true, DeltaAt: func(epsilon float64) float64 {
		return math.Exp(rdp.CanonneKamathSteinke.LogDelta(order, divergence, epsilon))
	}}
}
