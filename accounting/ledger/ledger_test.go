package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// childOf is the ledger that this program appends to until nothing fits, if it is set.
const childOf = "LEDGER_TEST_CHILD"

func TestMain(m *testing.M) {
	path := os.Getenv(childOf)
	if path == "" {
		os.Exit(m.Run())
	}
	for i := 0; ; i++ {
		_, err := Add(path, release(fmt.Sprintf("%d of %d", i, os.Getpid())), false)
		if errors.Is(err, ErrOver) {
			os.Exit(0)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// release takes 1/50 of the constant of most.
func release(note string) Release {
	return Release{Date: "2026-11-29", Note: note, Delta: 1e-5, Event: accounting.Gaussian{NoiseMultiplier: 10}}
}

const most = 50

// made returns a new file into which most releases fit, with some of them.
func made(t *testing.T, count int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "releases.ledger")
	h := Head{Data: "data", Neighboring: accounting.AddOrRemoveOne, Budget: accounting.Target{Epsilon: 4, Delta: 1e-5}, Filter: Gaussian, Constant: 10 / 7.1}
	if err := New(path, h); err != nil {
		t.Fatal(err)
	}
	for i := range count {
		if _, err := Add(path, release(fmt.Sprint(i)), false); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func text(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Processes that append at once lose nothing, and together take no more than the constant. Those
// that are killed leave a file to which others append.
func TestProcesses(t *testing.T) {
	path := made(t, 0)
	var children []*exec.Cmd
	start := func() *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env, c.Stderr = append(os.Environ(), childOf+"="+path), os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for range 4 { // each is stopped wherever it is after another release
		c := start()
		for before := len(text(t, path)); len(text(t, path)) == before && before < 5000; {
		}
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	for range 4 {
		children = append(children, start())
	}
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if share, err := l.Share(); len(l.Releases) != most || share > 1 || err != nil || len(l.Torn) > 0 {
		t.Errorf("%d releases, %g of the constant, %v, torn %q", len(l.Releases), share, err, l.Torn)
	}
	seen := map[string]bool{}
	for _, r := range l.Releases {
		if seen[r.Note] {
			t.Errorf("%s is there twice", r.Note)
		}
		seen[r.Note] = true
	}
}

// An append may stop after any byte. The lines before it stay, and the next append repairs the end.
func TestTornAppends(t *testing.T) {
	path := made(t, 2)
	before := text(t, path)
	if _, err := Add(path, release("cut off"), false); err != nil {
		t.Fatal(err)
	}
	after := text(t, path)
	if !bytes.HasPrefix(after, before) {
		t.Fatal("a line was changed")
	}
	for cut := len(before); cut <= len(after); cut++ {
		put(t, path, after[:cut])
		l, err := Open(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		want := 2
		if cut >= len(after)-1 { // the whole line, perhaps without its end
			want = 3
		}
		if len(l.Releases) != want || want == 2 && !bytes.Equal(l.Torn, after[len(before):cut]) {
			t.Errorf("cut at %d: %d releases, torn %q", cut, len(l.Releases), l.Torn)
		}
		if _, err := Add(path, release("next"), false); err != nil {
			t.Fatal(err)
		}
		if l, err = Open(path); err != nil || len(l.Releases) != want+1 || len(l.Torn) > 0 || !bytes.HasPrefix(text(t, path), before) {
			t.Errorf("cut at %d, then added: %v, %v", cut, l, err)
		}
	}
}

// Every changed byte is seen, and every line that is missing, added, exchanged or of another file.
func TestEditsAreSeen(t *testing.T) {
	path := made(t, 3)
	good := text(t, path)
	refused := func(what string, text []byte) {
		t.Helper()
		put(t, path, text)
		if _, err := Open(path); err == nil {
			t.Errorf("%s was not seen", what)
		}
		if _, err := Add(path, release("more"), true); err == nil || !bytes.Equal(text, readAgain(path)) {
			t.Errorf("%s: added to it, %v", what, err)
		}
	}
	for i := range good[:len(good)-1] {
		bad := bytes.Clone(good)
		if bad[i] ^= 1; bad[i] == '\n' || good[i] == '\n' {
			continue
		}
		refused(fmt.Sprintf("byte %d", i), bad)
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	refused("a removed line", join(lines[0], lines[2], lines[3]))
	refused("exchanged lines", join(lines[0], lines[2], lines[1], lines[3]))
	refused("a doubled line", join(lines[0], lines[1], lines[1]))
	refused("an empty line", join(lines[0], []byte("\n"), lines[1]))
	refused("ends of Windows", bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n")))
	other := made(t, 0)
	if _, err := Add(other, Release{Date: "2026-11-28", Delta: 1e-5, Event: accounting.Gaussian{NoiseMultiplier: 9}}, false); err != nil {
		t.Fatal(err)
	}
	refused("a line of another file", join(lines[0], lines[1], bytes.SplitAfter(text(t, other), []byte("\n"))[1]))
	put(t, path, join(lines[0], bytes.Replace(lines[1], []byte(`:10}`), []byte(`:90}`), 1), lines[2]))
	if _, err := Open(path); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("an edit: %v", err)
	}
	put(t, path, good)
	if l, err := Open(path); err != nil || len(l.Releases) != 3 {
		t.Errorf("the file as it was: %v", err)
	}
}

func readAgain(path string) []byte {
	text, _ := os.ReadFile(path)
	return text
}

// Files that are not a ledger of this version, and releases that no file takes.
func TestBadFilesAndReleases(t *testing.T) {
	path := made(t, 1)
	line := func(before string, fields ...any) []byte {
		line, err := sealed(before, fields...)
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	start := func(more ...any) []byte {
		return line("", append([]any{"ledger", 1, "data", "x", "neighboring", "replace-one", "delta", 1e-5}, more...)...)
	}
	fixed := start("epsilon", 1, "plan", "fixed", "filter", "", "constant", 0, "order", 0, "failure", 0)
	sum := string(fixed[len(fixed)-67 : len(fixed)-3])
	for want, text := range map[string][]byte{
		"no whole first line":           {},
		"must have a field":             []byte("{\"events\":[]}\n"),
		"ledger 2: is of another":       line("", "ledger", 2, "data", "x"),
		"fixed without a filter":        start("epsilon", 1, "plan", "adaptive", "filter", "", "constant", 0, "order", 0, "failure", 0),
		"more: is not a field":          start("more", 1),
		"Epsilon -1":                    start("epsilon", -1, "plan", "fixed", "filter", "", "constant", 0, "order", 0, "failure", 0),
		"with the filter renyi only":    start("epsilon", 1, "plan", "adaptive", "filter", "renyi", "constant", 1, "order", 0, "failure", 0),
		"with the filter zcdp only":     start("epsilon", 1, "plan", "adaptive", "filter", "gaussian", "constant", 1, "order", 0, "failure", 0.1),
		"must be renyi, gaussian or":    start("epsilon", 1, "plan", "adaptive", "filter", "pld", "constant", 1, "order", 0, "failure", 0),
		"Gaussian.NoiseMultiplier 0":    start("epsilon", 1, "plan", "adaptive", "filter", "gaussian", "constant", 0, "order", 0, "failure", 0),
		"must be replace-one, that of":  append(bytes.Clone(fixed), line(sum, "date", "2026-11-29", "note", "", "neighboring", "add-or-remove-one", "delta", 1e-5, "event", map[string]any{"type": "laplace", "noise_multiplier": 2})...),
		"line 2: eventjson: event.type": append(bytes.Clone(fixed), line(sum, "date", "2026-11-29", "note", "", "neighboring", "replace-one", "delta", 1e-5, "event", map[string]any{"type": "magic"})...),
	} {
		put(t, path, text)
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	path = made(t, 1)
	for want, r := range map[string]Release{
		`date "29.11.2026": must be a day`: {Date: "29.11.2026", Delta: 1e-5, Event: accounting.Gaussian{NoiseMultiplier: 10}},
		"delta 0: must be in (0, 1)":       {Date: "2026-11-29", Event: accounting.Gaussian{NoiseMultiplier: 10}},
		"must be an event":                 {Date: "2026-11-29", Delta: 1e-5},
		"NoiseMultiplier 0":                {Date: "2026-11-29", Delta: 1e-5, Event: accounting.Gaussian{}},
		"note":                             {Date: "2026-11-29", Note: "\xff", Delta: 1e-5, Event: accounting.Gaussian{NoiseMultiplier: 10}},
	} {
		if _, err := Add(path, r, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", r, err, want)
		}
	}
	if err := New(path, Head{}); err == nil || !strings.Contains(err.Error(), "data \"\": must be") {
		t.Errorf("an empty head: %v", err)
	}
	l, _ := Open(path)
	if err := New(path, l.Head); !errors.Is(err, os.ErrExist) {
		t.Errorf("a file over a file: %v", err)
	}
	if _, err := Add(filepath.Join(t.TempDir(), "none"), release(""), false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, c := range []struct {
		filter Filter
		order  float64
		want   string
	}{{"pld", 0, "must be renyi, gaussian or zcdp"}, {Gaussian, 3, "with the filter renyi only"}, {Renyi, 1, "Orders[0] 1: must be > 1"}, {Renyi, 2, "no constant fits"}} {
		if _, err := NewHead("data", accounting.AddOrRemoveOne, accounting.Target{Epsilon: 1e-9, Delta: 1e-12}, c.filter, c.order); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A release that does not fit is not kept, unless it is out. Then the filter promises nothing more.
func TestOverTheBudget(t *testing.T) {
	path := made(t, 1)
	big := release("big")
	big.Event = accounting.Gaussian{NoiseMultiplier: 1}
	before := text(t, path)
	if _, err := Add(path, big, false); !errors.Is(err, ErrOver) || !bytes.Equal(before, text(t, path)) {
		t.Fatalf("error %v", err)
	}
	if _, err := Add(path, big, true); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path)
	if err != nil || l.Event() != (accounting.NonPrivate{}) || len(l.Releases) != 2 {
		t.Errorf("%v costs %v, %v", l, l.Event(), err)
	}
	if _, err := Add(path, release("small"), false); !errors.Is(err, ErrOver) {
		t.Errorf("after it: %v", err)
	}
	// A fixed plan is priced beyond its budget.
	fixed := filepath.Join(t.TempDir(), "fixed")
	h, err := NewHead("data", accounting.ReplaceOne, accounting.Target{Epsilon: 0.1, Delta: 1e-5}, Fixed, 0)
	if err := errors.Join(err, New(fixed, h)); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(fixed, big, false); !errors.Is(err, ErrOver) {
		t.Errorf("fixed: %v", err)
	}
	for range 2 {
		if _, err := Add(fixed, big, true); err != nil {
			t.Fatal(err)
		}
	}
	if l, err = Open(fixed); err != nil || fmt.Sprint(l.Event()) != "Composed(Gaussian(σ=1), Gaussian(σ=1))" || l.Neighboring != accounting.ReplaceOne {
		t.Errorf("%v, %v", l.Event(), err)
	}
}

// Any text is a ledger or an error, and what is read is written as it was.
func FuzzRead(f *testing.F) {
	h := Head{Data: "data", Neighboring: accounting.AddOrRemoveOne, Budget: accounting.Target{Epsilon: 4, Delta: 1e-5}}
	first, err := h.line()
	if err != nil {
		f.Fatal(err)
	}
	l, err := read(first)
	if err != nil {
		f.Fatal(err)
	}
	second, err := h.lineOf(release("note"), l.Sum)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(bytes.Clone(first), second...))
	f.Add(first[:len(first)-1])
	f.Add([]byte("{\"ledger\":1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := read(text)
		if err != nil {
			return
		}
		if l.whole+len(l.Torn) != len(text) || l.validate() != nil {
			t.Errorf("%d whole bytes and %q torn of %q", l.whole, l.Torn, text)
		}
	})
}
