// Command api compares what the packages of this module export with what they exported at the last
// version, and fails if something is gone or has another type.
//
//	go run ./.ci/api                  compare with the last version in .ci/api
//	go run ./.ci/api -update v0.2.0   write .ci/api/v0.2.0.txt when that version is cut
//
// A version is a text file with one line for each name and its type. New names are free. For a name
// that is gone or has another type, .ci/api/next.txt repeats the old line, then # and the reason.
// Names of parameters and values of constants may change freely. A new method changes an interface,
// because others may implement it, unless it has an unexported method.
//
// Not compared are commands, internal packages, and packages whose comment has the sentence
// "It promises nothing to other modules."
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// run compares the module in root with its last version, or writes version if it is not empty.
func run(root, version string, out io.Writer) error {
	now, err := exported(root)
	if err != nil {
		return err
	}
	folder := filepath.Join(root, ".ci", "api")
	if version != "" {
		return update(folder, version, now, out)
	}
	last, err := lastVersion(folder)
	if err != nil {
		return err
	}
	before, err := os.ReadFile(filepath.Join(folder, last+".txt"))
	if err != nil {
		return err
	}
	next, err := os.ReadFile(filepath.Join(folder, nextFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	breaks, err := parseBreaks(string(next))
	if err != nil {
		return err
	}
	faults := compare(lines(string(before)), now, breaks)
	if len(faults) > 0 {
		return fmt.Errorf("exported names differ from %s:\n%s\nput a deliberate break, with # and its reason, into .ci/api/%s", last, strings.Join(faults, "\n"), nextFile)
	}
	fmt.Fprintf(out, "%d exported names: %d of %s are as they were, %d breaks are deliberate\n", len(now), len(lines(string(before)))-len(breaks), last, len(breaks))
	return nil
}

// nextFile lists what the next version breaks on purpose.
const nextFile = "next.txt"

const nextHead = "# Lines of the last version that the next one breaks on purpose, each followed by # and the reason.\n"

var versionForm = regexp.MustCompile(`^v(\d+)\.(\d+)\.(\d+)$`)

// update writes the names of now as a version, and empties the list of breaks.
func update(folder, version string, now []string, out io.Writer) error {
	if !versionForm.MatchString(version) {
		return fmt.Errorf("version %q: must be like v0.2.0", version)
	}
	name := filepath.Join(folder, version+".txt")
	if err := os.WriteFile(name, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d exported names\n", name, len(now))
	return os.WriteFile(filepath.Join(folder, nextFile), []byte(nextHead), 0o644)
}

// lastVersion returns the highest version that has a file in folder.
func lastVersion(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "v*.txt"))
	if err != nil {
		return "", err
	}
	var last string
	var number []int
	for _, file := range files {
		version := strings.TrimSuffix(filepath.Base(file), ".txt")
		m := versionForm.FindStringSubmatch(version)
		if m == nil {
			return "", fmt.Errorf("%s: the name must be a version like v0.2.0", file)
		}
		n := make([]int, 3)
		for i := range n {
			if n[i], err = strconv.Atoi(m[i+1]); err != nil {
				return "", fmt.Errorf("%s: %w", file, err)
			}
		}
		if last == "" || slices.Compare(n, number) > 0 {
			last, number = version, n
		}
	}
	if last == "" {
		return "", fmt.Errorf("%s has no version: write one by -update", folder)
	}
	return last, nil
}

// parseBreaks reads lines "NAME # REASON". Lines that begin with # are comments.
func parseBreaks(text string) (map[string]bool, error) {
	breaks := map[string]bool{}
	for _, line := range lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, "#")
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf(".ci/api/%s: %q has no reason: write NAME # REASON", nextFile, line)
		}
		breaks[strings.TrimSpace(name)] = true
	}
	return breaks, nil
}

// compare returns a line for each name of before that is not in now and not a deliberate break, and
// for each break that breaks nothing.
func compare(before, now []string, breaks map[string]bool) []string {
	var faults []string
	for _, line := range before {
		if _, kept := slices.BinarySearch(now, line); !kept && !breaks[line] {
			faults = append(faults, "gone: "+line+like(line, now))
		}
	}
	for line := range breaks {
		if _, kept := slices.BinarySearch(now, line); kept || !slices.Contains(before, line) {
			faults = append(faults, "breaks nothing: "+line)
		}
	}
	slices.Sort(faults)
	return faults
}

// like returns the line of now that has the same name with another type, for a message.
func like(line string, now []string) string {
	name := nameOf(line)
	for _, other := range now {
		if nameOf(other) == name {
			return "\n      now: " + other
		}
	}
	return ""
}

var nameForm = regexp.MustCompile(`^[^,]*, (func \w+|(var|const) \w+|method \([^)]*\) \w+|type \w+(\[[^]]*\])?( struct, \w+)?)`)

func nameOf(line string) string { return cmp.Or(nameForm.FindString(line), line) }

// lines returns the lines of a text that are not empty.
func lines(text string) []string {
	var all []string
	for line := range bytes.Lines([]byte(text)) {
		if s := strings.TrimSpace(string(line)); s != "" {
			all = append(all, s)
		}
	}
	return all
}
