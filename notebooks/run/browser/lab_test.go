package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const busy = 5 * time.Minute // longest time for one thing, on a machine that is busy

// What a user does in JupyterLab, in one session. Each step waits for what it looks at, and for
// nothing else.
func TestLab(t *testing.T) {
	chromium := findChromium(t)
	if _, err := exec.LookPath("jupyter-lab"); err != nil {
		t.Skip("no jupyter-lab in PATH")
	}
	begin := time.Now()
	l := startLab(t, t.Context(), "quickstart", "tuning", "audit")
	t.Logf("%5.1f s: JupyterLab answers", time.Since(begin).Seconds())
	p := open(t, t.Context(), chromium, fmt.Sprintf(l.url, "quickstart.ipynb"))
	p.begin = begin
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"all cells of the quickstart", p.runQuickstart},
		{"Tab completes a name", p.complete},
		{"a figure is saved", func() { p.saveFigure(l) }},
		{"a cell that prints 100,000 lines", func() { p.printMuch(l) }},
		{"a training is stopped", p.stopTraining},
		{"a cell that compiles is stopped", func() { p.stopCompiling(l) }},
		{"an error", p.makeMistake},
		{"all cells of tuning", p.runTuning},
		{"restart and all cells of audit", p.restartAudit},
		{"no error on the console", p.noTrouble},
		{"a kernel is killed, and another comes", func() { p.killKernel(l) }},
	} {
		if !t.Run(step.name, func(t *testing.T) { p.T = t; step.do() }) {
			return
		}
		t.Logf("%5.1f s: %s", time.Since(begin).Seconds(), step.name)
	}
}

// runQuickstart runs all cells, after a parameter was changed for a shorter search. The first cell
// is no setup.
func (p *page) runQuickstart() {
	p.show("quickstart.ipynb")
	p.until("the kernel's state in the status bar", "document.getElementById('jp-main-statusbar').innerText.includes('Idle')", busy)
	p.shot("open")
	// The copy is trusted: stored figures are drawn before a cell has run.
	const figure = "book.widgets.findIndex(c => c.model.outputs?.toJSON().some(o => o.data?.['image/svg+xml']))"
	p.do("book.scrollToItem("+figure+");", nil)
	p.until("a stored figure", "document.querySelector('.jp-RenderedSVG img')?.naturalWidth > 0", busy)
	p.shot("stored")
	p.do("await app.commands.execute('notebook:clear-all-cell-outputs');", nil) // the next figure is drawn now
	p.do(`const cell = book.widgets.find(c => c.model.sharedModel.source.includes('meanRepeats = 10.0'));
		cell.model.sharedModel.setSource(cell.model.sharedModel.source.replace('10.0', '3.0'));`, nil)
	p.runAll()
	p.until("the first figure", figure+" >= 0", busy)
	p.Logf("%5.1f s: the first figure", time.Since(p.begin).Seconds())
	p.do("book.scrollToItem("+figure+");", nil) // Run All has gone to the end
	p.shot("figure")
	if text := p.await(-1, busy); !strings.Contains(text, "ε") || !strings.Contains(text, "mean 3)") {
		p.Errorf("all cells: %s", text)
	}
	p.noErrors()
	p.shot("quickstart")
}

// complete types the begin of a name and presses Tab.
func (p *page) complete() {
	p.show("quickstart.ipynb")
	at := p.add("import \"github.com/dplab/dplab/notebooks/show\"\n%%\nshow.T")
	p.do(fmt.Sprintf("book.activeCellIndex = %d; book.scrollToItem(book.activeCellIndex);", at), nil)
	p.until("the cell's editor", "book.activeCell.editor", busy) // what is out of sight has none
	p.do("book.mode = 'edit'; book.activeCell.editor.focus(); book.activeCell.editor.setCursorPosition({line: 2, column: 6});", nil)
	const list = "[...document.querySelectorAll('.jp-Completer:not(.lm-mod-hidden) .jp-Completer-item')].map(i => i.textContent)"
	p.pressUntil("\t", "a list of names", "(n => n.some(i => i.includes('Table')) && n.some(i => i.includes('TrackDetail')))("+list+")")
	p.shot("completion")
	const waits = "(await app.serviceManager.settings.fetch('@jupyterlab/completer-extension:manager')).schema.properties.providerTimeout.default"
	var ms float64
	if p.do("return "+waits+";", &ms); ms <= 1000 {
		p.Errorf("JupyterLab waits %g ms for a completion, and then drops it", ms)
	}
	p.press("\r")
	p.until("the name", fmt.Sprintf(`/show\.T\w+/.test(book.widgets[%d].model.sharedModel.source)`, at), busy)
	p.do(fmt.Sprintf("book.widgets[%d].model.sharedModel.setSource('')", at), nil)
}

