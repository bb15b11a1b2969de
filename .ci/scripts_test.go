// Package ci has the tests of the scripts in this folder.
package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script runs one of this folder's scripts on the repository in root, and returns what it prints
// and whether it succeeds.
func script(t *testing.T, root, name string, env []string, args ...string) (string, bool) {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), append(env, "DPLAB_REPOSITORY="+root)...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// repository returns a folder with a git repository of one commit, and a function that runs git
// there.
func repository(t *testing.T) (root string, git func(args ...string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	root = t.TempDir()
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "This first commit is older than the rule, and long enough to break it if it were not.")
	return root, git
}

func TestCommits(t *testing.T) {
	const body = "\n\nIt was wrong at q = 1."
	for name, c := range map[string]struct {
		message, fault string
	}{
		"right":                         {"auto: reject subnormal eta" + body, ""},
		"right, two packages":           {"auto, rdp: reject subnormal eta" + body, ""},
		"right, no package":             {"Process stored events once" + body, ""},
		"right, ends like a past":       {"streams: seed each lane by its label" + body, ""},
		"72 characters":                 {"auto: reject " + strings.Repeat("ε", 72-len("auto: reject ")) + body, ""},
		"73 characters":                 {"auto: reject " + strings.Repeat("ε", 73-len("auto: reject ")) + body, "more than 72 characters"},
		"past":                          {"auto: rejected subnormal eta" + body, `not "rejected"`},
		"third person":                  {"auto: rejects subnormal eta" + body, `not "rejects"`},
		"gerund":                        {"auto: Rejecting subnormal eta" + body, `not "rejecting"`},
		"no verb":                       {"auto: 3 values" + body, `not ""`},
		"period":                        {"auto: reject subnormal eta." + body, "period"},
		"no body":                       {"auto: reject subnormal eta", "no body"},
		"a subject that runs on":        {"auto: reject subnormal\neta" + body, "second line"},
		"two faults, of which one here": {"auto: rejects subnormal eta", "no body"},
	} {
		root, git := repository(t)
		git("tag", "-a", "-m", "a version", "v0.1.0")
		git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", c.message)
		out, ok := script(t, root, "commits", nil)
		if ok != (c.fault == "") || !strings.Contains(out, c.fault) || ok && !strings.Contains(out, "1 since v0.1.0") {
			t.Errorf("%s: passes %t, %q in\n%s", name, ok, c.fault, out)
		}
	}
}

// A merge is not looked at, and a commit that is in the base neither.
func TestCommitsSinceBase(t *testing.T) {
	root, git := repository(t)
	if out, ok := script(t, root, "commits", nil); !ok || !strings.Contains(out, "SKIP: there is neither") {
		t.Errorf("without a base: passes %t\n%s", ok, out)
	}
	git("checkout", "-q", "-b", "side")
	git("commit", "-q", "--allow-empty", "-m", "data: read float16 of NumPy\n\nFiles of half precision were refused.")
	git("checkout", "-q", "main")
	git("update-ref", "refs/remotes/origin/main", "main")
	git("merge", "-q", "--no-ff", "-m", "Merged.", "side")
	if out, ok := script(t, root, "commits", nil); !ok || !strings.Contains(out, "1 since origin/main") {
		t.Errorf("a merge: passes %t\n%s", ok, out)
	}
	if out, ok := script(t, root, "commits", nil, "main~1"); !ok || !strings.Contains(out, "1 since main~1") {
		t.Errorf("BASE as argument: passes %t\n%s", ok, out)
	}
	shallow := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "-q", "--depth=1", "file://"+root, shallow).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, ok := script(t, shallow, "commits", nil); !ok || !strings.Contains(out, "SKIP: a shallow clone") {
		t.Errorf("a shallow clone: passes %t\n%s", ok, out)
	}
}

