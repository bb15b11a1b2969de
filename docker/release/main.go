// Command release builds dpcost and dpaudit as static programs, and a Python wheel with both, for
// people without Go:
//
//	go run ./docker/release                               # for this machine, into dist/
//	go run ./docker/release -targets all -out /tmp/dist   # for every system below
//	pip install dist/dpcost-*.whl                         # then: dpcost -h, or import dpcost
//	go run ./docker/release -notices FILE PROGRAM...      # the licenses of code in programs
//
// Next to each program, and in each wheel, is THIRD_PARTY_NOTICES.txt: the licenses of the modules
// that are linked in. They come from the module cache. The version comes from git. The same commit
// gives the same bytes, built by the same Go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// command is a program that is released.
type command struct {
	name, pkg, summary string
}

var commands = []command{
	{"dpcost", "./accounting/dpcost", "What a private computation costs: epsilon at a delta, with its bounds, or the least noise for a wanted epsilon"},
	{"dpaudit", "./audit/dpaudit", "Lower bounds on epsilon from the scores of an attack"},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run builds every command for every target and names the files that it wrote.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	out := flags.String("out", "dist", "folder to write into")
	list := flags.String("targets", runtime.GOOS+"/"+runtime.GOARCH, "systems to build for, separated by commas, or all: "+strings.Join(names(), ", "))
	notice := flags.String("notices", "", "write the licenses of the code in the given programs to this `file`, and build nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *notice != "" {
		return writeNotices(ctx, *notice, flags.Args())
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: must be flags only", flags.Arg(0))
	}
	chosen, err := targetsOf(*list)
	if err != nil {
		return err
	}
	root, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return fmt.Errorf("must run inside the repository: %w", err)
	}
	version, made, err := versionOf(ctx, root)
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	for _, t := range chosen {
		r := release{root: root, out: *out, target: t, version: version, made: made, license: license}
		if err := r.write(ctx, stdout, stderr); err != nil {
			return err
		}
	}
	return nil
}

// release is what is written for one system.
type release struct {
	root, out string
	target
	version string
	made    time.Time
	license []byte
}

// write builds each command, writes the licenses next to it, and then the wheel with all commands.
func (r release) write(ctx context.Context, stdout, stderr io.Writer) error {
	var programs []string
	for _, c := range commands {
		program := filepath.Join(r.out, c.name+"-"+r.goos+"-"+r.goarch+r.suffix())
		fmt.Fprintf(stderr, "building %s for %s/%s\n", c.name, r.goos, r.goarch)
		if err := build(ctx, r.root, c.pkg, r.version, r.target, program); err != nil {
			return err
		}
		third, _, err := r.terms(ctx, program)
		if err != nil {
			return err
		}
		beside := strings.TrimSuffix(program, r.suffix()) + "." + noticesName
		if err := os.WriteFile(beside, slices.Concat(r.license, []byte("\n"), third), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s\n%s\n", program, beside)
		programs = append(programs, program)
	}
	third, spdx, err := r.terms(ctx, programs...)
	if err != nil {
		return err
	}
	path, err := wheel{target: r.target, version: r.version, made: r.made, license: r.license, notices: third, spdx: spdx}.write(r.out, programs)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, path)
	return nil
}

// terms returns the notices of the modules in programs, and the licenses of the programs.
func (r release) terms(ctx context.Context, programs ...string) (text []byte, spdx string, err error) {
	modules, err := linkedIn(ctx, r.root, programs...)
	if err != nil {
		return nil, "", err
	}
	if text, err = notices(modules); err != nil {
		return nil, "", err
	}
	spdx, err = expression(modules)
	return text, spdx, err
}

// noPaths keeps the paths of this machine out of programs.
var noPaths = []string{"-trimpath"}

// versionVariable holds the version that a program prints.
const versionVariable = "github.com/dplab/dplab/accounting/command.released"

// build compiles a command without cgo, so it needs no library of the system.
func build(ctx context.Context, root, pkg, version string, t target, program string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	compile := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, noPaths, []string{"-buildvcs=false", "-ldflags=-s -w -X " + versionVariable + "=" + version, "-o", program, pkg})...)
	compile.Dir = root
	compile.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOEXPERIMENT=", "GOOS="+t.goos, "GOARCH="+t.goarch)
	if text, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s for %s/%s: %w\n%s", pkg, t.goos, t.goarch, err, text)
	}
	return nil
}

// output returns what a program prints, without the last newline.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}
