// Package planted puts faults into copies of the module's code, and runs the tests that must find
// them on these copies. The code itself has no trace of them.
package planted

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/dplab/dplab/"

// groups are the packages whose tests with the tag "planted" find the faults of each patch. The
// faults are chosen while a test runs, by a variable of the package under test, or by the package
// in folder switches: that folder's planted_test.go is built as if it were no test.
var groups = []struct {
	patch, switches string
	tests           []string
}{
	{"accounting/interval", "", []string{"accounting/interval"}},
	{"accounting/internal/certificate/splitlaw", "", []string{"accounting/internal/certificate/splitlaw"}},
	{"accounting/internal/lattice", "", []string{"accounting/internal/lattice"}},
	{"accounting/selection", "accounting/internal/planted", []string{"accounting/selection"}},
	{"dptune/dpsgd", "dptune/dpsgd/planted", []string{"dptune/dpsgd", "audit/game"}},
}

// TestPlanted checks, in each group, that every change of testdata/planted.patch fits the code in
// one place. Without -short it runs the tests, and each package must have some. Further flags of
// "go test" follow -args --, such as -run Power -power -v. One package must then have some.
func TestPlanted(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		t.Run(g.patch, func(t *testing.T) {
			replace := patched(t, root, filepath.Join(root, g.patch, "testdata/planted.patch"), g.switches)
			if testing.Short() {
				return
			}
			if g.switches != "" {
				folder := filepath.Join(root, g.switches)
				replace[filepath.Join(folder, "planted.go")] = filepath.Join(folder, "planted_test.go")
			}
			overlay := filepath.Join(t.TempDir(), "overlay.json")
			text, err := json.Marshal(map[string]any{"Replace": replace})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(overlay, text, 0o666); err != nil {
				t.Fatal(err)
			}
			args := []string{"test", "-tags", "planted", "-overlay", overlay, "-run", "Planted"}
			for _, folder := range g.tests {
				args = append(args, "./"+folder)
			}
			run := exec.Command("go", append(args, flag.Args()...)...)
			run.Dir = root
			out, err := run.CombinedOutput()
			least := len(g.tests)
			if len(flag.Args()) > 0 {
				least = 1
			}
			if n := tested(string(out)); err != nil || n < least {
				t.Errorf("%v, and %d packages had tests, want %d\n%s", err, n, least, out)
			}
			t.Logf("%s", out)
		})
	}
}

// tested counts the packages that passed and had tests, in the output of "go test".
func tested(out string) (n int) {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "ok") && !strings.Contains(line, "[no tests to run]") {
			n++
		}
	}
	return n
}

func TestTested(t *testing.T) {
	const none, one = "testing: warning: no tests to run\nPASS\nok  \ta/b\t0.004s [no tests to run]\n", "ok  \ta/c\t0.01s\n"
	const silent = "?   \ta/d\t[no test files]\n"
	for out, want := range map[string]int{none: 0, one + none: 1, one + one: 2, silent: 0} {
		if n := tested(out); n != want {
			t.Errorf("%q: %d packages had tests, want %d", out, n, want)
		}
	}
}

// patched writes the files that a patch changes into a folder, and returns their names there. A
// patch has lines "--- FILE", lines "@@" before each change of that file, and the lines of the
// change: those of the code begin with a space or, if they go, with "-", and new ones with "+".
func patched(t *testing.T, root, patch, switches string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(patch)
	if err != nil {
		t.Fatal(err)
	}
	replace, folder := map[string]string{}, t.TempDir()
	for i, file := range strings.Split("\n"+string(text), "\n--- ")[1:] {
		changes := strings.Split(file, "\n@@\n")
		name := filepath.Join(root, changes[0])
		code, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		spoiled := string(code)
		for _, change := range changes[1:] {
			var old, now strings.Builder
			for line := range strings.Lines(strings.TrimSuffix(change, "\n") + "\n") {
				if line[0] != '+' {
					old.WriteString(line[1:])
				}
				if line[0] != '-' {
					now.WriteString(line[1:])
				}
			}
			if n := strings.Count(spoiled, old.String()); n != 1 {
				t.Errorf("%s: %s has this %d times, want it once:\n%s", patch, changes[0], n, old.String())
			}
			spoiled = strings.Replace(spoiled, old.String(), now.String(), 1)
		}
		if strings.Contains(spoiled, "planted.") && switches != "" {
			spoiled = regexp.MustCompile(`(?m)^package \w+`).ReplaceAllString(spoiled, fmt.Sprintf("${0}; import %q", module+switches))
		}
		replace[name] = filepath.Join(folder, fmt.Sprint(i, ".go"))
		if err := os.WriteFile(replace[name], []byte(spoiled), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return replace
}