// steps writes a .ci/run of the given steps and runs it.
func steps(t *testing.T, text string) (string, bool) {
	t.Helper()
	root := t.TempDir()
	source, err := os.ReadFile("steps")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, ".ci/steps"), string(source))
	write(t, filepath.Join(root, ".ci/run"), "#!/usr/bin/env bash\nset -euo pipefail\n"+text)
	cmd := exec.Command("bash", ".ci/run")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "STEP_POLL=0.05")
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

const dispatch = `
source .ci/steps
if [ $# -gt 0 ]; then "step_$1"; exit; fi
`

func TestSteps(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	const functions = `
step_first() { echo first here; }
step_a() { for i in 1 2 3 4 5; do echo "a $i"; sleep 0.05; done; }
step_b() { for i in 1 2 3 4 5; do echo "b $i"; sleep 0.05; done; touch b.done; }
step_c() { test -e b.done; echo c here; }
step_last() { echo last here; }
step_broken() { echo before; false; echo "after a command that failed"; }
step_slow() { trap 'touch stopped' EXIT; echo begins >slow.begins; sleep 60 & wait; }
step_when_slow() { while [ ! -e slow.begins ]; do sleep 0.02; done; false; }
`
	out, ok := steps(t, functions+dispatch+"in_turn first\nside_by_side a 'b c'\nin_turn last\n")
	if !ok {
		t.Fatalf("fails:\n%s", out)
	}
	for _, want := range []string{"== first (", "a 1\na 2\na 3\na 4\na 5\n", "b 1\nb 2\nb 3\nb 4\nb 5\n", "c here\n"} {
		if strings.Count(out, want) != 1 {
			t.Errorf("%d times %q in\n%s", strings.Count(out, want), want, out)
		}
	}
	if !strings.HasPrefix(out, "\n== first (") || !strings.HasSuffix(out, "last here\n") {
		t.Errorf("order:\n%s", out)
	}

	out, ok = steps(t, functions+dispatch+"side_by_side a 'broken c'\nin_turn last\n")
	if ok || !strings.Contains(out, "before\n") || !strings.Contains(out, "== broken failed") || strings.Contains(out, "after a command") || strings.Contains(out, "last here") || strings.Contains(out, "c here") {
		t.Errorf("a step that fails: passes %t\n%s", ok, out)
	}
	out, ok = steps(t, functions+dispatch+"in_turn broken last\n")
	if ok || !strings.Contains(out, "== broken failed") || strings.Contains(out, "after a command") || strings.Contains(out, "last here") {
		t.Errorf("a step that fails in turn: passes %t\n%s", ok, out)
	}
	// The other step is ended: this test would take a minute otherwise.
	out, ok = steps(t, functions+dispatch+"side_by_side slow when_slow\n")
	if ok || !strings.Contains(out, "== when_slow failed") || strings.Contains(out, "== slow (") {
		t.Errorf("a step next to one that fails: passes %t\n%s", ok, out)
	}
}

// Every step that is defined in .ci/run is in one of its lists, and the tests come last.
func TestNoStepIsLost(t *testing.T) {
	text, err := os.ReadFile("run")
	if err != nil {
		t.Fatal(err)
	}
	_, lists, found := strings.Cut(string(text), "\nin_turn ")
	if !found || !strings.HasSuffix(lists, "\nin_turn tests\n") {
		t.Errorf("the lists of steps must begin with in_turn and end with the tests:\n%s", lists)
	}
	words := strings.Fields(strings.ReplaceAll(lists, `"`, " "))
	count := map[string]int{}
	for _, word := range words {
		count[word]++
	}
	defined := 0
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutSuffix(strings.TrimSpace(line), "() {"); ok && strings.HasPrefix(line, "step_") {
			defined++
			if name = strings.TrimPrefix(name, "step_"); count[name] != 1 {
				t.Errorf("step %s is %d times in the lists, want once", name, count[name])
			}
		}
	}
	if defined < 12 {
		t.Errorf("%d steps", defined)
	}
}

