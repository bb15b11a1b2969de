package engine

import "testing"

// All groups hold some replicas, at most as many as asked for, in as few groups or equal ones.
func TestEvenGroup(t *testing.T) {
	for _, c := range []struct{ replicas, most, want int }{
		{1, 1, 1}, {1, 256, 1}, {5, 3, 3}, {9, 4, 3}, {10, 4, 4}, {64, 32, 32}, {5000, 256, 250}, {500, 250, 250},
		{6, 4, 3}, {7, 4, 4}, {13, 12, 7}, {1009, 128, 127},
	} {
		if got := evenGroup(c.replicas, c.most); got != c.want {
			t.Errorf("%d replicas in groups of at most %d: %d, want %d", c.replicas, c.most, got, c.want)
		}
	}
	for replicas := 1; replicas < 300; replicas++ {
		for most := 1; most <= replicas; most++ {
			size := evenGroup(replicas, most)
			if size < 1 || size > most || replicas%size != 0 && (replicas+size-1)/size != (replicas+most-1)/most {
				t.Fatalf("%d replicas in groups of at most %d: %d", replicas, most, size)
			}
		}
	}
}
