package game

import "time"

// Progress is how far a game is. Models that train side by side count by their steps.
type Progress struct {
	Games, Total       int // runs of the engine done and to do
	Elapsed, Remaining time.Duration
}

// meter reports the progress of all games.
type meter struct {
	report      func(Progress)
	done, total int // models
	start       time.Time
}

func newMeter(report func(Progress), total int) *meter {
	return &meter{report: report, total: total, start: time.Now()}
}

// add counts models that are trained and scored.
func (m *meter) add(models int) {
	m.done += models
	m.tell(0)
}

// tell reports the finished models and a part of those under way. The time left is that of the
// finished models.
func (m *meter) tell(underWay int) {
	done := m.done + underWay
	if m.report == nil || done == 0 {
		return
	}
	elapsed := time.Since(m.start)
	left := time.Duration(float64(elapsed) * float64(m.total-done) / float64(done))
	m.report(Progress{Games: done, Total: m.total, Elapsed: elapsed, Remaining: left})
}
