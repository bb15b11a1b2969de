package lattice

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// losses has the outcomes of an attack, joined by their privacy loss. An event made of listed
// outcomes has, in the one world, at least the sum of under times 1-relative. In the other world
// it has at most the sum of over times 1+relative. An outcome that is not listed is in no event.
//
// Joining outcomes makes fewer events, and leaving out outcomes too. So δ can only fall.
type losses struct {
	step        float64 // of the grid of losses, in nats
	first       int
	under, over []float64
	relative    float64
}

// grid is the largest number of joined outcomes, and coarseGrid that of a quick answer.
const grid, coarseGrid = 3000, 500

// newLosses joins the outcomes of an attack. a is the world in which the event is likely.
func newLosses(a, b law, drop float64, size int) losses {
	under, over, loss := make([]float64, 0, len(a.mass)), make([]float64, 0, len(a.mass)), make([]float64, 0, len(a.mass))
	low, high := math.Inf(1), math.Inf(-1)
	for i := range a.mass {
		u := a.mass[i] * (1 - a.relative) * (1 - 4*unit)
		o := (b.mass[i]*(1+b.relative) + b.missing) * (1 + 4*unit)
		if !(u*float64(len(a.mass)) > drop/4 && o > least) { // all that is left out here has a chance below drop
			continue
		}
		l := numeric.Log(u) - numeric.Log(o)
		under, over, loss = append(under, u), append(over, o), append(loss, l)
		low, high = math.Min(low, l), math.Max(high, l)
	}
	out := losses{step: math.Max((high-low)/float64(size), 1e-12), relative: float64(len(a.mass)) * unit}
	if len(loss) == 0 {
		return losses{step: 1}
	}
	out.first = int(math.Floor(low / out.step))
	n := int(math.Floor(high/out.step)) - out.first + 1
	out.under, out.over = make([]float64, n), make([]float64, n)
	for i, l := range loss {
		k := int(math.Floor(l/out.step)) - out.first
		out.under[k] += under[i]
		out.over[k] += over[i]
	}
	return out.trimmed(drop)
}

// trimmed leaves out outcomes at both ends with a chance of at most drop on each side.
func (a losses) trimmed(drop float64) losses {
	from, to := 0, len(a.under)
	for sum := 0.0; from < to; from++ {
		if sum += a.under[from]; sum > drop {
			break
		}
	}
	for sum := 0.0; from < to; to-- {
		if sum += a.under[to-1]; sum > drop {
			break
		}
	}
	a.first, a.under, a.over = a.first+from, a.under[from:to], a.over[from:to]
	return a
}

// coarser joins neighbors, to twice the step.
func (a losses) coarser() losses {
	first := a.first >> 1 // rounds down
	n := (a.first+len(a.under)-1)>>1 - first + 1
	out := losses{step: 2 * a.step, first: first, under: make([]float64, n), over: make([]float64, n), relative: a.relative + 2*unit}
	for i := range a.under {
		k := (a.first+i)>>1 - first
		out.under[k] += a.under[i]
		out.over[k] += a.over[i]
	}
	return out
}

// and composes two independent attacks.
func (a losses) and(b losses, drop float64, size int) losses {
	for a.step < b.step*(1-1e-9) {
		a = a.coarser()
	}
	for b.step < a.step*(1-1e-9) {
		b = b.coarser()
	}
	if len(a.under) > len(b.under) {
		a, b = b, a
	}
	if len(a.under) == 0 {
		return a
	}
	out := losses{
		step: a.step, first: a.first + b.first,
		under: convolved(a.under, b.under), over: convolved(a.over, b.over), relative: grown(a.relative, b.relative, len(a.under)),
	}
	for i, o := range out.over {
		if o < least { // products may have been lost
			out.under[i], out.over[i] = 0, 0
		}
	}
	out = out.trimmed(drop)
	for len(out.under) > size {
		out = out.coarser()
	}
	return out
}

// times composes n >= 1 independent attacks.
func (a losses) times(n int, drop float64, size int) losses {
	var out losses
	for first := true; ; a = a.and(a, drop, size) {
		if n&1 == 1 {
			if first {
				out, first = a, false
			} else {
				out = out.and(a, drop, size)
			}
		}
		if n >>= 1; n == 0 {
			return out
		}
	}
}

// delta returns a lower end of δ at epsilon in [0, mostEpsilon].
func (a losses) delta(epsilon float64) float64 {
	if !(a.relative < 0.5) {
		return 0
	}
	down, up := (1-a.relative)*(1-4*unit), (1+a.relative)*math.Exp(epsilon)*(1+16*unit)
	total := 0.0
	for i, u := range a.under {
		if x := u*down - a.over[i]*up; x > 0 {
			total += x
		}
	}
	return math.Min(1, total) * (1 - float64(len(a.under)+4)*unit)
}

// mostEpsilon is the largest lower end that is looked for. e^ε must be far from overflow.
const mostEpsilon = 600

// epsilon returns a lower end of ε at delta: δ is above delta there, so ε is higher.
func (a losses) epsilon(delta float64) float64 {
	lower, _ := numeric.Bracket(1e-12, func(e float64) bool { return e > mostEpsilon || !(a.delta(e) > delta) })
	return lower
}
