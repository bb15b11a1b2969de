package cebere2024

import (
	"errors"
	"runtime"
	"sync"
)

// each calls do with 0, 1, ..., n-1, as many at a time as there are processors, and tells progress, if it is not nil, how
// many are done.
func each(n int, progress func(done, total int), do func(i int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for i := range n {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = do(i)
			mu.Lock()
			defer mu.Unlock()
			if done++; progress != nil {
				progress(done, n)
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}
