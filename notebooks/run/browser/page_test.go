package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// page is a browser with JupyterLab in it. What it does to cells goes through JupyterLab's own
// commands.
type page struct {
	*testing.T
	ctx   context.Context
	book  string // the notebook that is looked at
	shots int
	begin time.Time // of -lab

	mu       sync.Mutex
	troubles []string // errors on the console
}

// findChromium returns the browser. Without one the test is skipped.
func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium in PATH")
	return ""
}

// open starts the browser and goes to an address.
func open(t *testing.T, ctx context.Context, chromium, url string) *page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.WindowSize(1200, 1000))
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	p := &page{T: t, ctx: ctx}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err == nil && (m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException) {
				p.mu.Lock()
				p.troubles = append(p.troubles, m.Text+" "+m.URL)
				p.mu.Unlock()
			}
		}
	}()
	// As if its window were in front: what has the focus is what JupyterLab's commands act on.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatalf("the browser does not open %s: %v", url, err)
	}
	return p
}

// noTrouble fails the test for the errors that the console has shown.
func (p *page) noTrouble() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.troubles {
		p.Errorf("error on the console: %s", text)
	}
}

// show opens a notebook, or goes to it, and waits for its kernel.
func (p *page) show(name string) {
	p.Helper()
	p.book = name
	p.until("JupyterLab", "app?.shell", busy)
	p.do("await app.restored; await app.commands.execute('docmanager:open', {path: "+quote(name)+"});", nil)
	p.until("the notebook", "book?.widgets?.length > 5 && panel.sessionContext.session?.kernel?.connectionStatus === 'connected'", busy)
	p.until("the focus", "(app.shell.activateById(panel.id), app.shell.currentWidget === panel)", busy)
}

// press presses keys in the page.
func (p *page) press(keys string) {
	p.Helper()
	if err := chromedp.Do(p.ctx, chromedp.KeyEvent(keys)); err != nil {
		p.Fatalf("keys %q: %v", keys, err)
	}
}

// pressUntil presses keys again and again until a condition in JavaScript holds: who answers may
// not be there yet.
func (p *page) pressUntil(keys, what, condition string) {
	p.Helper()
	for deadline := time.Now().Add(busy); time.Now().Before(deadline); {
		p.press(keys)
		if p.holds(condition, 2*time.Second) {
			return
		}
	}
	p.shot("failed")
	p.Fatalf("%s: not within %v", what, busy)
}

// do runs JavaScript in the page, waits for its promise and stores what it gives in to, if that is
// not nil.
func (p *page) do(script string, to any) {
	p.Helper()
	script = "(async () => { const app = window.jupyterapp, panel = app && [...app.shell.widgets('main')].find(w => w.content?.widgets && w.context?.path === " + quote(p.book) + "), book = panel?.content;" +
		script + "})().then(v => JSON.stringify(v ?? null))"
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
	if err == nil && to != nil {
		err = json.Unmarshal([]byte(text), to)
	}
	if err != nil {
		p.shot("failed")
		p.Fatalf("%s: %v", script, err)
	}
}

// until waits for a condition in JavaScript.
func (p *page) until(what, condition string, limit time.Duration) {
	p.Helper()
	if !p.holds(condition, limit) {
		p.shot("failed")
		p.Fatalf("%s: not within %v", what, limit)
	}
}

// holds waits for a condition in JavaScript, and reports whether it came to hold.
func (p *page) holds(condition string, limit time.Duration) bool {
	p.Helper()
	for deadline := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		var is bool
		if p.do("return !!("+condition+");", &is); is {
			return true
		}
		if time.Now().After(deadline) || p.ctx.Err() != nil {
			return false
		}
	}
}

