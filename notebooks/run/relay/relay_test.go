package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// lab plays JupyterLab: a client behind whose connection a relay and a real kernel work.
type lab struct {
	*jupyter.Client
	relay  *relay
	served chan error
}

// waits returns when so many cells wait behind the one that runs.
func (l *lab) waits(t *testing.T, cells int) {
	t.Helper()
	until(t, fmt.Sprint(cells, " cells wait"), func() bool {
		l.relay.mu.Lock()
		defer l.relay.mu.Unlock()
		return len(l.relay.waiting) == cells
	})
}

// slowGo is a go command that compiles for a minute where a file "slow" lies in the folder $SLOW,
// and leaves "compiling" there.
const slowGo = `#!/bin/sh
if [ "$1" = build ] && [ -e "$SLOW/slow" ]; then
	: > "$SLOW/compiling"
	sleep 60
fi
exec "$REAL_GO" "$@"
`

func start(t *testing.T) (l *lab, k *kernel.Kernel, slow string) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs a real kernel: not with -short")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache folder: ", err)
	}
	goTool, err := toolchain.Locate(t.Context(), ".", kernel.Environ(os.Environ(), ""))
	if err != nil {
		t.Fatal(err)
	}
	tools, ok, err := toolchain.Find(toolchain.Kernel, "../../..", filepath.Join(cache, "dplab"), goTool)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Skip("the notebook kernel is not built yet: go run ./notebooks/run builds it")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	temp, slow := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(slow, "go"), []byte(slowGo), 0o755); err != nil {
		t.Fatal(err)
	}
	env := kernel.Environ(os.Environ(), tools.Dir, append([]string{"SLOW=" + slow, "REAL_GO=" + goTool.Path, "CGO_ENABLED=0"}, kernel.Offline...)...)
	for i, entry := range env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			env[i] = "PATH=" + slow + string(os.PathListSeparator) + path
		}
	}
	k, err = kernel.Start(t.Context(), kernel.Config{Command: []string{tools.GoNB, "-raw_error", "--kernel"}, Dir: t.TempDir(), Env: env, Temp: temp})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Stop)
	if err := k.MakeWorkspace(t.Context(), root, env); err != nil {
		t.Fatal(err)
	}
	saved := Notebook{Root: root, Path: filepath.Join(temp, "saved.ipynb")}
	if err := (&nbformat.Notebook{Cells: []*nbformat.Cell{nbformat.NewCode("half", "func half(x float64) float64 { return x / 2 }")}}).WriteFile(saved.Path); err != nil {
		t.Fatal(err)
	}
	for range 3 { // a port that was free may be taken by now
		if l, err = open(t, k, saved); err == nil {
			return l, k, slow
		}
	}
	t.Fatal(err)
	return nil, nil, ""
}

// open puts a relay before the kernel and a client before the relay.
func open(t *testing.T, k *kernel.Kernel, saved Notebook) (*lab, error) {
	conn, err := jupyter.NewConnection()
	if err != nil {
		return nil, err
	}
	l := &lab{relay: &relay{kernel: k, notebook: saved, sources: map[int]string{}}, served: make(chan error, 1)}
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		err := l.relay.serve(ctx, conn)
		cancel(err) // nobody listens any more
		l.served <- err
	}()
	if l.Client, err = jupyter.Dial(ctx, conn); err != nil {
		return nil, err
	}
	t.Cleanup(l.Close)
	return l, l.Ready(ctx)
}

// shown is what a cell showed.
type shown struct {
	jupyter.Reply
	text string // streams and errors, in order
}

func (l *lab) run(t *testing.T, code string) shown {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var mu sync.Mutex
	var s shown
	reply, err := l.Execute(ctx, code, true, func(m jupyter.Message) {
		var content struct {
			Text      string
			Traceback []string
		}
		_ = json.Unmarshal(m.Content, &content)
		mu.Lock()
		defer mu.Unlock()
		s.text += content.Text + strings.Join(content.Traceback, "\n")
	})
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	mu.Lock()
	defer mu.Unlock()
	s.Reply = reply
	return s
}

