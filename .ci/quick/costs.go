package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// costFile has a line for each package: its folder, and the processor seconds of its short tests.
const costFile = ".ci/quick/seconds.txt"

// link is what compiling and linking one test binary takes, in processor seconds; measured.
const link = 1.0

// unmeasured is the cost of a package that is not in the file, in processor seconds.
const unmeasured = 2.0

func readCosts(root string) (map[string]float64, error) {
	text, err := os.Open(filepath.Join(root, costFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer text.Close()
	return parseCosts(text)
}

// parseCosts reads lines of a folder and its seconds. Folders on several lines are added.
func parseCosts(text io.Reader) (map[string]float64, error) {
	costs := map[string]float64{}
	for lines := bufio.NewScanner(text); lines.Scan(); {
		var folder string
		var seconds float64
		if _, err := fmt.Sscan(lines.Text(), &folder, &seconds); err != nil || !(seconds >= 0) {
			return nil, fmt.Errorf("%s: line %q: want a folder and its seconds", costFile, lines.Text())
		}
		costs[folder] += seconds
	}
	return costs, nil
}

// choice is what is run, in order, and what is not.
type choice struct {
	run, leftOut []string
	costs        map[string]float64 // with linking
}

// choose takes all of first, then the cheapest of then while their sum is within the budget, in
// processor seconds.
func choose(first, then []string, costs map[string]float64, budget float64) choice {
	c := choice{costs: map[string]float64{}}
	for _, folder := range slices.Concat(first, then) {
		seconds, known := costs[folder]
		if !known {
			seconds = unmeasured
		}
		c.costs[folder] = seconds + link
	}
	cheapest := func(a, b string) int { return cmp.Or(cmp.Compare(c.costs[a], c.costs[b]), cmp.Compare(a, b)) }
	slices.SortFunc(first, cheapest)
	slices.SortFunc(then, cheapest)
	c.run = slices.Clone(first)
	spent := c.sum(first)
	for i, folder := range then {
		if spent += c.costs[folder]; spent > budget {
			c.leftOut = then[i:]
			break
		}
		c.run = append(c.run, folder)
	}
	return c
}

func (c choice) sum(folders []string) (seconds float64) {
	for _, folder := range folders {
		seconds += c.costs[folder]
	}
	return seconds
}

func (c choice) show(out io.Writer, cores float64) {
	if len(c.run) == 0 {
		fmt.Fprintln(out, "nothing to test: no file of a package differs")
		return
	}
	fmt.Fprintf(out, "%d packages, about %.0f s on %.0f idle cores: %s\n", len(c.run), c.sum(c.run)/cores, cores, strings.Join(c.run, " "))
	if len(c.leftOut) > 0 {
		fmt.Fprintf(out, "left out, about %.0f s more: go test -short -vet=off %s\n", c.sum(c.leftOut)/cores, strings.Join(c.leftOut, " "))
	}
}

// measure runs all short tests and writes the processor seconds of each test binary.
func measure(root string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	times, err := os.CreateTemp("", "quick")
	if err != nil {
		return err
	}
	defer os.Remove(times.Name())
	defer times.Close()
	flags := []string{"test", "-short", "-vet=off", "-count=1", "-exec", self + " -book " + times.Name()}
	cmd := exec.Command("go", append(flags, everything(root)...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	costs, err := parseCosts(times)
	if err != nil {
		return err
	}
	m, err := list(root)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, p := range m.packages {
		if seconds, ok := costs[p.Dir]; ok {
			fmt.Fprintf(&lines, "%s %.1f\n", m.folder(p), seconds)
		}
	}
	return os.WriteFile(filepath.Join(root, costFile), []byte(lines.String()), 0o644)
}

// book runs a test binary, appends its folder and processor seconds to file, and returns its
// status.
func book(file string, command []string) int {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	folder, err := os.Getwd()
	if err == nil {
		var to *os.File
		if to, err = os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0); err == nil {
			_, err = fmt.Fprintf(to, "%s %.2f\n", folder, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
			err = errors.Join(err, to.Close())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return max(cmd.ProcessState.ExitCode(), -1) & 0xff
}
