package cebere2024

import (
	"sync"

	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// each is parallel.Each that tells progress, if it is not nil, how many are done.
func each(n int, progress func(done, total int), do func(i int) error) error {
	var mu sync.Mutex
	done := 0
	return parallel.Each(n, func(i int) error {
		err := do(i)
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress(done, n)
		}
		return err
	})
}
