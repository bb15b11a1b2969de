package show

import "sync"

// Track returns a function that shows how much of some work is done, for work that reports
// done and total itself. The display ends when they are equal; calls after that do nothing.
func Track(label string) func(done, total int) {
	var mu sync.Mutex
	var p *Progress
	ended := false
	return func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		if p == nil {
			p = NewProgress(label, total)
		}
		p.Set(done, "")
		if ended = done >= total; ended {
			p.Done()
		}
	}
}
