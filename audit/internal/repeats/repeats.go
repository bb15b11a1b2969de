// Package repeats doubts scores that repeat each other more often than those of independent games.
package repeats

import (
	"fmt"
	"math"
	"slices"
)

// When repeated scores are doubted.
//
// A row that is copied counts as a game that was not played, and every bound grows. Independent
// games repeat scores too, if the score has few values: 0/1, or a share of a count. Two signs show
// copies.
//
// 1. All numbers of equal scores share a divisor. If m copies of a file are joined, each score
// occurs a multiple of m times in its class. Independent games do that by chance only. Given the
// numbers of games, of d numbers of equal scores d-2 are free. All have the divisor m with chance
// about m^(2-d). The doubt is raised if that is at most 1e-4 and d is 6 or more. With fewer, as for
// 0/1, numbers near half of the games are not rare enough.
//
// 2. At least half of a class repeats scores of many digits. That finds copies whose numbers
// differ, such as a seed that was used again. Scores are called coarse if they come from few
// possible values, see coarse. The least, the largest and the most frequent score of a class are
// left out: a score that is cut off repeats the limit, and one without a signal its default.
//
// Copies of a few coarse scores with different numbers are not found: independent games look alike.

// Doubts returns a warning for each class of ascending scores that seems to hold copies.
func Doubts(member, nonMember []float64) (doubts []error) {
	in, out := groupsOf(member), groupsOf(nonMember)
	copied := areCopies(slices.Concat(in, out))
	for _, class := range []struct {
		name   string
		groups []group
	}{{"member", in}, {"non-member", out}} {
		n := total(class.groups)
		if repeated := n - len(class.groups); repeated > 0 && (copied || 2*finelyRepeated(class.groups) >= n && n >= fewest) {
			doubts = append(doubts, fmt.Errorf("%d of %d %s scores repeat another: are these independent games or canaries? copied rows raise every bound", repeated, n, class.name))
		}
	}
	return doubts
}

// fewest is the least number of scores of a class whose repeats are counted.
const fewest = 16

// group is a score and the number of times that its class has it.
type group struct {
	score float64
	times int
}

func groupsOf(ascending []float64) (groups []group) {
	for i, x := range ascending {
		if i > 0 && x == ascending[i-1] {
			groups[len(groups)-1].times++
		} else {
			groups = append(groups, group{x, 1})
		}
	}
	return groups
}

func total(groups []group) (n int) {
	for _, g := range groups {
		n += g.times
	}
	return n
}

// areCopies reports the first sign.
func areCopies(groups []group) bool {
	divisor := 0
	for _, g := range groups {
		for a, b := g.times, divisor; ; a, b = b, a%b {
			if b == 0 {
				divisor = a
				break
			}
		}
	}
	return len(groups) >= 6 && float64(len(groups)-2)*math.Log10(float64(max(divisor, 1))) >= 4
}

// finelyRepeated returns how many scores repeat another, coarse ones and those left out excepted.
func finelyRepeated(groups []group) (repeated int) {
	origin, step := scale(groups)
	for i := 1; i < len(groups)-1; i++ {
		if g := groups[i]; g.score != origin && !coarse(g.score, origin, step) {
			repeated += g.times - 1
		}
	}
	return repeated
}

// scale returns the score that occurs most often, and the median distance of neighbors among the
// scores that repeat. It is the step of shares of a count, as they mostly have all their neighbors.
func scale(groups []group) (origin, step float64) {
	var most, before int
	var gaps []float64
	for i, g := range groups {
		if g.times > most {
			origin, most = g.score, g.times
		}
		if g.times == 1 {
			continue
		}
		if before > 0 {
			gaps = append(gaps, g.score-groups[before-1].score)
		}
		before = i + 1
	}
	if len(gaps) == 0 {
		return origin, 0
	}
	slices.Sort(gaps)
	return origin, gaps[len(gaps)/2]
}

// coarse reports whether x is one of few possible values. It has at most four digits after the
// point. Or it is p/q steps from the origin of the scale, q <= 10. Shares of a count are there,
// also if they were shifted, scaled or rounded. A number of many digits is within 1e-3 of such a
// fraction with chance 7 %.
func coarse(x, origin, step float64) bool {
	if y := x * 1e4; math.Abs(y-math.Round(y)) <= 1e-7*math.Max(1, math.Abs(x)) {
		return true
	}
	along := (x - origin) / step
	for q := 1.0; q <= 10; q++ {
		if math.Abs(along*q-math.Round(along*q)) <= 1e-3*q {
			return true
		}
	}
	return false
}
