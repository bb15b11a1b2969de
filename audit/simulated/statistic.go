package simulated

import (
	"math"

	"github.com/dplab/dplab/audit"
)

// Order is how the scores of an audit rank. Order[i] is true if the i-th largest score is a
// member's. A statistic sees nothing else. Its law under a claim therefore does not depend on the
// scale of the scores.
type Order []bool

// Statistic is a function of the order of the scores that never falls when a member moves
// up past a non-member. [TwoTail] and [AUC] are examples.
type Statistic func(Order) float64

// orderOf ranks the scores, which BreakTies has sorted, largest first.
func orderOf(s audit.Scores) Order {
	order := make(Order, 0, len(s.Member)+len(s.NonMember))
	i, j := len(s.Member)-1, len(s.NonMember)-1
	for i >= 0 || j >= 0 {
		if i >= 0 && (j < 0 || s.Member[i] > s.NonMember[j]) {
			order = append(order, true)
			i--
		} else {
			order = append(order, false)
			j--
		}
	}
	return order
}

// AUC is the share of pairs in which the member ranks above the non-member. It is 0 without pairs.
func AUC(order Order) float64 {
	var wins, members, nonMembers float64
	for _, member := range order {
		if member {
			members++
		} else {
			wins += members
			nonMembers++
		}
	}
	return wins / math.Max(1, members*nonMembers)
}

// TwoTail returns the statistic of [audit.RankTwoTail]. It counts members above the (k+1)-th
// largest non-member plus non-members below the (k+1)-th smallest member.
func TwoTail(k int) Statistic {
	return func(order Order) float64 {
		var hits int
		for i, others := 0, 0; i < len(order); i++ {
			if order[i] {
				hits++
			} else if others++; others > k {
				break
			}
		}
		for i, others := len(order)-1, 0; i >= 0; i-- {
			if !order[i] {
				hits++
			} else if others++; others > k {
				break
			}
		}
		return float64(hits)
	}
}
