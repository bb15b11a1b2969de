// Command api compares what packages of this module export with what they exported at the last
// version, and fails if something is gone or has another type.
//
//	go run ./.ci/api                  compare with the last version
//	go run ./.ci/api -update v0.2.0   write .ci/api/names.txt when that version is cut
//
// Only the packages of .ci/api/packages.txt promise their names. names.txt has the version, then
// one line for each name and its type. New names are free. For a name that is gone or has another
// type, .ci/api/next.txt repeats the old line, then # and the reason. A package that left the list
// is there as "PACKAGE # reason". Names of parameters and values of constants may change freely. A
// new method changes an interface, because others may implement it, unless it has an unexported
// method.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	version := flag.String("update", "", "write the names of now as this version, as in v0.2.0")
	flag.Parse()
	if err := run(".", *version, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const nextHead = "# Lines of the last version that the next one breaks on purpose, each followed by # and the reason.\n"

// run compares the module in root with its last version, or writes version if it is not empty.
func run(root, version string, out io.Writer) error {
	file := func(name string) string { return filepath.Join(root, ".ci", "api", name) }
	packages, err := lines(file("packages.txt"))
	if err != nil {
		return err
	}
	now, err := exported(root, packages)
	if err != nil {
		return err
	}
	if version != "" {
		if !regexp.MustCompile(`^v\d+\.\d+\.\d+$`).MatchString(version) {
			return fmt.Errorf("version %q: must be like v0.2.0", version)
		}
		text := "# " + version + "\n" + strings.Join(now, "\n") + "\n"
		if err := os.WriteFile(file("names.txt"), []byte(text), 0o644); err != nil {
			return err
		}
		return os.WriteFile(file("next.txt"), []byte(nextHead), 0o644)
	}
	before, err := lines(file("names.txt"))
	if err != nil {
		return err
	}
	next, err := lines(file("next.txt"))
	if err != nil {
		return err
	}
	breaks := map[string]bool{} // whether it breaks something
	for _, line := range next {
		broken, reason, _ := strings.Cut(line, "#")
		if strings.TrimSpace(reason) == "" {
			return fmt.Errorf(".ci/api/next.txt: %q has no reason: write NAME # REASON", line)
		}
		breaks[strings.TrimSpace(broken)] = false
	}
	var faults []string
	for _, line := range before {
		if _, kept := slices.BinarySearch(now, line); kept {
			continue
		}
		deliberate, wanted := []string{line}, false
		if folder, _, _ := strings.Cut(line, ", "); !slices.Contains(packages, folder) {
			deliberate = append(deliberate, folder)
		}
		for _, broken := range deliberate {
			if _, ok := breaks[broken]; ok {
				breaks[broken], wanted = true, true
			}
		}
		if !wanted {
			faults = append(faults, "gone: "+line)
		}
	}
	for line, used := range breaks {
		if !used {
			faults = append(faults, "breaks nothing: "+line)
		}
	}
	fmt.Fprintf(out, "%d packages promise %d exported names\n", len(packages), len(now))
	if len(faults) > 0 {
		slices.Sort(faults)
		return fmt.Errorf("exported names differ from the last version:\n%s\nput a deliberate break, with # and its reason, into .ci/api/next.txt", strings.Join(faults, "\n"))
	}
	return nil
}

// lines returns the lines of a file that are neither empty nor comments.
func lines(name string) ([]string, error) {
	text, err := os.ReadFile(name)
	var all []string
	for line := range strings.Lines(string(text)) {
		if s := strings.TrimSpace(line); s != "" && s[0] != '#' {
			all = append(all, s)
		}
	}
	return all, err
}