func TestFuzz(t *testing.T) {
	root, _ := repository(t)
	write(t, filepath.Join(root, "go.mod"), "module example.com/m\n\ngo 1.24\n")
	write(t, filepath.Join(root, "plain/plain_test.go"), "package plain\n\nimport \"testing\"\n\nfunc TestPlain(t *testing.T) {}\n")
	const head = "import \"testing\"\n\n"
	write(t, filepath.Join(root, "a/a_test.go"), "package a\n\n"+head+`func FuzzFine(f *testing.F)  { f.Fuzz(func(t *testing.T, n int) {}) }
func FuzzFineToo(f *testing.F) { f.Fuzz(func(t *testing.T, n int) {}) }
`)
	out, ok := script(t, root, "fuzz", nil, "20x")
	if !ok || !strings.Contains(out, "== FuzzFine of example.com/m/a\n") || !strings.Contains(out, "== FuzzFineToo of example.com/m/a\n") || !strings.Contains(out, "2 fuzzers found no fault") {
		t.Errorf("passes %t\n%s", ok, out)
	}
	write(t, filepath.Join(root, "b/b_test.go"), "package b\n\n"+head+"func FuzzBad(f *testing.F) { f.Fuzz(func(t *testing.T, n uint8) { if n != 77 { t.Error(\"bad\") } }) }\n")
	write(t, filepath.Join(root, "c/c_test.go"), "package c\n\n"+head+"func FuzzLast(f *testing.F) { f.Fuzz(func(t *testing.T, n int) {}) }\n")
	out, ok = script(t, root, "fuzz", nil, "1000x")
	if ok || !strings.Contains(out, "1 of 4 fuzzers found a fault: example.com/m/b.FuzzBad") || !strings.Contains(out, "FuzzLast") || !strings.Contains(out, "go test fuzz v1\nbyte(") {
		t.Errorf("passes %t\n%s", ok, out)
	}
	if out, ok := script(t, root, "fuzz", nil, "20x", "./plain"); ok || !strings.Contains(out, "no fuzzer was found") {
		t.Errorf("no fuzzer: passes %t\n%s", ok, out)
	}
}

// govulncheck's statuses and messages, by a stand-in that go install puts into $GOBIN.
func TestVulnerabilities(t *testing.T) {
	for name, c := range map[string]struct {
		install, check string // shell
		ok             bool
		want           string
	}{
		"none":            {"", "echo No vulnerabilities found.", true, "No vulnerabilities found."},
		"one that counts": {"", "echo Vulnerability 1: GO-2026-0001; exit 3", false, "GO-2026-0001"},
		"no database":     {"", `echo 'govulncheck: fetching vulnerabilities: Get "https://vuln.go.dev/index/modules.json.gz": no such host' >&2; exit 1`, true, "SKIP: the database cannot be reached: govulncheck: fetching"},
		"another error":   {"", "echo 'govulncheck: loading packages: undefined: x' >&2; exit 1", false, "undefined: x"},
		"no answer":       {"", "exec sleep 60", true, "SKIP: no answer in 1 s"},
		"no tool":         {"echo 'module lookup disabled' >&2; exit 1", "", true, "SKIP: govulncheck cannot be installed: module lookup disabled"},
		"no answer of go": {"exec sleep 60", "", true, "SKIP: govulncheck cannot be installed"},
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, "bin/go"), "#!/bin/sh\n"+c.install+"\nprintf '%s\\n' '#!/bin/sh' \"$CHECK\" >\"$GOBIN/govulncheck\"\nchmod +x \"$GOBIN/govulncheck\"\n")
		out, ok := script(t, root, "vulnerabilities", []string{"PATH=" + filepath.Join(root, "bin") + ":" + os.Getenv("PATH"), "CHECK=" + c.check, "VULNERABILITIES_LIMIT=1"})
		if ok != c.ok || !strings.Contains(out, c.want) {
			t.Errorf("%s: passes %t, want %t, and %q in\n%s", name, ok, c.ok, c.want, out)
		}
	}
}