// saveFigure runs the cell that notebooks/README.md shows.
func (p *page) saveFigure(l lab) {
	p.show("quickstart.ipynb")
	readme, err := os.ReadFile(filepath.Join(l.root, "notebooks", "README.md"))
	if err != nil {
		p.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	source, _, found := strings.Cut(rest, "```")
	if !found || !strings.Contains(source, "show.Save(\"paper\"") {
		p.Fatalf("the cell of notebooks/README.md is %q", source)
	}
	p.run(source)
	p.shot("saved")
	for ending, begins := range map[string]string{"pdf": "%PDF-", "png": "\x89PNG", "svg": "<?xml", "csv": "", "json": "{", "txt": ""} {
		path := filepath.Join(l.out, "lab", "paper", "koskela2023-figure1."+ending)
		if data, err := os.ReadFile(path); err != nil || len(data) == 0 || !strings.HasPrefix(string(data), begins) {
			p.Errorf("saved: %d bytes, %v, want a file of its kind in %s", len(data), err, path)
		}
	}
}

// long trains for hours. It takes what the quickstart's cells declare.
const long = `%%
run := training()
run.Steps = 2_000_000
train, _, _ := images()
track, plan := show.Track("training"), run.Plan()
plan.Progress = func(p dpsgd.Progress) { track(p.Step, p.Steps) }
trainer := show.Must(engine.NewReplicas(model, train, plan))
show.Must(trainer.Run(ctx, root.Child("long")))`

func (p *page) stopTraining() {
	at := p.add(long)
	p.start(at)
	p.until("progress", fmt.Sprintf("book.widgets[%d].outputArea.node.querySelector('progress')", at), busy)
	p.shot("training")
	p.do("app.commands.execute('notebook:interrupt-kernel');", nil)
	if text := p.await(at, busy); !strings.Contains(text, "Interrupted.") {
		p.Errorf("stopped while it trained: %s", text)
	}
	p.shot("stopped")
}

func (p *page) stopCompiling(l lab) {
	slow := filepath.Join(l.slow, "slow")
	if err := os.WriteFile(slow, nil, 0o600); err != nil {
		p.Fatal(err)
	}
	at := p.add(strings.Replace(long, "2_000_000", "3_000_000", 1))
	p.start(at)
	for {
		if _, err := os.Stat(filepath.Join(l.slow, "compiling")); err == nil {
			break
		}
		p.until("the page", "true", busy)
	}
	p.do("app.commands.execute('notebook:interrupt-kernel');", nil)
	if text := p.await(at, busy); !strings.Contains(text, "Interrupted.") || strings.Contains(text, "training:") {
		p.Errorf("stopped while it was compiled: %s", text)
	}
	if err := os.Remove(slow); err != nil {
		p.Fatal(err)
	}
}

// makeMistake runs a cell that is wrong: the error says where, and what to do.
func (p *page) makeMistake() {
	p.show("quickstart.ipynb")
	at := p.add("fmt.Println(1)")
	p.start(at)
	if text := p.await(at, busy); !strings.Contains(text, "line 1: expected declaration") || !strings.Contains(text, "below a line with %%") {
		p.Errorf("a cell without %%%%: %s", text)
	}
	p.shot("error")
}

// printMuch prints more than a page can show. The page shows the first lines and names the file.
func (p *page) printMuch(l lab) {
	p.show("quickstart.ipynb")
	begin := time.Now()
	text := p.run("import \"fmt\"\n%%\nfor i := range 100_000 {\n\tfmt.Println(\"line\", i)\n}")
	p.Logf("%5.1f s: compiled, printed and drawn", time.Since(begin).Seconds())
	_, note, _ := strings.Cut(text, "line 1999\n")
	if !strings.Contains(note, "98000 more lines") || strings.Contains(text, "line 2000") {
		p.Errorf("100,000 lines: %q after the last line", note)
	}
	p.shot("printed")
	files, _ := filepath.Glob(filepath.Join(l.out, "lab", "quickstart-output-*.txt"))
	if len(files) != 1 {
		p.Fatalf("files %q, want one with all lines", files)
	}
	if all, err := os.ReadFile(files[0]); err != nil || strings.Count(string(all), "\n") != 100_000 {
		p.Errorf("%s: %d bytes, %v, want all lines", files[0], len(all), err)
	}
}

func (p *page) runTuning() {
	p.show("tuning.ipynb")
	p.runAll()
	const curve = "book.widgets.find(c => c.model.sharedModel.source?.includes('live.Draw'))"
	p.until("a learning curve", curve+"?.model.outputs.toJSON().some(o => o.data?.['image/svg+xml'])", busy)
	p.do("book.scrollToItem(book.widgets.indexOf("+curve+"));", nil)
	var state string
	p.do("return "+curve+".model.executionState;", &state)
	p.Logf("the first learning curve is drawn while the cell is %s", state)
	p.shot("live")
	p.await(-1, busy)
	var figures int
	p.do("return "+curve+".model.outputs.toJSON().length;", &figures)
	if figures != 1 {
		p.Errorf("the cell of learning curves has %d outputs, want one that was redrawn", figures)
	}
	p.noErrors()
	p.shot("tuning")
}

// restartAudit restarts the kernel, which has run a cell, and runs all: what was remembered is
// gone, and not needed.
func (p *page) restartAudit() {
	p.show("audit.ipynb")
	p.clear()
	var first int
	p.do("return book.widgets.indexOf("+code+"[0]);", &first)
	p.start(first)
	p.await(first, busy)
	p.do("app.commands.execute('notebook:restart-run-all');", nil)
	const accept = "document.querySelector('.jp-Dialog .jp-mod-accept')"
	p.until("the question", accept, busy)
	p.do(accept+".click();", nil)
	p.until("all cells, counted anew", code+".every((c, i) => c.model.executionCount === i + 1 && c.model.executionState === 'idle') || "+failed, busy)
	p.noErrors()
	p.shot("audit")
}

// killKernel kills a kernel as a machine short of memory does. JupyterLab says so and starts
// another, which works.
func (p *page) killKernel(l lab) {
	p.show("audit.ipynb")
	var id string
	p.do("return panel.sessionContext.session.kernel.id;", &id)
	killed := l.kernels("kernel-" + id)
	if len(killed) != 1 {
		p.Fatalf("processes of kernel %s: %v, want one", id, killed)
	}
	for pid := range killed {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			p.Fatal(err)
		}
	}
	p.until("word of it", "document.querySelector('.jp-Dialog')?.textContent.includes('died')", busy)
	p.shot("killed")
	p.do("document.querySelector('.jp-Dialog .jp-mod-accept').click();", nil)
	p.until("another kernel", "panel.sessionContext.session?.kernel?.connectionStatus === 'connected'", busy)
	if text := p.run("%%\nfmt.Println(\"here again\")"); !strings.Contains(text, "here again") {
		p.Errorf("after a kernel was killed: %s", text)
	}
	at := p.add("%%\nnetwork()")
	p.start(at)
	if text := p.await(at, busy); !strings.Contains(text, "network is declared in a cell that has not run since the kernel started") {
		p.Errorf("a function of a cell that the new kernel has not run: %s", text)
	}
}
