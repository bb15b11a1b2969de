package koskela2023

import (
	"errors"
	"runtime"
	"sync"
)

// forEach calls f(0..n-1) from as many goroutines as there are cores and returns the errors, joined.
func forEach(n int, f func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var running sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		running.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	running.Wait()
	return errors.Join(errs...)
}