// .ci/bench builds prints a ratio for each kind of work, of the build of cells with its setting, or
// skips. A stand-in for go makes programs that write down how they were called.
func TestBenchBuilds(t *testing.T) {
	root, _ := repository(t)
	bin, vectors, none := filepath.Join(t.TempDir(), "bin"), filepath.Join(root, "vectors"), filepath.Join(root, "none")
	write(t, vectors, "flags\t\t: fma avx2\n")
	write(t, none, "flags\t\t: fma avx\n")
	write(t, filepath.Join(bin, "go"), `#!/bin/sh
[ "$1" = test ] || exit 0
cat >"$4" <<'END'
#!/bin/bash
echo "$0 $GODEBUG $*" >>"$LOG"
echo "$SHOWN"
END
chmod +x "$4"
`)
	log := filepath.Join(root, "log")
	bench := func(cpu, shown string) (string, bool) {
		return script(t, root, "bench", []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "LOG=" + log, "SHOWN=" + shown, "COUNT=2", "CPUINFO=" + cpu, "GOEXPERIMENT=", "GODEBUG=a=1"}, "builds")
	}
	out, ok := bench(vectors, "BenchmarkExp")
	if !ok || strings.Count(out, "processor-s in the build of cells") != 2 || strings.Count(out, ": ratio ") != 2 {
		t.Errorf("passes %t\n%s", ok, out)
	}
	ran, err := os.ReadFile(log)
	if err != nil || strings.Count(string(ran), "simd.test a=1,asyncpreemptoff=1 ") != 4 || strings.Count(string(ran), "plain.test a=1 ") != 4 {
		t.Errorf("%v: want each program twice in both builds, and the setting in one:\n%s", err, ran)
	}
	if out, ok := bench(none, "BenchmarkExp"); !ok || !strings.HasPrefix(out, "SKIP: ") {
		t.Errorf("no AVX2: passes %t\n%s", ok, out)
	}
	if out, ok := bench(vectors, "no tests to run"); ok || strings.Contains(out, "ratio") {
		t.Errorf("no benchmark ran: passes %t\n%s", ok, out)
	}
}

