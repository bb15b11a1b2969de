// Package relay passes messages between JupyterLab and a GoNB kernel, and adds what JupyterLab's
// users expect of a kernel:
//
//   - Stop ends what a cell does, even while it compiles. GoNB v0.11.5 forgets a Stop that comes
//     then.
//   - A cell that fails or is stopped ends the run of all cells. The waiting cells after it are
//     given back, not run.
//   - An error is one text with cell, line, source and what to do about it, instead of "exit status
//     1".
//   - A cell that ends with a value prints it (kernel.Shown).
//   - The status bar has the kernel's state before the first cell.
//   - A cell that prints more than 2,000 lines or 1 MB shows the first of them. A file next to the
//     notebook has the rest. Otherwise the page would not answer for minutes.
//
// JupyterLab's messages go to GoNB, and GoNB's to JupyterLab. Each side has its own key, so the
// relay signs them again. Everything not named above passes unchanged. The kernel is prepared
// before JupyterLab can reach it, so any cell may run first.
//
// Stop while compiling needs Linux. Elsewhere Stop is passed on unchanged.
//
// It promises nothing to other modules.
package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/nbformat"
)

// relay is the relay of one kernel.
type relay struct {
	kernel      *kernel.Kernel
	notebook    Notebook
	front, back *side
	end         context.CancelFunc
	closing     atomic.Bool // JupyterLab has asked the kernel to end

	mu      sync.Mutex // guards what follows
	running *cell
	waiting []*cell
	sources map[int]string // of cells that ran, by their numbers
	count   int            // number of the last cell
}

// Notebook is the notebook that a kernel serves, for hints on errors.
type Notebook struct {
	Root string // folder of the repository
	Path string // of the file; empty if unknown
}

// output returns the path of the file for what a cell prints, next to the notebook.
func (n Notebook) output(cell int) string {
	name := fmt.Sprintf("output-%d.txt", cell)
	if n.Path == "" {
		return name
	}
	return strings.TrimSuffix(n.Path, filepath.Ext(n.Path)) + "-" + name
}

// cells returns the sources of the notebook's code cells as they were saved, or nil.
func (n Notebook) cells() (sources []string) {
	saved, err := nbformat.ReadFile(n.Path)
	if err != nil {
		return nil
	}
	for _, c := range saved.Code() {
		sources = append(sources, c.Source)
	}
	return sources
}

// Serve listens at the ports of front and passes messages to and from the kernel. It returns when
// JupyterLab shuts the kernel down, when ctx is done, or with an error when the kernel ends by
// itself. If ctx is done it does not end the kernel.
func Serve(ctx context.Context, front jupyter.Connection, k *kernel.Kernel, n Notebook) error {
	r := &relay{kernel: k, notebook: n, sources: map[int]string{}}
	return r.serve(ctx, front)
}

func (r *relay) serve(ctx context.Context, front jupyter.Connection) (err error) {
	ctx, r.end = context.WithCancel(ctx)
	defer r.end()
	if r.back, err = dial(ctx, r.kernel.Connection); err != nil {
		return err
	}
	defer r.back.close()
	if err := r.hear(ctx); err != nil {
		return err
	}
	if r.front, err = listen(ctx, front); err != nil {
		return err
	}
	defer r.front.close()
	r.front.read(r.front.shell, r.fromFront)
	r.front.read(r.front.control, r.control)
	r.front.read(r.front.stdin, func(m jupyter.Message) { r.back.send(r.back.stdin, m) })
	r.front.echo()
	r.back.read(r.back.shell, r.reply)
	r.back.read(r.back.control, func(m jupyter.Message) { r.front.send(r.front.control, m) })
	r.back.read(r.back.stdin, func(m jupyter.Message) { r.front.send(r.front.stdin, m) })
	r.back.read(r.back.iopub, r.published)
	select {
	case <-ctx.Done():
	case <-r.kernel.Ended():
		if !r.closing.Load() {
			return errors.New("the kernel ended by itself")
		}
		<-ctx.Done() // once JupyterLab has its answer
	}
	return nil
}

