package tails

import "testing"

// First finds each number, asks for none above twice of it, and reports that there is none.
func TestFirst(t *testing.T) {
	for limit := 1; limit <= 20; limit++ {
		for want := 1; want <= limit+1; want++ {
			most := 0
			n, found := First(limit, func(n int) bool { most = max(most, n); return n >= want })
			if found != (want <= limit) || found && n != want || !found && n != limit {
				t.Errorf("First(%d, n >= %d) = %d, %v", limit, want, n, found)
			}
			if most > max(1, 2*want) || most > limit {
				t.Errorf("First(%d, n >= %d) asks for %d", limit, want, most)
			}
		}
	}
}