// The base of .ci/bench is the tag of the changelog's last version, or else the commit that wrote
// its heading, or the commit that is named. A stand-in for go prints where it runs, and the files
// that benchstat would read.
func TestBench(t *testing.T) {
	root, git := repository(t)
	write(t, filepath.Join(root, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n")
	bin := filepath.Join(t.TempDir(), "bin")
	write(t, filepath.Join(bin, "go"), `#!/bin/sh
case $1 in
test) shift 8; echo "$(cat version) has $*${GODEBUG:+ with $GODEBUG}" ;;
run) shift 2; for file; do echo "${file%%=*}:"; cat "${file#*=}"; done ;;
esac
`)
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "COUNT=2", "PACKAGES=./old ./new/...", "GOEXPERIMENT=", "GODEBUG="}
	bench := func(args ...string) (string, bool) { return script(t, root, "bench", env, args...) }
	commit := func(version, changelog string, folders ...string) {
		write(t, filepath.Join(root, "version"), version)
		for _, folder := range folders {
			write(t, filepath.Join(root, folder, "a.go"), "package a\n")
		}
		if changelog != "" {
			write(t, filepath.Join(root, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n"+changelog)
		}
		git("add", ".")
		git("commit", "-q", "-m", version)
	}
	commit("first", "", "old")
	if out, ok := bench(); ok || !strings.Contains(out, "CHANGELOG.md has no version") {
		t.Errorf("no version: passes %t\n%s", ok, out)
	}
	commit("second", "## v0.1.0 — 2026-11-26\n")
	commit("third", "Something new.\n\n## v0.1.0 — 2026-11-26\n", "new")

	const want = "before:\n%[1]s has ./old\n%[1]s has ./old\nafter:\nthird has ./old ./new/...\nthird has ./old ./new/...\n"
	check := func(what, base, message string, args ...string) {
		t.Helper()
		out, ok := bench(args...)
		if want := strings.ReplaceAll(want, "%[1]s", base); !ok || !strings.HasSuffix(out, want) || !strings.Contains(out, message) || strings.Contains(out, "no tag") != (base == "second") {
			t.Errorf("%s: passes %t, want %q and\n%sin\n%s", what, ok, message, want, out)
		}
	}
	check("no tag", "second", "this clone has no tag v0.1.0")
	git("tag", "v0.1.0", "main~2")
	check("a tag", "first", "before: ")
	git("tag", "v0.0.9")
	check("a tag that is not of the last version", "first", "round 2 of 2")
	check("BASE", "first", "first; after: this tree", "main~2")
	if out, ok := bench("no-such-commit"); ok || strings.Contains(out, "round") {
		t.Errorf("a commit that is not there: passes %t\n%s", ok, out)
	}
	for own, want := range map[string]string{"": "asyncpreemptoff=1", "a=1": "a=1,asyncpreemptoff=1", "asyncpreemptoff=0": "asyncpreemptoff=0"} {
		env = append(env, "GOEXPERIMENT=simd", "GODEBUG="+own) // as notebooks/run does for cells
		if out, ok := bench("main~2"); !ok || !strings.HasSuffix(out, "third has ./old ./new/... with "+want+"\n") {
			t.Errorf("simd, GODEBUG=%s: passes %t, want GODEBUG=%s in\n%s", own, ok, want, out)
		}
	}
	text, err := exec.Command("git", "-C", root, "worktree", "list").Output()
	if err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("worktrees are left: %v\n%s", err, text)
	}
}

func TestSize(t *testing.T) {
	root, git := repository(t)
	lines := func(n int) string {
		return "// Package p.\npackage p\n\n" + strings.Repeat("var _ = 0 // a line\n", n-1)
	}
	write(t, filepath.Join(root, "data/a/a.go"), lines(2600))
	write(t, filepath.Join(root, "data/b/b.go"), lines(2701))
	write(t, filepath.Join(root, "data/b/b_test.go"), lines(900))
	for name, c := range map[string]struct{ budget, want string }{
		"within":            {"# a comment\ndata 5301\ndata/b 2701\n", ""},
		"a folder outgrown": {"data 5300\ndata/b 2701\n", "data: 5301 lines: at most 5300 by .ci/budget.txt"},
		"no budget":         {"data/b 2701\n", "data: no budget"},
		"a large package":   {"data 5301\n", "data/b: 2701 lines: at most 2700"},
		"a larger one":      {"data 5301\ndata/b 2700\n", "data/b: 2701 lines: at most 2700 by"},
	} {
		write(t, filepath.Join(root, ".ci/budget.txt"), c.budget)
		git("add", ".")
		out, ok := script(t, root, "size", nil)
		if ok != (c.want == "") || !strings.Contains(out, c.want) || !strings.Contains(out, "lines of code: 5301 of") {
			t.Errorf("%s: %v, want %q:\n%s", name, ok, c.want, out)
		}
	}
	for i := range 26 {
		write(t, filepath.Join(root, "data/a", string(rune('b'+i))+".go"), "package p\n")
	}
	write(t, filepath.Join(root, ".ci/budget.txt"), "# a comment\ndata 9000\ndata/b 2800\n")
	git("add", ".")
	if out, ok := script(t, root, "size", nil, "-update"); ok || !strings.Contains(out, "data/a: 27 files: at most 26") {
		t.Errorf("27 files: %v:\n%s", ok, out)
	}
	if got, err := os.ReadFile(filepath.Join(root, ".ci/budget.txt")); err != nil || string(got) != "# a comment\ndata 5327\ndata/b 2701\n" {
		t.Errorf("updated: %v, %s", err, got)
	}
}

// TestQuick has packages that import each other: b imports a, c imports b, d imports a in a test
// only, e nothing. notebooks/index reads all files.
func TestQuick(t *testing.T) {
	t.Setenv("GOWORK", "off")
	root, git := repository(t)
	write(t, filepath.Join(root, "go.mod"), "module m\n\ngo 1.24\n")
	for folder, imports := range map[string][2]string{"a": {}, "b": {"a"}, "c": {"b"}, "d": {"", "a"}, "e": {}, "notebooks/index": {}} {
		code := func(imported, more string) string {
			if imported != "" {
				imported = "\nimport _ \"m/" + imported + "\"\n"
			}
			return "package " + filepath.Base(folder) + "\n" + imported + more
		}
		write(t, filepath.Join(root, folder, "x.go"), code(imports[0], ""))
		write(t, filepath.Join(root, folder, "x_test.go"), code(imports[1], "\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"))
	}
	git("add", ".")
	git("commit", "-q", "-m", "All")
	const all = "a b c d e notebooks/index"
	for _, c := range []struct{ file, first, further string }{
		{"a/x.go", "a b d notebooks/index", "c"},
		{"b/new.go", "b c notebooks/index", ""},
		{"c/x.go", "c notebooks/index", ""},
		{"a/x_test.go", "a notebooks/index", ""},
		{"a/testdata/wanted.txt", "a notebooks/index", ""},
		{"a/page.md", "a b d notebooks/index", "c"},
		{"page.md", "notebooks/index", ""},
		{"go.sum", all, ""},
	} {
		path := filepath.Join(root, c.file)
		before, err := os.ReadFile(path)
		text := string(before) + "\n"
		if err != nil && strings.HasSuffix(path, ".go") {
			text = "package " + filepath.Dir(c.file) + "\n"
		}
		write(t, path, text)
		if first, further := quick(t, root); first != c.first || further != c.further {
			t.Errorf("%s: first %q, further up %q; want %q, %q", c.file, first, further, c.first, c.further)
		}
		git("add", ".")
		git("reset", "-q", "--hard")
	}
	if first, further := quick(t, root, "./a"); first != "a b d" || further != "c" {
		t.Errorf("./a: first %q, further up %q", first, further)
	}

	// Commits of a branch count, and what main has since then does not.
	git("checkout", "-q", "-b", "side")
	write(t, filepath.Join(root, "c/new.go"), "package c\n")
	git("add", ".")
	git("commit", "-q", "-m", "C")
	git("checkout", "-q", "main")
	write(t, filepath.Join(root, "e/new.go"), "package e\n")
	git("add", ".")
	git("commit", "-q", "-m", "E")
	git("checkout", "-q", "side")
	if first, _ := quick(t, root); first != "c notebooks/index" {
		t.Errorf("a branch: first %q", first)
	}
	if first, _ := quick(t, root, "-since", "main"); first != "c e notebooks/index" {
		t.Errorf("since main: first %q", first)
	}
	for _, args := range [][]string{{"-since", "nowhere"}, {"./nowhere"}, {"-budget", "1m"}} {
		if out, ok := script(t, root, "quick", nil, args...); ok {
			t.Errorf("%v is taken: %s", args, out)
		}
	}
	if out, ok := script(t, root, "quick", nil, "./c"); !ok || !strings.Contains(out, "ok  \tm/c") {
		t.Errorf("%s", out)
	}
	write(t, filepath.Join(root, "c/broken_test.go"), "package c\n\nimport \"testing\"\n\nfunc TestBroken(t *testing.T) { t.Fatal() }\n")
	if out, ok := script(t, root, "quick", nil); ok {
		t.Errorf("a test fails: %s", out)
	}
}

// quick returns the packages that are tested first, and those further up.
func quick(t *testing.T, root string, args ...string) (first, further string) {
	t.Helper()
	out, ok := script(t, root, "quick", nil, append([]string{"-n"}, args...)...)
	if !ok {
		t.Errorf("%v: %s", args, out)
	}
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(out, "./", "")), "\n")
	if up, ok := strings.CutPrefix(lines[0], "further up: go test -short -vet=off "); ok {
		words := strings.Fields(up)
		slices.Sort(words)
		further, lines = strings.Join(words, " "), lines[1:]
	}
	return strings.Join(lines, " "), further
}
