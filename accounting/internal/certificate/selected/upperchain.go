package selected

import (
	"math"
	"sort"

	"github.com/dplab/dplab/accounting/interval"
)

// upperChain finds the largest a - c b of a list of pairs at many c >= 0. It needs no order of the
// pairs. It is quick only if they lie about along a curve on which a and b fall.
//
// The chain keeps some pairs, and two numbers for each pair k and the next:
//
//	a_(k+1) - c b_(k+1) >= a_k - c b_k  if  c >= late_k,    <=  if  c <= early_k.
//
// A pair is left out if one neighbor is never below it. It is also left out if the pair before it
// is not below it up to some c, and the pair behind it is not below it from there on. So the
// largest over the pairs that are kept is the largest over all.
//
// Proof of the search. Let i be the first place such that one of late_0 .. late_i is above c. Up to
// i the values do not fall, so the largest is not before i. Let j be the first place such that all
// of early_j, early_(j+1), ... are at least c. From j on the values do not rise, so the largest is
// not behind j. Both hold for any list. ∎
type upperChain struct {
	pairs       []pair
	late, early []float64 // then the largest of late up to k, and the least of early from k on
}

// of sets the chain to that of some pairs.
func (h *upperChain) of(pairs []pair) {
	h.pairs, h.late, h.early = h.pairs[:0], h.late[:0], h.early[:0]
	for _, p := range pairs {
		h.add(p)
	}
	for k := 1; k < len(h.late); k++ {
		h.late[k] = max(h.late[k], h.late[k-1])
	}
	for k := len(h.early) - 2; k >= 0; k-- {
		h.early[k] = min(h.early[k], h.early[k+1])
	}
}

func (h *upperChain) add(p pair) {
	for n := len(h.pairs); n > 0; n = len(h.pairs) {
		last := h.pairs[n-1]
		if last.a >= p.a && last.b <= p.b {
			return
		}
		late, early := turn(last, p)
		dominated := p.a >= last.a && p.b <= last.b
		if !dominated && !(n > 1 && late <= h.early[n-2]) {
			h.late, h.early = append(h.late, late), append(h.early, early)
			break
		}
		h.pairs = h.pairs[:n-1]
		h.late, h.early = h.late[:max(0, n-2)], h.early[:max(0, n-2)]
	}
	h.pairs = append(h.pairs, p)
}

// turn returns bounds on the least c at which q has the larger a - c b. They are +Inf and -Inf,
// which show nothing, if a or b does not fall, or if b falls by about nothing.
func turn(p, q pair) (late, early float64) {
	a, b := p.a-q.a, p.b-q.b
	least := interval.Down(b)
	if !(least > 0) || !(a >= 0) {
		return math.Inf(1), math.Inf(-1)
	}
	return interval.Up(interval.Up(a) / least), interval.Down(interval.Down(a) / interval.Up(b))
}

// largest returns an upper bound on the largest a - c b.
func (h *upperChain) largest(c float64) float64 {
	from := sort.Search(len(h.late), func(k int) bool { return h.late[k] > c })
	to := sort.Search(len(h.early), func(k int) bool { return h.early[k] >= c })
	return largest(h.pairs[from:max(from, to)+1], c)
}