// The first cell may import the repository's packages: there is no setup. Errors say cell, line,
// source and what to do.
func TestCells(t *testing.T) {
	l, _, _ := start(t)
	ours := `import (
	"fmt"

	"github.com/dplab/dplab/accounting"
)
%%
g := accounting.Gaussian{NoiseMultiplier: 2}
fmt.Println(g)`
	tests := []struct {
		code, status string
		want         []string
		not          string
	}{
		{ours, "ok", []string{"Gaussian(σ=2)\n"}, "exit"},
		{"%%\nfmt.Println(1)\nfmt.Println(nothing)", "error", []string{"cell [2], line 3: undefined: nothing", "    fmt.Println(nothing)"}, "gonb"},
		{"%%\nfmt.Println(g)", "error", []string{"cell [3], line 2: undefined: g", "g was made below %% of an earlier cell"}, "gonb"},
		{"fmt.Println(1)", "error", []string{"cell [4], line 1: expected declaration, found fmt", "put statements below a line with %%"}, ""},
		{"func at(s []int) int {\n\treturn s[3]\n}", "ok", nil, "exit"},
		{"%%\nfmt.Println(\"before\")\nat(nil)", "error", []string{"before\n", "cell [6], line 3: panic: runtime error: index out of range", "    at(nil)"}, "exit status"},
		{"import \"example.com/none\"\n%%\nnone.F()", "error", []string{"example.com/none", "a cell fetches no packages"}, "to add it"},
		{"%%\nfmt.Println(accounting.Gaussian{Sigma: 2})", "error", []string{"cell [8], line 2: unknown field Sigma", "accounting.Gaussian has no field Sigma", "the notebook is older than the checkout"}, ""},
		{"%%\n1+1\nfmt.Println(3)", "error", []string{"cell [9], line 2: 1 + 1 (untyped int constant 2) is not used", "print or show it"}, ""},
		{"%%\nfmt.Println(half(3))", "error", []string{"undefined: half", "half is declared in a cell that has not run since the kernel started"}, "mean"},
		{"%%\nart(nil)", "error", []string{"undefined: art", "did you mean at?"}, ""},
		{"%%\nfmt.Println(law.Posson{})", "error", []string{"undefined: law", "law has no name Posson: did you mean law.Poisson?"}, ""},
		{"%%\nfmt.Println(law.Poisson{Mean: 8})", "error", []string{"unknown field Mean", "did you mean MeanRepeats?"}, ""},
		{"%%\nx := 1\nx + 1", "ok", []string{"2\n"}, ""},
		{"%%\nfor i := range 5000 {\n\tfmt.Println(\"line\", i)\n}", "ok", []string{"line 1999\n… the page shows no more; all of it goes to saved-output-15.txt, next to this notebook\n… 3000 more lines; saved-output-15.txt has all\n"}, "line 2000"},
		{"%%\nfor i := range 5000 {\n\tfmt.Println(\"line\", i)\n}\nos.Exit(3)", "error", []string{"more lines; saved-output-16.txt has all\n\x1b[31mcell [16]"}, "line 2000"},
		{"2 * 21", "ok", []string{"42\n"}, ""},
		{"%%\nfor i in range(3):\n    fmt.Println(i)", "error", []string{"cell [18], line 2: expected '{', found in", "write for i := range 3 { ... }"}, ""},
	}
	for _, test := range tests {
		got := l.run(t, test.code)
		if got.Status != test.status || test.not != "" && strings.Contains(got.text, test.not) {
			t.Errorf("%s: %s, %q, want %s and no %q", test.code, got.Status, got.text, test.status, test.not)
		}
		for _, want := range test.want {
			if !strings.Contains(got.text, want) {
				t.Errorf("%s: %q, want %q in it", test.code, got.text, want)
			}
		}
	}
}

