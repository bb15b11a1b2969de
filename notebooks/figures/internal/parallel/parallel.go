// Package parallel runs the independent parts of a figure on all cores.
package parallel

import (
	"runtime"
	"sync"
)

// Each calls f(0), ..., f(n-1), each once, from as many goroutines as there are cores, and waits
// for all. It returns the error of the least index.
func Each(n int, f func(i int) error) error {
	errs, next := make([]error, n), make(chan int)
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
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Map returns f(0), ..., f(n-1), computed as by Each.
func Map[T any](n int, f func(i int) (T, error)) ([]T, error) {
	list := make([]T, n)
	err := Each(n, func(i int) (err error) {
		list[i], err = f(i)
		return err
	})
	return list, err
}

// Count counts what is done, from several goroutines.
type Count struct {
	Of     int
	Report func(done, of int) // nil for none

	mu   sync.Mutex
	done int
}

// Add counts one more.
func (c *Count) Add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done++; c.Report != nil {
		c.Report(c.done, c.Of)
	}
}