// shot takes a screenshot for somebody to look at.
func (p *page) shot(name string) {
	p.Helper()
	dir := os.Getenv("DPLAB_SCREENSHOTS")
	if dir == "" {
		return
	}
	p.shots++
	time.Sleep(300 * time.Millisecond) // what moves comes to rest
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d-%s.png", p.shots, name)), picture, 0o644)
	}
	if err != nil {
		p.Logf("no screenshot %s: %v", name, err)
	}
}

// add puts a cell at the end, selects it, and returns its index.
func (p *page) add(source string) (index int) {
	p.Helper()
	p.do(fmt.Sprintf(`
		book.activeCellIndex = book.widgets.length - 1; book.deselectAll();
		await app.commands.execute('notebook:insert-cell-below');
		book.activeCell.model.sharedModel.setSource(%s);
		return book.activeCellIndex;`, quote(source)), &index)
	return index
}

// start runs a cell without waiting for its end.
func (p *page) start(index int) {
	p.Helper()
	p.do(fmt.Sprintf("book.activeCellIndex = %d; book.deselectAll(); app.commands.execute('notebook:run-cell'); book.node.querySelectorAll('.jp-Cell')[%[1]d]?.scrollIntoView();", index), nil)
}

// run runs a new cell at the end, which must not fail, and returns its text.
func (p *page) run(source string) string {
	p.Helper()
	at := p.add(source)
	p.start(at)
	text := p.await(at, busy)
	p.noErrors()
	return text
}

// clear clears the stored outputs, which have figures and numbers too.
func (p *page) clear() {
	p.Helper()
	p.do("await app.commands.execute('notebook:clear-all-cell-outputs');", nil)
	p.until("empty outputs", code+".every(c => !c.model.outputs.length && !c.model.executionCount)", busy)
}

// runAll clears the outputs and runs all cells, without waiting for their end.
func (p *page) runAll() {
	p.Helper()
	p.clear()
	p.do("app.commands.execute('notebook:run-all-cells');", nil)
}

// Expressions of JavaScript: the cells that can run, and whether one of them has failed.
const (
	code   = "book.widgets.filter(c => c.model.type === 'code' && c.model.sharedModel.source)"
	failed = code + ".some(c => c.model.outputs.toJSON().some(o => o.output_type === 'error'))"
)

// noErrors fails the test for each error that a cell shows.
func (p *page) noErrors() {
	p.Helper()
	var errs []string
	p.do("return "+code+".flatMap(c => c.model.outputs.toJSON().filter(o => o.output_type === 'error').map(o => o.traceback.join('\\n')));", &errs)
	for _, err := range errs {
		p.Errorf("%s: %s", p.book, err)
	}
}

// await waits until a cell, or for -1 every cell or one that fails, has run, and returns its text.
func (p *page) await(index int, limit time.Duration) string {
	p.Helper()
	const ended = ".every(c => c.model.executionState === 'idle' && (c.model.executionCount ?? 0) > 0)"
	if index >= 0 {
		p.until("the end of a cell", fmt.Sprintf("[book.widgets[%d]]", index)+ended, limit)
	} else {
		p.until("the end of all cells", code+ended+" || "+failed, limit)
	}
	return p.text(index)
}

// text returns what a cell, or for -1 every cell, shows: text and errors.
func (p *page) text(index int) string {
	p.Helper()
	var outputs []struct {
		Type      string `json:"output_type"`
		Text      any
		Traceback []string
		Data      map[string]any
	}
	which := "book.widgets.filter(c => c.model.type === 'code')"
	if index >= 0 {
		which = fmt.Sprintf("[book.widgets[%d]]", index)
	}
	p.do("return "+which+".flatMap(c => c.model.outputs.toJSON());", &outputs)
	var text strings.Builder
	for _, o := range outputs {
		fmt.Fprintln(&text, o.Text, strings.Join(o.Traceback, "\n"), o.Data["text/plain"], o.Data["text/html"], o.Data["text/markdown"])
	}
	return text.String()
}

func quote(text string) string {
	data, _ := json.Marshal(text) // a string
	return string(data)
}
