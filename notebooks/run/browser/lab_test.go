package browser

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const busy = 15 * time.Minute // longest time for one thing, on a machine that is busy: -timeout is for them all

// startLab starts -lab on a copy of the quickstart and returns its address.
func startLab(t *testing.T, ctx context.Context) (url string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(root, "notebooks", "out", "browser")
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	runner := filepath.Join(t.TempDir(), "run")
	build := exec.CommandContext(ctx, "go", "build", "-o", runner, "./notebooks/run")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("%d", l.Addr().(*net.TCPAddr).Port)
	l.Close()
	log, err := os.Create(filepath.Join(t.TempDir(), "lab.log"))
	if err != nil {
		t.Fatal(err)
	}
	lab := exec.Command(runner, "-lab", "-out", out, "quickstart", "--", "--no-browser", "--allow-root", "--expose-app-in-browser", "--port="+at, "--port-retries=0", "--IdentityProvider.token=browser")
	lab.Dir, lab.Stdout, lab.Stderr = root, log, log
	if err := lab.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = lab.Process.Signal(syscall.SIGTERM)
		_ = lab.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil {
			t.Logf("-lab said:\n%s", text)
		}
		log.Close()
		if left := kernels(t, runner); left != "" {
			t.Errorf("kernels are left after the end of -lab:\n%s", left)
		}
	})
	url = "http://127.0.0.1:" + at + "/lab/tree/quickstart.ipynb?token=browser&reset"
	for ctx.Err() == nil {
		if answer, err := http.Get("http://127.0.0.1:" + at + "/api?token=browser"); err == nil {
			answer.Body.Close()
			return url
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("JupyterLab does not answer")
	return
}

// kernels lists the processes that run the runner's program.
func kernels(t *testing.T, runner string) (found string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is right; without /proc there is nothing to see
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(data), runner) {
			found += strings.ReplaceAll(string(data), "\x00", " ") + "\n"
		}
	}
	return found
}

// The cells that a user adds.
const (
	long = `%%
run := training()
run.Steps = 2_000_000
train, _, _ := images()
track, plan := show.Track("training"), run.Plan()
plan.Progress = func(p dpsgd.Progress) { track(p.Step, p.Steps) }
trainer := show.Must(dpsgd.NewTrainer(model, train, plan, dpsgd.Performance{}))
show.Must(trainer.Run(ctx, root.Child("long")))`
)

// A user in JupyterLab: all cells, Stop while a cell trains and while it compiles, an error.
func TestLab(t *testing.T) {
	chromium := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && chromium == "" {
			chromium = path
		}
	}
	if chromium == "" {
		t.Skip("no Chromium in PATH")
	}
	if _, err := exec.LookPath("jupyter-lab"); err != nil {
		t.Skip("no jupyter-lab in PATH")
	}
	ctx := t.Context()
	begin := time.Now()
	step := func(format string, args ...any) {
		t.Logf("%5.1f s: %s", time.Since(begin).Seconds(), fmt.Sprintf(format, args...))
	}
	url := startLab(t, ctx)
	step("JupyterLab answers")
	p := open(t, ctx, chromium, url)
	p.until("the notebook", "book?.widgets?.length > 5 && panel.sessionContext.session?.kernel?.connectionStatus === 'connected'", busy)
	step("the notebook is open")
	p.shot("open")

	// All cells. The first one is no setup. What is stored is cleared before: it has figures and numbers too.
	p.do("await app.commands.execute('notebook:clear-all-cell-outputs');", nil)
	p.until("empty outputs", "book.widgets.every(c => !c.model.outputs?.length && !c.model.executionCount)", busy)
	p.do("app.commands.execute('notebook:run-all-cells');", nil)
	p.until("the first figure", "book.widgets.some(c => c.model.outputs?.toJSON().some(o => o.data?.['image/png']))", busy)
	step("the first figure")
	p.shot("figure")
	if text := p.await(-1, busy); strings.Contains(text, "\x1b[31m") || !strings.Contains(text, "ε") {
		t.Errorf("all cells: %s", text)
	}
	step("all cells have run")
	p.shot("all")

	// Stop, while a cell trains and while it compiles.
	training := p.add(long)
	p.start(training)
	p.until("progress", fmt.Sprintf("book.widgets[%d].outputArea.node.querySelector('progress')", training), busy)
	p.shot("training")
	stopped := time.Now()
	p.do("app.commands.execute('notebook:interrupt-kernel');", nil)
	if text := p.await(training, busy); !strings.Contains(text, "Interrupted.") {
		t.Errorf("stopped while it trained: %s", text)
	}
	step("stopped a training within %.1f s", time.Since(stopped).Seconds())
	p.shot("stopped")
	compiling := p.add(strings.Replace(long, "2_000_000", "3_000_000", 1))
	p.start(compiling)
	time.Sleep(200 * time.Millisecond)
	stopped = time.Now()
	p.do("app.commands.execute('notebook:interrupt-kernel');", nil)
	if text := p.await(compiling, busy); !strings.Contains(text, "Interrupted.") || strings.Contains(text, "training:") {
		t.Errorf("stopped while it was compiled: %s", text)
	}
	step("stopped a cell that compiles within %.1f s", time.Since(stopped).Seconds())

	// An error says where it is, and what to do.
	wrong := p.add("fmt.Println(1)")
	p.start(wrong)
	if text := p.await(wrong, busy); !strings.Contains(text, "line 1: expected declaration") || !strings.Contains(text, "below a line with %%") {
		t.Errorf("a cell without %%%%: %s", text)
	}
	step("an error")
	p.shot("error")
	p.tellTrouble()
}
