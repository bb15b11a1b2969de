package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository has packages that import each other: b imports a, c imports b, d imports a in a
// test only, e nothing. A test of e names the testdata folder of a. notebooks/index reads all
// files. Each test prints the name of its package.
func repository(t *testing.T) (root string, git func(args ...string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	t.Setenv("GOWORK", "off")
	root = t.TempDir()
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	write(t, root, "go.mod", "module m\n\ngo 1.24\n")
	write(t, root, "README.md", "A module.\n")
	for folder, imports := range map[string][2]string{"a": {}, "b": {"a"}, "c": {"b"}, "d": {"", "a"}, "e": {}, "notebooks/index": {}} {
		name := filepath.Base(folder)
		write(t, root, folder+"/x.go", "package "+name+"\n"+importOf(imports[0]))
		write(t, root, folder+"/x_test.go", "package "+name+"\n\nimport \"testing\"\n"+importOf(imports[1])+"\nfunc TestX(t *testing.T) { println(\"tested "+name+"\") }\n")
	}
	write(t, root, "e/read_test.go", "package e\n\nconst wanted = \"../a/testdata/wanted.txt\"\n")
	write(t, root, "f/x.go", "package f\n\nimport _ \"m/c\"\n") // has no tests
	write(t, root, "a/testdata/wanted.txt", "1\n")
	write(t, root, ".gitignore", "out\n")
	git("add", ".")
	git("commit", "-q", "-m", "All")
	return root, git
}

func importOf(name string) string {
	if name == "" {
		return ""
	}
	return "\nimport _ \"m/" + name + "\"\n"
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What an edit can break: the packages that import an edited one, through others and in tests too.
// Only tests that name its folder see the edit of a test's data, and nobody that of a test.
func TestAffected(t *testing.T) {
	root, git := repository(t)
	for _, c := range []struct{ file, first, then string }{
		{"a/x.go", "a", "b c d notebooks/index"},
		{"b/new.go", "b", "c notebooks/index"},
		{"c/x.go", "c", "notebooks/index"},
		{"f/x.go", "", "notebooks/index"},
		{"a/x_test.go", "a", "notebooks/index"},
		{"a/testdata/wanted.txt", "a e", "notebooks/index"},
		{"e/testdata/new.txt", "e", "notebooks/index"},
		{"a/page.md", "a", "b c d notebooks/index"},
		{"README.md", "", "notebooks/index"},
		{"notebooks/index/x.go", "notebooks/index", ""},
		{"go.sum", "a b c d e notebooks/index", ""},
		{"out", "", ""},
	} {
		before, readErr := os.ReadFile(filepath.Join(root, c.file))
		text := string(before) + "\n"
		if readErr != nil && strings.HasSuffix(c.file, ".go") {
			text = "package " + filepath.Dir(c.file) + "\n"
		}
		write(t, root, c.file, text)
		first, then := affected(t, root, "")
		if first != c.first || then != c.then {
			t.Errorf("%s: first %q, then %q; want %q, %q", c.file, first, then, c.first, c.then)
		}
		if readErr == nil {
			write(t, root, c.file, string(before))
		} else if err := os.Remove(filepath.Join(root, c.file)); err != nil {
			t.Fatal(err)
		}
	}

	// Commits of a branch count, and what main has since then does not.
	git("checkout", "-q", "-b", "side")
	write(t, root, "b/x.go", "package b\n\nimport _ \"m/a\"\n\nconst B = 1\n")
	git("commit", "-q", "-a", "-m", "B")
	git("checkout", "-q", "main")
	write(t, root, "e/x.go", "package e\n\nconst E = 1\n")
	git("commit", "-q", "-a", "-m", "E")
	git("checkout", "-q", "side")
	if first, then := affected(t, root, ""); first != "b" || then != "c notebooks/index" {
		t.Errorf("a branch: first %q, then %q", first, then)
	}
	if first, _ := affected(t, root, "main"); first != "b e" {
		t.Errorf("since main: first %q", first)
	}
}

func affected(t *testing.T, root, since string) (first, then string) {
	t.Helper()
	m, err := list(root)
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.edited(since)
	if err != nil {
		t.Fatal(err)
	}
	a, b := m.affected(e)
	join := func(folders []string) string {
		slices.Sort(folders)
		return strings.ReplaceAll(strings.Join(folders, " "), "./", "")
	}
	return join(a), join(b)
}

// The edited packages are always taken, then the cheapest of the others while they fit.
func TestChoose(t *testing.T) {
	costs := map[string]float64{"dear": 50, "dearest": 60, "cheap": 1, "cheaper": 0.5, "middle": 5}
	for budget, want := range map[float64]string{0: "dear", 51: "dear", 52.5: "dear cheaper", 55: "dear cheaper cheap", 57.5: "dear cheaper cheap new", 63.5: "dear cheaper cheap new middle", 1000: "dear cheaper cheap new middle dearest"} {
		c := choose([]string{"dear"}, []string{"dearest", "new", "middle", "cheap", "cheaper"}, costs, budget)
		if got := strings.Join(c.run, " "); got != want || len(c.run)+len(c.leftOut) != 6 {
			t.Errorf("budget %g: %s, and %v left out; want %s", budget, got, c.leftOut, want)
		}
	}
}

func TestCosts(t *testing.T) {
	costs, err := parseCosts(strings.NewReader("./a 1.5\n./b 0\n./a 0.5\n"))
	if err != nil || len(costs) != 2 || costs["./a"] != 2 {
		t.Errorf("%v, %v", costs, err)
	}
	for _, line := range []string{"./a", "./a x", "./a -1", "./a NaN"} {
		if _, err := parseCosts(strings.NewReader(line)); err == nil {
			t.Errorf("%q: want an error", line)
		}
	}
}

// The file of costs names packages that there are, and most of those that have tests.
func TestCostsOfThisModule(t *testing.T) {
	root := filepath.Join("..", "..")
	costs, err := readCosts(root)
	if err != nil {
		t.Fatal(err)
	}
	m, err := list(root)
	if err != nil {
		t.Fatal(err)
	}
	known, tested := 0, 0
	for _, p := range m.packages {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			tested++
			if _, ok := costs[m.folder(p)]; ok {
				known++
			}
		}
	}
	if 10*known < 9*tested {
		t.Errorf("%s has %d of %d packages: run go run ./.ci/quick -measure", costFile, known, tested)
	}
	for folder := range costs {
		if m.byFolder[folder] == nil {
			t.Errorf("%s: no package %s", costFile, folder)
		}
	}
}

// A run tests what is chosen, lists what is left out, and fails if a test does.
func TestRun(t *testing.T) {
	root, _ := repository(t)
	write(t, root, costFile, "./a 1\n./b 1\n./c 1000\n./d 1\n./notebooks/index 1\n")
	quick := func(o options) (string, error) {
		var out bytes.Buffer
		if o.budget == 0 {
			o.budget = time.Minute
		}
		err := run(root, o, &out)
		return out.String(), err
	}
	if out, err := quick(options{packages: []string{"./a"}}); err != nil || strings.Count(out, "ok  \tm/") != 3 || !strings.Contains(out, "go test -short -vet=off ./c\n") || !strings.Contains(out, "\n3 of 4 packages in ") {
		t.Errorf("a: %v\n%s", err, out)
	}
	if out, err := quick(options{packages: []string{"a/"}, list: true}); err != nil || strings.Contains(out, "ok") || !strings.Contains(out, ": ./a ./b ./d\n") {
		t.Errorf("the list for a: %v\n%s", err, out)
	}
	if _, err := quick(options{packages: []string{"./a", "./nowhere"}}); err == nil || !strings.Contains(err.Error(), "no package ./nowhere") {
		t.Errorf("a package that is not there: %v", err)
	}
	if _, err := quick(options{since: "nowhere"}); err == nil {
		t.Error("a commit that is not there: want an error")
	}
	write(t, root, "b/broken_test.go", "package b\n\nimport \"testing\"\n\nfunc TestBroken(t *testing.T) { t.Fatal(\"broken\") }\n")
	if out, err := quick(options{packages: []string{"./a"}}); err == nil || !strings.Contains(out, "broken") {
		t.Errorf("a test that fails: %v\n%s", err, out)
	}
}

// book is what go test -exec runs: it keeps the status of the binary, and adds a line.
func TestBook(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	file := filepath.Join(t.TempDir(), "times")
	write(t, filepath.Dir(file), "times", "./a 1\n")
	for script, want := range map[string]int{"exit 0": 0, "exit 3": 3, "kill -9 $$": 255} {
		if got := book(file, []string{"sh", "-c", script}); got != want {
			t.Errorf("%s: status %d, want %d", script, got, want)
		}
	}
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), folder+" 0.0") != 3 {
		t.Errorf("%v\n%s", err, text)
	}
	if got := book(file, []string{filepath.Join(folder, "no such binary")}); got != 1 {
		t.Errorf("no binary: status %d, want 1", got)
	}
}