// hear returns when the kernel's published messages arrive. A subscription takes effect some time
// after the connection.
func (r *relay) hear(ctx context.Context) error {
	heard := make(chan struct{})
	go func() {
		_, _ = r.back.iopub.Recv() // later steps report an error
		close(heard)
	}()
	for {
		if err := r.kernel.Ready(ctx); err != nil { // the kernel publishes that it was busy
			return err
		}
		select {
		case <-heard:
			return nil
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// fromFront takes JupyterLab's requests on the shell channel. Cells wait here and not in GoNB,
// which would run them all.
func (r *relay) fromFront(m jupyter.Message) {
	if m.Header.Type != "execute_request" {
		r.back.send(r.back.shell, m)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, newCell(m))
	r.next()
}

// control takes JupyterLab's requests on the control channel.
func (r *relay) control(m jupyter.Message) {
	switch {
	case m.Header.Type == "interrupt_request" && kernel.CanStop:
		r.interrupt()
		r.answer(m, "interrupt_reply", map[string]any{"status": "ok"})
	case m.Header.Type == "shutdown_request":
		var content struct {
			Restart bool `json:"restart"`
		}
		_ = json.Unmarshal(m.Content, &content) // without it: no restart
		r.closing.Store(true)
		r.kernel.Stop()
		r.answer(m, "shutdown_reply", map[string]any{"status": "ok", "restart": content.Restart})
		time.AfterFunc(100*time.Millisecond, r.end) // the answer is on its way
	default:
		r.back.send(r.back.control, m)
	}
}

// answer replies on the control channel.
func (r *relay) answer(request jupyter.Message, kind string, content any) {
	if m, err := jupyter.Answer(request, kind, content); err == nil {
		r.front.send(r.front.control, m)
	}
}

// reply passes on a reply of the kernel. GoNB also sends replies to control requests on the shell
// channel.
func (r *relay) reply(m jupyter.Message) {
	switch m.Header.Type {
	case "interrupt_reply":
		r.front.send(r.front.control, m)
		return
	case "kernel_info_reply":
		r.front.send(r.front.shell, m)
		r.unasked(m.Header.Session)
		return
	case "execute_reply":
		r.mu.Lock()
		defer r.mu.Unlock()
		if c := r.running; c != nil && c.is(m.Parent) {
			c.rewrite(&m, r.sources, r.notebook)
			if c.failed(m) {
				r.giveBack()
			}
			r.front.send(r.front.shell, m)
			c.replied = true
			r.ended(c)
			return
		}
	}
	r.front.send(r.front.shell, m)
}

// unasked publishes whether a cell runs, as an answer to nothing. JupyterLab ignores the status
// around a request for information, and its status bar showed "Unknown" until the first cell.
func (r *relay) unasked(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := "idle"
	if r.running != nil {
		state = "busy"
	}
	if m, err := jupyter.Answer(jupyter.Message{Header: jupyter.Header{Session: session}}, "status", map[string]any{"execution_state": state}); err == nil {
		m.Parent = jupyter.Header{}
		r.front.send(r.front.iopub, m)
	}
}

// published passes on what the kernel publishes.
func (r *relay) published(m jupyter.Message) {
	m.Identities = nil // the request's, which are not names of subscriptions
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.running
	if c == nil || !c.is(m.Parent) {
		r.front.send(r.front.iopub, m)
		return
	}
	switch m.Header.Type {
	case "execute_input":
		if c.readInput(m) {
			r.count, r.sources[c.number] = c.number, c.code
			c.printed.path = r.notebook.output(c.number)
		}
	case "stream":
		if c.listen(m) || !c.limit(&m) {
			return
		}
	case "clear_output":
		c.printed.cleared()
	case "error":
		c.rewrite(&m, r.sources, r.notebook)
		r.noteMore(c)
	}
	idle := c.isIdle(m)
	if idle {
		r.noteMore(c)
	}
	r.front.send(r.front.iopub, m)
	if idle {
		c.idle = true
		r.ended(c)
	}
}
