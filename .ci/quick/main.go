// Command quick runs the short tests that an edit can break, within a minute.
//
//	.ci/run quick                          what differs from main, or the uncommitted files on main
//	.ci/run quick -since HEAD~1            what differs from another commit
//	.ci/run quick ./accounting/contour     as if this package differed
//	go run ./.ci/quick -measure            write .ci/quick/seconds.txt
//
// The edited packages are tested first, whatever they cost. Then follow the packages that depend on
// them, the cheapest first, while the sum of their costs fits into the budget. The command lists
// the packages that it leaves out. Costs are processor seconds of an earlier measurement.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "-book" {
		os.Exit(book(os.Args[2], os.Args[3:]))
	}
	since := flag.String("since", "", "the commit to compare with; default: where this branch left origin/main or main")
	budget := flag.Duration("budget", time.Minute, "time for all, if the machine is idle")
	list := flag.Bool("n", false, "list the packages only")
	write := flag.Bool("measure", false, "run all short tests and write what each package takes")
	flag.Parse()
	var err error
	if *write {
		err = measure(".")
	} else {
		err = run(".", options{*since, *budget, *list, flag.Args()}, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "quick:", err)
		os.Exit(1)
	}
}

// options are what the command line asks for.
type options struct {
	since    string
	budget   time.Duration
	list     bool // do not run
	packages []string
}

// run tests what differs in the repository in root.
func run(root string, o options, out io.Writer) error {
	m, err := list(root)
	if err != nil {
		return err
	}
	edits, err := m.named(o.packages)
	if len(o.packages) == 0 {
		edits, err = m.edited(o.since)
	}
	if err != nil {
		return err
	}
	costs, err := readCosts(root)
	if err != nil {
		return err
	}
	cores := float64(runtime.GOMAXPROCS(0))
	first, then := m.affected(edits)
	c := choose(first, then, costs, o.budget.Seconds()*cores)
	c.show(out, cores)
	if o.list || len(c.run) == 0 {
		return nil
	}
	begin := time.Now()
	cmd := exec.Command("go", append([]string{"test", "-short", "-vet=off"}, c.run...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, out, os.Stderr
	err = cmd.Run()
	fmt.Fprintf(out, "%d of %d packages in %s\n", len(c.run), len(c.run)+len(c.leftOut), time.Since(begin).Round(time.Second))
	return err
}

// git returns what git prints in root, one element a line.
func git(root string, args ...string) ([]string, error) {
	cmd := exec.Command("git", append([]string{"-C", root, "-c", "core.quotePath=off"}, args...)...)
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' }), nil
}

// differs returns the files that differ from the commit since, new files included. If since is
// empty, it is where HEAD left origin/main or main.
func differs(root, since string) ([]string, error) {
	if since == "" {
		since = "HEAD"
		for _, main := range []string{"origin/main", "main"} {
			if base, err := git(root, "merge-base", "HEAD", main); err == nil && len(base) == 1 {
				since = base[0]
				break
			}
		}
	}
	files, err := git(root, "diff", "--name-only", "--no-renames", since, "--")
	if err != nil {
		return nil, err
	}
	fresh, err := git(root, "ls-files", "--others", "--exclude-standard", "--full-name", ":/")
	return append(files, fresh...), err
}

// relative writes a package as go test takes it.
func relative(path string) string { return "./" + filepath.ToSlash(path) }
