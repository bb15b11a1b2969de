package pld

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/internal/batchpairs"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
)

// Steps on batches of fixed size, draws with replacement and capped Poisson samples. Package
// batchpairs has, for each, a profile that bounds δ from above, and attacks that attain less.
//
// The upper end of a composition is that of the profile's pair of laws. The lower end is the
// largest of those of the attacks. Each attack is composed on its own: in a composition, one pair
// of neighbors and their gradients must serve all steps.

// addBatches adds a mechanism on such batches. accounting.Node.CheckRelation refuses them on a
// Poisson sample that may be shown.
func (c *collector) addBatches(event accounting.Event, count float64) error {
	step, err := batchpairs.Of(event, c.relation)
	if err != nil {
		return check.Errorf("pld: %w", err)
	}
	sigma := step.Profile.NoiseMultiplier
	if err := check.Between(2*minNoise, 1/unit).With("on the grid").Of("pld: a sample of a ClippedSum with noise multiplier", sigma); err != nil {
		return err
	}
	for i, m := range c.mechanisms {
		if b, ok := m.base.(profileBase); ok && b.event == event {
			c.mechanisms[i].count += count
			return nil
		}
	}
	i := len(c.mechanisms)
	if err := c.put(key{kind: -1 - i, rate: 1}, profileBase{event: event, profile: &step.Profile}, count); err != nil {
		return err
	}
	for _, attack := range step.Attacks {
		m := mechanism{rate: 1, count: 1}
		switch {
		case attack.Replaced:
			m.base = profileBase{profile: batchpairs.Replaced(attack.NoiseMultiplier, attack.SamplingRate), exact: true}
		case attack.SamplingRate > 0:
			m.base, m.rate = gaussianBase{attack.NoiseMultiplier}, attack.SamplingRate
		default:
			m.base = newAttack(attack)
		}
		c.mechanisms[i].attacks = append(c.mechanisms[i].attacks, m)
	}
	return nil
}

// attacked returns the programs of the attacks. Attack k takes the k-th attack of each mechanism
// that has one, or its last. There are none if all pairs of laws are exact.
func (p program) attacked() []program {
	most := 0
	for _, f := range p.mechanisms {
		most = max(most, len(f.attacks))
	}
	var programs []program
	for k := range most {
		attack := p
		attack.mechanisms = make([]mechanism, len(p.mechanisms))
		for i, f := range p.mechanisms {
			attack.mechanisms[i] = f
			if n := len(f.attacks); n > 0 {
				attack.mechanisms[i] = f.attacks[min(k, n-1)]
				attack.mechanisms[i].count *= f.count
			}
		}
		programs = append(programs, attack)
	}
	return programs
}

// withAttacks returns the interval of a program whose own answer only bounds it from above. If no
// mechanism has attacks, it is the program's. An attack above the upper end marks own as crossed.
func (a Accountant) withAttacks(p program, q question, own *answer) accounting.Interval {
	attacks := p.attacked()
	if len(attacks) == 0 {
		return ends(*own)
	}
	lower := math.Inf(-1)
	if !q.forDelta {
		lower = 0
	}
	for _, attack := range attacks {
		got, _ := a.solve(attack, q)
		lower = math.Max(lower, got.lower)
	}
	if lower > own.upper+crossing*(1+math.Abs(own.upper)) {
		own.crossed, own.lower = true, lower
		return between01(own.upper, lower, lower)
	}
	return between01(lower, own.upper, own.upper)
}

// profileBase is the pair of laws of a profile. Its cells are those of several lines
// (profilecells.go).
type profileBase struct {
	noLine
	event   accounting.Event // on batches
	profile *batchpairs.Profile
	exact   bool // the event attains the pair
}

func (profileBase) reach() float64   { return math.Inf(1) }
func (b profileBase) mirrored() bool { return b.profile.Mirrored }

// A mixture of more distances has no check, which takes a closed form for each distance and point.
const mostChecked = 24

func (b profileBase) checked(m gridlaw.Mechanism, _ mechanism, _ float64) (gridlaw.Mechanism, bool) {
	m.Kind, m.Profile, m.Given = gridlaw.Batches, b.profile, gridlaw.GivenPair
	return m, !b.exact || len(b.profile.With.Terms[0].First) <= mostChecked
}

// attackBase has the laws of an attack, cut into cells of the line. Each cell is one outcome, which
// is post-processing. So only lower ends of it are ends of the attack's.
type attackBase struct{ discreteBase }

const (
	// An attack is cut at even distances, up to attackReach standard deviations beyond its means.
	attackCells, attackReach = 1 << 14, 16.
)

func newAttack(a batchpairs.Attack) attackBase {
	sigma := a.NoiseMultiplier
	lo, hi := 0.0, 0.0
	for _, law := range [][]batchpairs.Component{a.With, a.Without} {
		for _, c := range law {
			if c.Chance > 1e-30 {
				lo, hi = math.Min(lo, c.Mean), math.Max(hi, c.Mean)
			}
		}
	}
	lo, hi = lo-attackReach*sigma, hi+attackReach*sigma
	edge := func(i int) float64 {
		switch i {
		case 0:
			return math.Inf(-1)
		case attackCells:
			return math.Inf(1)
		}
		return lo + (hi-lo)*float64(i)/attackCells
	}
	p, q := newMixture(a.With, sigma), newMixture(a.Without, sigma)
	p.next(edge(0))
	q.next(edge(0))
	var out []outcome
	for i := range attackCells {
		mp, ep := p.next(edge(i + 1))
		mq, eq := q.next(edge(i + 1))
		if mp < 1e-200 || mq < 1e-200 { // leaving outcomes out lowers δ
			continue
		}
		eta := math.Max(ep, eq) + a.Rest/math.Min(mp, mq)
		out = append(out, given(mp, mq, eta))
	}
	return attackBase{discreteBase{outcomes: out}}
}

// within returns the outcomes whose mass under the first law of direction d is not far below the
// tail. Leaving out others lowers δ.
func (b attackBase) within(d direction, logTail float64) []outcome {
	least := math.Exp(logTail) / attackCells
	return slices.DeleteFunc(slices.Clone(b.outcomes), func(o outcome) bool {
		if d == add {
			return o.q < least
		}
		return o.p < least
	})
}

// coarsened joins neighboring outcomes. Only coarse copies use it.
func (b attackBase) coarsened() []outcome {
	const joined = 32
	var out []outcome
	for i := 0; i < len(b.outcomes); i += joined {
		var p, q float64
		for _, o := range b.outcomes[i:min(i+joined, len(b.outcomes))] {
			p, q = p+o.p, q+o.q
		}
		out = append(out, given(p, q, 0))
	}
	return out
}

// mixture is a walk along the line of a mixture of normal laws.
type mixture struct {
	law   []batchpairs.Component
	sigma float64
	tails []tail
}

func newMixture(law []batchpairs.Component, sigma float64) *mixture {
	return &mixture{law: law, sigma: sigma, tails: make([]tail, len(law))}
}

// next moves to the edge x, and returns the mass since the last one, and its relative error. The
// first call returns nothing of use.
func (m *mixture) next(x float64) (mass, eta float64) {
	var errors float64
	for i, c := range m.law {
		t := tailAt((x - c.Mean) / m.sigma)
		part, e := between(m.tails[i], t)
		m.tails[i] = t
		part *= c.Chance
		mass += part
		errors += part * math.Min(1, e+8*unit)
	}
	if !(mass > 0) {
		return 0, 1
	}
	return mass, errors/mass + float64(len(m.law))*unit
}
