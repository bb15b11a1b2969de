package show

import (
	"fmt"
	"html"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Progress is one line about work in progress. In a notebook it is a bar, updated in place at most
// every 200 ms. Elsewhere it is lines on standard error, at most every 2 s. Its last state shows
// how much was done, but no time, so a notebook that runs twice looks the same. It may be used from
// several goroutines.
type Progress struct {
	label  string
	total  int
	start  time.Time
	out    display
	every  time.Duration
	signal chan os.Signal

	mu     sync.Mutex
	done   int
	detail string
	last   time.Time
	closed bool
}

// display is the place that a line of progress goes to.
type display interface {
	update(line string, done, total int)
	finish(line string)
}

// NewProgress starts the display of total pieces of work. Total 0 means that their number is
// unknown. In a cell, Stop (an interrupt) then prints how far the work was and ends the program
// with exit code 130.
func NewProgress(label string, total int) *Progress {
	if gonbui.IsNotebook {
		p := newProgress(label, total, &cellDisplay{id: "dplab-progress-" + gonbui.UniqueId()}, 200*time.Millisecond)
		p.signal = make(chan os.Signal, 1)
		signal.Notify(p.signal, os.Interrupt)
		go p.watch()
		return p
	}
	return newProgress(label, total, lines{os.Stderr}, 2*time.Second)
}

func newProgress(label string, total int, out display, every time.Duration) *Progress {
	p := &Progress{label: label, total: max(total, 0), start: time.Now(), out: out, every: every}
	p.Set(0, "")
	return p
}

// watch ends the program when it is interrupted.
func (p *Progress) watch() {
	if _, interrupted := <-p.signal; interrupted {
		p.finish("Interrupted.")
		os.Exit(130)
	}
}

// Set reports that done pieces are done, and a detail, such as "ε = 1.2".
func (p *Progress) Set(done int, detail string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(done, detail)
}

// Add reports that n more pieces are done.
func (p *Progress) Add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(p.done+n, p.detail)
}

func (p *Progress) set(done int, detail string) {
	p.done, p.detail = done, detail
	if now := time.Now(); !p.closed && now.Sub(p.last) >= p.every {
		p.last = now
		p.out.update(p.line(now.Sub(p.start)), done, p.total)
	}
}

// Done replaces the display by its last state. A second call does nothing.
func (p *Progress) Done() {
	if p.finish("") && p.signal != nil {
		signal.Stop(p.signal)
		close(p.signal)
	}
}

func (p *Progress) finish(why string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.closed = true
	line := fmt.Sprintf("%s: %s done.", p.label, p.count())
	if why != "" {
		line += " " + why
	}
	p.out.finish(line)
	return true
}

func (p *Progress) count() string {
	if p.total == 0 {
		return fmt.Sprint(p.done)
	}
	return fmt.Sprintf("%d of %d", p.done, p.total)
}

func (p *Progress) line(elapsed time.Duration) string {
	line := fmt.Sprintf("%s: %s, %s elapsed", p.label, p.count(), elapsed.Round(time.Second))
	if p.done > 0 && p.done < p.total {
		left := time.Duration(float64(elapsed) * float64(p.total-p.done) / float64(p.done))
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	if p.detail != "" {
		line += ", " + p.detail
	}
	return line
}

// lines writes to a terminal or a log.
type lines struct{ io.Writer }

func (l lines) update(line string, _, _ int) { fmt.Fprintln(l, line) }
func (l lines) finish(line string)           { fmt.Fprintln(l, line) }

// cellDisplay updates one output of a cell. Its id must be new in each run: a used one stays blank.
type cellDisplay struct{ id string }

func (c *cellDisplay) update(line string, done, total int) {
	bar := "<progress></progress>"
	if total > 0 {
		bar = fmt.Sprintf(`<progress value="%d" max="%d"></progress>`, done, total)
	}
	c.send(bar+" "+html.EscapeString(line), line)
}

func (c *cellDisplay) finish(line string) {
	c.send(html.EscapeString(line), line)
	gonbui.Sync()
}

func (c *cellDisplay) send(markup, plain string) {
	gonbui.SendData(&protocol.DisplayData{
		Data:      map[protocol.MIMEType]any{protocol.MIMETextHTML: markup, protocol.MIMETextPlain: plain},
		DisplayID: c.id,
	})
}

// Track returns a function that shows how much of some work is done. It is for work that reports
// done and total itself. The display ends when they are equal. Later calls do nothing.
func Track(label string) func(done, total int) {
	track := TrackDetail(label)
	return func(done, total int) { track(done, total, "") }
}

// TrackDetail is Track with a detail, such as the ε so far:
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
