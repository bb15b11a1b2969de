package game

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
)

// SingleRuns returns a proxy of the first run of each game. These are scores for
// [audit.RankOfSearch] and [audit.NormalOfSearch], which assume that the proxy is the score that
// selects. It returns an error unless the released runs agree that it is, or a growing function of
// it. Ordered by the score, they must be in the order of the proxy, except for rounding, one part
// in a million of the range. Agreement does not prove the same of the runs that were not released.
func (r TuningResult) SingleRuns(proxy, score int) (audit.Scores, error) {
	games := slices.Concat(r.Member, r.NonMember)
	f := check.In("game: ")
	f.That(len(r.Member) > 0 && len(r.NonMember) > 0, "TuningResult", fmt.Sprintf("of %d member and %d non-member games", len(r.Member), len(r.NonMember)), "must have both")
	for _, g := range games {
		if proxy < 0 || proxy >= len(g.First) || score < 0 || score >= len(g.Released) {
			f.That(false, "proxy and score", fmt.Sprintf("%d and %d", proxy, score), fmt.Sprintf("must be below %d and %d", len(g.First), len(g.Released)))
			break
		}
	}
	if err := f.Err(); err != nil {
		return audit.Scores{}, err
	}
	if err := sameOrder(games, proxy, score); err != nil {
		return audit.Scores{}, err
	}
	first := func(games []TunedGame) (list []float64) {
		for _, g := range games {
			list = append(list, g.First[proxy])
		}
		return list
	}
	return audit.Scores{Member: first(r.Member), NonMember: first(r.NonMember)}, nil
}

// sameOrder returns an error unless a proxy of the released runs grows with the score.
func sameOrder(games []TunedGame, proxy, score int) error {
	games = slices.SortedFunc(slices.Values(games), func(a, b TunedGame) int {
		return cmp.Or(cmp.Compare(a.Released[score].Score, b.Released[score].Score), cmp.Compare(a.Released[score].Proxies[proxy], b.Released[score].Proxies[proxy]))
	})
	low, high := math.Inf(1), math.Inf(-1)
	for _, g := range games {
		low, high = min(low, g.Released[score].Proxies[proxy]), max(high, g.Released[score].Proxies[proxy])
	}
	const rounding = 1e-6
	for i := 1; i < len(games); i++ {
		a, b := games[i-1].Released[score], games[i].Released[score]
		slack := rounding * (high - low)
		switch {
		case b.Proxies[proxy] < a.Proxies[proxy]-slack:
			return fmt.Errorf("game: proxy %d is not the score that selects: a released run has score %g and proxy %g, another the lower score %g and the higher proxy %g: use the scores of the games instead",
				proxy, b.Score, b.Proxies[proxy], a.Score, a.Proxies[proxy])
		case b.Score == a.Score && b.Proxies[proxy] > a.Proxies[proxy]+slack:
			return fmt.Errorf("game: proxy %d is not the score that selects: two released runs of score %g have the proxies %g and %g: use the scores of the games instead",
				proxy, b.Score, a.Proxies[proxy], b.Proxies[proxy])
		}
	}
	return nil
}
