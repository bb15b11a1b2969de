package contour

import (
	"math"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// chain is a lower bound of δ in the remove direction if many steps with a large loss decide. The
// noise is then small, and there are so many participations that a test for one of them reveals
// little. A participation is the output of a step that the example joins.
//
//	δ(ε) >= Σ_k P[A_k] (M_k - M_{k-1}),   M_k = max_{j<=k} D_j,   D_j = E(1-e^{ε-S_j})_+
//
// A_k is the event that every phase has at least n_k participations (n_k rises with k), and S_k ~
// N(m_k, s_k²) is defined below. The weights are not negative, so P[A_k] and D_j may be replaced by
// lower bounds. D_j is the Gaussian profile with other numbers: φ(a)(R(a) - R(a+s)), a = (ε-m)/s,
// with R the Mills ratio.
//
// Proof. With v = (2x-1)/2σ² the loss l of a step's output x satisfies
//
//	l = log(1-q+q e^v) >= log(1-q)   and   l >= log q + v.
//
// With the example the number of participations N of a phase is Bin(T, q). Each participation has v
// ~ N(1/2σ², 1/σ²), independent of N. On A_k take v of the first n_k participations of each phase,
// and log(1-q) for all other steps:
//
//	L >= S_k = Σ_p [n_k (log q + v̄) + (T-n_k) log(1-q)] + L_plain ~ N(m_k, s_k²),
//
// with S_k independent of N. So E[(1-e^{ε-L})_+; A_k \ A_{k+1}] >= P[A_k \ A_{k+1}] D_j for all j
// <= k. Summing by parts gives
//
//	δ(ε) = E(1-e^{ε-L})_+ >= Σ_k (P[A_k]-P[A_{k+1}]) M_k = Σ_k P[A_k] (M_k - M_{k-1}).
type chain []link

type link struct{ logP, mean, sd float64 }

// chains returns chains that follow the participations of one leading phase. In each, the other
// phases have either about their likely number, or a number as unlikely as that of the leading
// phase.
func (p *problem) chains(logDelta float64) (all []chain) {
	if len(p.Laws) > mostCut {
		return nil
	}
	tails := make([][]tailPoint, len(p.Laws))
	for i, w := range p.Laws {
		tails[i] = binomialTail(w.Count, w.Q, logDelta-40)
	}
	for lead := range p.Laws {
		for _, level := range [...]float64{-1, math.Inf(-1)} {
			var c chain
			for _, at := range tails[lead] {
				c = append(c, p.link(tails, lead, at, math.Max(at.logP, level)))
			}
			all = append(all, c)
			if len(p.Laws) == 1 {
				break
			}
		}
	}
	return all
}

// link returns one link of a chain. The leading phase has the participations of at. Each other
// phase has the most whose log probability is at least level.
func (p *problem) link(tails [][]tailPoint, lead int, at tailPoint, level float64) link {
	out := link{mean: p.MuSquared / 2, sd: p.MuSquared}
	for i, w := range p.Laws {
		here := at
		if i != lead {
			here = tails[i][0]
			for _, t := range tails[i] {
				if t.logP >= level {
					here = t
				}
			}
		}
		v := 1 / (w.Sigma * w.Sigma)
		out.logP += here.logP
		out.mean += here.n*(numeric.Log(w.Q)+v/2) + (w.Count-here.n)*math.Log1p(-w.Q)
		out.sd += here.n * v
	}
	out.sd = math.Sqrt(out.sd)
	return out
}

// logDelta returns the bound at ε. Rounding: each term is known to units of its logarithm, and the
// sum is at least as large as any P[A_k] M_k.
func (c chain) logDelta(epsilon float64) float64 {
	sum, last, size := math.Inf(-1), math.Inf(-1), 0.0
	for _, k := range c {
		d := k.logExcess(epsilon)
		if !(d > last) {
			continue
		}
		size = math.Max(size, math.Abs(k.logP)+math.Abs(d))
		sum = transform.LogAdd(sum, k.logP+d+numeric.Log(-math.Expm1(last-d)))
		last = d
	}
	if math.IsInf(sum, -1) {
		return sum
	}
	return sum - 8*transform.Unit*float64(len(c)+8)*(8+size+math.Abs(sum))
}

// logExcess is a lower bound of log E(1-e^{ε-S})_+.
func (k link) logExcess(epsilon float64) float64 {
	if k.sd == 0 {
		if gap := k.mean - epsilon - 8*transform.Unit*(math.Abs(k.mean)+epsilon); gap > 0 {
			return numeric.Log(-math.Expm1(-gap))
		}
		return math.Inf(-1)
	}
	a := (epsilon - k.mean + 16*transform.Unit*(epsilon+math.Abs(k.mean))) / k.sd // rounded up: the result falls with a
	if a >= -1 {
		lower, _, _ := logMillsGap(a, k.sd, 0)
		return lower
	}
	b := a + k.sd // φ(a) R(b) = Φ(-b) e^{(b²-a²)/2}
	part := transform.LogNormalSF(b) + k.sd*(a+k.sd/2)
	if b > 3 {
		part = numeric.Log(transform.Mills(b)) - a*a/2 - transform.LogSqrt2Pi
	}
	d := 1 - math.Exp(transform.LogNormalSF(-a)) - math.Exp(part) - transform.Unit*(64+16*math.Min(math.Abs(part), 50))
	if !(d > 0) {
		return math.Inf(-1)
	}
	return numeric.Log(d)
}

// tailPoint is a lower bound of log P[N >= n].
type tailPoint struct{ n, logP float64 }

// mostTail bounds the points of a tail.
const mostTail = 6000

// binomialTail returns points of the tail of Bin(T, q), from n = 0 on, until log P is below least.
// Points are chunk apart. The ratio of neighboring chances, r_j = (T-j)q/((j+1)(1-q)), falls with
// j. So a chunk from n has at least the mass P[N=n] (1 + r + r² + ...), with r the ratio at its
// end.
func binomialTail(count, q, least float64) []tailPoint {
	mean, sd := count*q, math.Sqrt(count*q*(1-q))
	chunk := math.Max(1, math.Floor(sd/30))
	points := []tailPoint{{0, 0}}
	var mass []float64
	for n := math.Max(1, math.Floor(mean-8*sd)); n <= count && len(points) < mostTail; n += chunk {
		log := logBinomial(count, q, n)
		if n > mean && log < least {
			break
		}
		if n+chunk <= count {
			d := (count-(n+chunk-1))/(n+chunk)*(q/(1-q)) - 1 // r - 1 at the chunk's end, or one beyond
			if d -= 16 * transform.Unit * (1 + d); chunk > 1 && d != 0 {
				log += numeric.Log(math.Expm1(chunk*math.Log1p(d)) / d)
			}
		}
		points, mass = append(points, tailPoint{n: n}), append(mass, log)
	}
	sum := math.Inf(-1)
	for i := len(mass) - 1; i >= 0; i-- {
		sum = transform.LogAdd(sum, mass[i])
		points[i+1].logP = math.Min(0, sum-4*transform.Unit*float64(len(mass))*(4+math.Abs(sum)))
	}
	return points
}

// logBinomial returns a lower bound of log P[N = n], N ~ Bin(T, q), n from 1 to T:
//
//	-n log(n/Tq) - (T-n) log((T-n)/T(1-q)) + log(T/2πn(T-n))/2 + s(T) - s(n) - s(T-n),
//
// with 1/12n - 1/360n³ < s(n) < 1/12n from Stirling's series. Near the mean the two logarithms are
// of 1 plus a difference, and their first orders cancel exactly. The product Tq errs by a unit,
// which moves the sum by |n-Tq|/(1-q) of it.
//
// Reference: Abramowitz and Stegun (1964), 6.1.42 (the error of the series is below its first
// omitted term, and has its sign).
func logBinomial(count, q, n float64) float64 {
	if n == count {
		return count * numeric.Log(q) * (1 + 4*transform.Unit)
	}
	mean, rest := count*q, count-n
	a := n * logRatio(n-mean, mean)
	b := rest * logRatio(mean-n, count-mean)
	slop := 16 * transform.Unit * (64 + math.Abs(a) + math.Abs(b) + math.Abs(n-mean)/(1-q))
	all, _ := stirling(count)
	_, one := stirling(n)
	_, other := stirling(rest)
	return -a - b + numeric.Log(count/n/rest)/2 - transform.LogSqrt2Pi + all - one - other - slop
}

// stirling brackets log n! - (n+1/2) log n + n - log √2π. For n below 64 it returns the value
// itself, to some 60 units. If δ hardly changes between one participation and two, ε needs every
// digit of the chance of two.
func stirling(n float64) (lower, upper float64) {
	if n < 64 {
		log, _ := math.Lgamma(n + 1)
		s := log - (n+0.5)*numeric.Log(n) + n - transform.LogSqrt2Pi
		return s, s
	}
	return 1/(12*n) - 1/(360*n*n*n), 1 / (12 * n)
}

// logRatio returns log((base+more)/base).
func logRatio(more, base float64) float64 {
	if r := more / base; r < 0.5 {
		return math.Log1p(r)
	}
	return numeric.Log((base + more) / base)
}
