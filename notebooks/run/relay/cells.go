package relay

import (
	"encoding/json"
	"regexp"
	"time"

	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/kernel"
)

// cell is a request to run a cell.
type cell struct {
	request jupyter.Message
	code    string
	goesOn  bool // if it fails, the cells after it run all the same

	number        int    // in the notebook's margin; 0 before it runs
	stderr        string // the end of what it wrote there
	printed       printed
	stopped       bool
	replied, idle bool // it has ended when both are true
	done          chan struct{}
}

func newCell(m jupyter.Message) *cell {
	var content struct {
		Code string `json:"code"`
		Stop *bool  `json:"stop_on_error"`
	}
	_ = json.Unmarshal(m.Content, &content) // the kernel reports what is wrong with it
	if shown := kernel.Shown(content.Code); shown != content.Code {
		var all map[string]any
		if json.Unmarshal(m.Content, &all) == nil {
			all["code"] = shown
			if changed, err := json.Marshal(all); err == nil {
				m.Content = changed
			}
		}
	}
	return &cell{request: m, code: content.Code, goesOn: content.Stop != nil && !*content.Stop, done: make(chan struct{})}
}

// is reports whether h is the header of the cell's request.
func (c *cell) is(h jupyter.Header) bool { return h.ID == c.request.Header.ID }

// next lets the first waiting cell run if none is running. The caller holds mu.
func (r *relay) next() {
	if r.running != nil || len(r.waiting) == 0 {
		return
	}
	r.running, r.waiting = r.waiting[0], r.waiting[1:]
	r.back.send(r.back.shell, r.running.request)
}

// ended makes room for the next cell when the kernel has reported everything about this one. The
// caller holds mu.
func (r *relay) ended(c *cell) {
	if !c.replied || !c.idle {
		return
	}
	r.running = nil
	close(c.done)
	r.next()
}

// giveBack reports to JupyterLab that the waiting cells are not run. The caller holds mu.
func (r *relay) giveBack() {
	for _, c := range r.waiting {
		for _, step := range []struct {
			kind    string
			content map[string]any
		}{
			{"status", map[string]any{"execution_state": "busy"}},
			{"execute_reply", map[string]any{"status": "aborted", "execution_count": r.count}},
			{"status", map[string]any{"execution_state": "idle"}},
		} {
			m, err := jupyter.Answer(c.request, step.kind, step.content)
			switch {
			case err != nil:
			case step.kind == "status":
				m.Identities = nil
				r.front.send(r.front.iopub, m)
			default:
				r.front.send(r.front.shell, m)
			}
		}
	}
	r.waiting = nil
}

// patience is the time that an interrupted cell gets to end, as in GoNB.
const patience = 5 * time.Second

// interrupt ends the running cell, whatever it does, and gives the waiting ones back.
func (r *relay) interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack()
	c := r.running
	if c == nil || c.stopped {
		return
	}
	c.stopped = true
	go func() {
		stopper, begin := kernel.NewStopper(r.kernel), time.Now()
		for {
			r.mu.Lock()
			if r.running == c { // else another cell is running
				stopper.Interrupt()
				if time.Since(begin) > patience {
					stopper.Kill()
				}
			}
			r.mu.Unlock()
			select {
			case <-c.done:
				return
			case <-r.kernel.Ended():
				return
			case <-time.After(20 * time.Millisecond): // also interrupts what GoNB starts next
			}
		}
	}()
}

// readInput reads the cell's number from the kernel's message about its start.
func (c *cell) readInput(m jupyter.Message) bool {
	var content struct {
		Count int `json:"execution_count"`
	}
	if json.Unmarshal(m.Content, &content) != nil || content.Count == 0 {
		return false
	}
	c.number = content.Count
	return true
}

// exitLine is GoNB's line on standard error after a program that failed. The error repeats it.
var exitLine = regexp.MustCompile(`^(\^C\n)?(exit status \d+|signal: [a-z ]+)\n$`)

// listen keeps what the cell writes to standard error. It reports whether the message is GoNB's own
// line, which is not shown.
func (c *cell) listen(m jupyter.Message) bool {
	var content struct{ Name, Text string }
	if json.Unmarshal(m.Content, &content) != nil || content.Name != "stderr" {
		return false
	}
	if exitLine.MatchString(content.Text) {
		return true
	}
	const most = 64 << 10
	c.stderr += content.Text
	c.stderr = c.stderr[max(0, len(c.stderr)-most):]
	return false
}

func (c *cell) isIdle(m jupyter.Message) bool {
	var content struct {
		State string `json:"execution_state"`
	}
	return m.Header.Type == "status" && json.Unmarshal(m.Content, &content) == nil && content.State == "idle"
}

// failed reports whether a reply ends the run of the cells after this one.
func (c *cell) failed(m jupyter.Message) bool {
	var content struct{ Status string }
	return json.Unmarshal(m.Content, &content) == nil && (c.stopped || content.Status == "error" && !c.goesOn)
}
