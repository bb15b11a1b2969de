package show

import "sync"

// Track returns a function that shows how much of some work is done, for work that reports
// done and total itself. The display ends when they are equal; calls after that do nothing.
func Track(label string) func(done, total int) {
	track := TrackDetail(label)
	return func(done, total int) { track(done, total, "") }
}

// TrackDetail is Track with what else there is to know, such as the ε so far:
//
//	track := show.TrackDetail("training")
//	plan.Progress = func(p dpsgd.Progress) { track(p.Step, p.Steps, p.Detail()) }
func TrackDetail(label string) func(done, total int, detail string) {
	var mu sync.Mutex
	var p *Progress
	ended := false
	return func(done, total int, detail string) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		if p == nil {
			p = NewProgress(label, total)
		}
		p.Set(done, detail)
		if ended = done >= total; ended {
			p.Done()
		}
	}
}
