package show

import (
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/dplab/dplab/notebooks/figures"
)

// Live is one place of a cell for a figure that changes, such as a learning curve while a model
// trains:
//
//	live := show.NewLive()
//	plan.Evaluate = &dpsgd.Evaluation{Data: public, Every: 10}
//	plan.Evaluate.Progress = func(c dpsgd.LearningCurve) {
//		live.Draw(curves.Chart("Digits", curves.Run{Curve: c}))
//	}
//	// ... train ...
//	live.Plot(show.Must(curves.Chart("Digits", curves.Run{Curve: result.Curve})))
//
// It may be used from several goroutines.
type Live struct {
	id    string
	mu    sync.Mutex
	start time.Time
	next  time.Duration // since the start; until then Draw does nothing
	ended bool
}

// NewLive returns a new place. It is empty until the first drawing.
func NewLive() *Live { return &Live{id: "dplab-live-" + gonbui.UniqueId(), start: time.Now()} }

// Draw shows a figure at the place, or ends the program with the error, as Must does. It skips most
// figures that come fast: the pause is half a second and, later, half of the time so far. So a
// minute of training is drawn about ten times. Outside of a cell it draws nothing.
func (l *Live) Draw(figure figures.WithFigure, err error) {
	Check(err)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.start)
	if l.ended || now < l.next {
		return
	}
	l.next = pauseAfter(now)
	Check(draw(figure.Figure(), l.id))
}

// pauseAfter returns the time of the next drawing after one at a time since the start.
func pauseAfter(now time.Duration) time.Duration { return now + max(now/2, 500*time.Millisecond) }

// Plot shows the last figure at the place, and saves it as function Plot does. Draw then does
// nothing more. So the output of a cell does not depend on how fast it ran.
func (l *Live) Plot(result figures.WithFigure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	f := result.Figure()
	Check(saveFigure(f, nil))
	Check(draw(f, l.id))
}