// Stop ends a cell that compiles, and one that runs; the cells that wait are given back, and the
// next one runs.
func TestStop(t *testing.T) {
	if !kernel.CanStop {
		t.Skip("not on this system")
	}
	l, _, slow := start(t)
	const sleeps = "import (\n\t\"os\"\n\t\"time\"\n)\n%%\nos.WriteFile(os.Getenv(\"SLOW\")+\"/running\", nil, 0o600)\ntime.Sleep(time.Hour)"
	for _, sign := range []string{"compiling", "running"} {
		mark := filepath.Join(slow, "slow")
		if sign == "compiling" {
			if err := os.WriteFile(mark, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var cells sync.WaitGroup
		var first shown
		var waiting [2]shown
		cells.Go(func() { first = l.run(t, sleeps) })
		await(t, filepath.Join(slow, sign))
		for i := range waiting {
			cells.Go(func() {
				waiting[i] = l.run(t, "import \"os\"\n%%\nos.WriteFile(os.Getenv(\"SLOW\")+\"/wrong\", nil, 0o600)")
			})
		}
		l.waits(t, len(waiting))
		if err := l.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		cells.Wait()
		if first.Status != "error" || first.ErrorName != "Interrupted" || !strings.HasSuffix(first.text, "Interrupted.") {
			t.Errorf("stopped while %s: %+v", sign, first)
		}
		for _, w := range waiting {
			if w.Status != "aborted" {
				t.Errorf("stopped while %s: a waiting cell has %+v", sign, w)
			}
		}
		_ = os.Remove(mark)
	}
	if _, err := os.Stat(filepath.Join(slow, "wrong")); err == nil {
		t.Error("a cell behind the stopped one has run")
	}
	if got := l.run(t, "import \"fmt\"\n%%\nfmt.Println(5)"); got.Status != "ok" || got.text != "5\n" {
		t.Errorf("the next cell: %+v", got)
	}
	if err := l.Interrupt(t.Context()); err != nil { // nothing runs: nothing happens to the next cell
		t.Fatal(err)
	}
	if got := l.run(t, "%%\nfmt.Println(6)"); got.Status != "ok" || got.text != "6\n" {
		t.Errorf("after a Stop of nothing: %+v", got)
	}
}

// A cell that fails gives those behind it back, in their order.
func TestFailureEndsTheRun(t *testing.T) {
	l, _, slow := start(t)
	codes := []string{
		"import (\n\t\"os\"\n\t\"time\"\n)\n%%\nos.WriteFile(os.Getenv(\"SLOW\")+\"/running\", nil, 0o600)\nfor {\n\tif _, err := os.Stat(os.Getenv(\"SLOW\") + \"/go on\"); err == nil {\n\t\tos.Exit(3)\n\t}\n\ttime.Sleep(time.Millisecond)\n}",
		"%%\nos.Exit(0)", "%%\nos.Exit(0)",
	}
	got := make([]string, len(codes))
	var cells sync.WaitGroup
	for i, code := range codes {
		cells.Go(func() { got[i] = l.run(t, code).Status })
		if i == 0 {
			await(t, filepath.Join(slow, "running"))
		}
		l.waits(t, i)
	}
	if err := os.WriteFile(filepath.Join(slow, "go on"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cells.Wait()
	if want := []string{"error", "aborted", "aborted"}; !slices.Equal(got, want) {
		t.Errorf("cells are %q, want %q", got, want)
	}
}

// A stopped cell that waited for input has a hint, and another has none.
func TestStoppedWhileReading(t *testing.T) {
	for code, want := range map[string]bool{"%%\nvar x int\nfmt.Scanln(&x)": true, "%%\nfor {\n}": false} {
		m := jupyter.Message{Content: []byte(`{"traceback": ["signal: interrupt"], "evalue": "signal: interrupt"}`)}
		c := &cell{code: code, stopped: true}
		c.rewrite(&m, nil, Notebook{})
		if got := string(m.Content); strings.Contains(got, "a cell that reads input") != want || !strings.Contains(got, "Interrupted.") {
			t.Errorf("%q: %s", code, got)
		}
	}
}

// A shutdown ends kernel and relay; a kernel that ends by itself is an error.
func TestEnd(t *testing.T) {
	l, k, _ := start(t)
	if err := l.Shutdown(); err != nil {
		t.Fatal(err)
	}
	if err := <-l.served; err != nil {
		t.Errorf("shut down: %v", err)
	}
	select {
	case <-k.Ended():
	default:
		t.Error("the kernel runs on")
	}
	l, k, _ = start(t)
	k.Kill()
	if err := <-l.served; err == nil || !strings.Contains(err.Error(), "ended by itself") {
		t.Errorf("killed: error %v", err)
	}
}

func await(t *testing.T, path string) {
	t.Helper()
	until(t, path, func() bool { _, err := os.Stat(path); return err == nil })
}

// until waits for something, minutes if it must be: a busy machine is no fault.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 30000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("not within five minutes: %s", what)
}
