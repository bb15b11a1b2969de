package audit

// A threshold may be fixed beforehand by rank: "the (k+1)-th largest non-member score".
// Its false positive rate is Beta(k+1, n0-k), so that its upper bound is the
// Clopper-Pearson bound of k false positives, whatever the scores are; the members
// strictly above it are binomial. Ties have been broken at random. The other tail, "the
// (k+1)-th smallest member score", is the same with the classes swapped.

// rankTest is the outcome of one threshold fixed by rank.
type rankTest struct {
	rank   int  // k
	hits   int  // scores of the other class strictly beyond the threshold
	bottom bool // the threshold is the (k+1)-th smallest member score
}

// counts returns the errors that the bounds may assume of the test.
func (r rankTest) counts(n1, n0 int) Counts {
	if r.bottom {
		return Counts{Members: n1, NonMembers: n0, FalseNegatives: r.rank, FalsePositives: n0 - r.hits}
	}
	return Counts{Members: n1, NonMembers: n0, FalseNegatives: n1 - r.hits, FalsePositives: r.rank}
}

// top tests at the (k+1)-th largest non-member score; it needs k < n0.
func (s sample) top(k int) rankTest {
	threshold := s.nonMember[len(s.nonMember)-1-k]
	return rankTest{rank: k, hits: above(s.member, threshold)}
}

// bottom tests at the (k+1)-th smallest member score; it needs k < n1.
func (s sample) bottom(k int) rankTest {
	return rankTest{rank: k, hits: below(s.nonMember, s.member[k]), bottom: true}
}

// rankGrid returns the ranks 0, 1, 2, 4, 8, ... below n/2, each twice the last:
// fine enough that the best threshold is near one of them, and known before the scores.
func rankGrid(n int) []int {
	grid := []int{0}
	for k := 1; k < (n+1)/2; k *= 2 {
		grid = append(grid, k)
	}
	return grid
}

// gridTests are the tests at the ranks of the grid in both tails.
func (s sample) gridTests() []rankTest {
	var tests []rankTest
	for _, k := range rankGrid(len(s.nonMember)) {
		tests = append(tests, s.top(k))
	}
	for _, k := range rankGrid(len(s.member)) {
		tests = append(tests, s.bottom(k))
	}
	return tests
}
