package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// page is a browser with JupyterLab in it. What it does to cells goes through JupyterLab's own commands.
type page struct {
	*testing.T
	ctx   context.Context
	shots int

	mu       sync.Mutex
	troubles []string // errors on the console
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
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatalf("the browser does not open %s: %v", url, err)
	}
	return p
}

// tellTrouble logs the errors that the console has shown.
func (p *page) tellTrouble() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.troubles {
		p.Logf("error on the console: %s", text)
	}
}

// do runs JavaScript in the page, waits for its promise and stores what it gives in to, if that is not nil.
func (p *page) do(script string, to any) {
	p.Helper()
	script = "(async () => { const app = window.jupyterapp, panel = app && [...app.shell.widgets('main')].find(w => w.content?.widgets), book = panel?.content;" + script + "})().then(v => JSON.stringify(v ?? null))"
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
	for deadline := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		var is bool
		if p.do("return !!("+condition+");", &is); is {
			return
		}
		if time.Now().After(deadline) || p.ctx.Err() != nil {
			p.shot("failed")
			p.Fatalf("%s: not within %v", what, limit)
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

// await waits until a cell, or for -1 every cell, has run, and returns its text.
func (p *page) await(index int, limit time.Duration) string {
	p.Helper()
	which := "book.widgets.filter(c => c.model.type === 'code' && c.model.sharedModel.source)"
	if index >= 0 {
		which = fmt.Sprintf("[book.widgets[%d]]", index)
	}
	p.until("the end of a cell", which+".every(c => c.model.executionState === 'idle' && (c.model.executionCount ?? 0) > 0)", limit)
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
		fmt.Fprintln(&text, o.Text, strings.Join(o.Traceback, "\n"), o.Data["text/plain"], o.Data["text/html"])
	}
	return text.String()
}

func quote(text string) string {
	data, _ := json.Marshal(text) // a string
	return string(data)
}
