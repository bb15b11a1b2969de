package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dplab/dplab/accounting/command"
)

// options is the checked command line.
type options struct {
	Profile    string            // "quick", "full", or empty for the notebook's own
	Set        map[string]string // parameters to override
	Timeout    time.Duration     // for one cell
	Check      bool
	Write      bool
	Lab        bool
	InPlace    bool   // with Lab: the notebooks themselves, not copies
	Completion bool   // with Lab: gopls completes names
	Out        string // folder, as given
	Data       string // folder, as given; empty to leave DPLAB_DATA as it is
	Backend    string // that cells train on: one of backends, or auto
	Jobs       int
	Notebooks  string   // folder that holds the notebooks; empty for the repository's
	Names      []string // names or globs; empty for all
	LabArgs    []string // for jupyter-lab
	given      []string // the command line before --
}

const usage = `Usage: go run ./notebooks/run [flags] [notebook ...]

Runs the notebooks under notebooks/ and writes executed copies, figures with their
data, and report.html. A notebook is given by its name, with or without .ipynb, by a
glob such as 'papernot*', or by its path. Without one, all are run. With -lab nothing
is run: JupyterLab opens a copy of the notebook, with everything that its cells need.

Flags:
`

// settings collects -set flags.
type settings map[string]string

func (s settings) String() string { return "" }

func (s settings) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if name = strings.TrimSpace(name); !ok || name == "" {
		return errors.New("must be name=value, such as seeds=3")
	}
	if _, twice := s[name]; twice {
		return fmt.Errorf("%s is set twice", name)
	}
	s[name] = value
	return nil
}

// parseOptions reads the command line. help reports that only the usage was asked for.
func parseOptions(args []string, stderr io.Writer) (o options, help bool, err error) {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error is returned
	set := settings{}
	flags.StringVar(&o.Profile, "profile", "", "`quick or full`: sizes of the experiments (default quick; with -check or -write as committed)")
	flags.Var(set, "set", "`name=value` of a notebook's parameter; may be given more than once")
	o.Timeout, o.Jobs = 10*time.Minute, runtime.NumCPU()
	command.Var(flags, &o.Timeout, time.ParseDuration, "must be a number with its unit, such as 90s or 10m", "timeout", "longest time for one cell, a `duration` such as 90s")
	command.SwitchVar(flags, &o.Check, "check", "compare the outputs with those that are committed in the notebooks")
	command.SwitchVar(flags, &o.Write, "write", "write the outputs into the notebooks themselves, for authors")
	command.SwitchVar(flags, &o.Lab, "lab", "start JupyterLab on copies of the notebooks, with the kernel ready; arguments after -- go to jupyter-lab")
	command.SwitchVar(flags, &o.InPlace, "in-place", "with -lab: open the notebooks themselves, for authors")
	o.Completion = true
	command.SwitchVar(flags, &o.Completion, "completion", "with -lab: complete names at Tab, with gopls (default true)")
	flags.StringVar(&o.Out, "out", "", "`folder` for what is written (default notebooks/out)")
	flags.StringVar(&o.Data, "data", "", "`folder` with the full data sets, as DPLAB_DATA (default the embedded data)")
	flags.StringVar(&o.Backend, "backend", cmp.Or(os.Getenv(backendVariable), goBackend), "`name` of the backend that cells train on: "+strings.Join(backends, ", "))
	command.WholeVar(flags, &o.Jobs, "jobs", "run at most `N` notebooks at the same time, by default as many as there are cores")
	flags.StringVar(&o.Notebooks, "notebooks", "", "`folder` of the notebooks, inside the repository (default notebooks)")
	args, o.LabArgs = splitArgs(args)
	o.given = args
	for rest := args; ; { // flags may also come after names
		switch err := flags.Parse(rest); {
		case errors.Is(err, flag.ErrHelp):
			fmt.Fprint(stderr, usage)
			flags.SetOutput(stderr)
			flags.PrintDefaults()
			return o, true, err
		case err != nil:
			return o, false, fmt.Errorf("%w\nAll flags: go run ./notebooks/run -h", err)
		}
		if flags.NArg() == 0 {
			break
		}
		o.Names, rest = append(o.Names, flags.Arg(0)), flags.Args()[1:]
	}
	o.Set = set
	var errs []error
	flags.Visit(func(f *flag.Flag) {
		if rule := notEmpty[f.Name]; rule != "" && f.Value.String() == "" {
			errs = append(errs, fmt.Errorf("-%s \"\": must be %s", f.Name, rule))
		}
	})
	return o, false, errors.Join(append(errs, o.validate())...)
}

// notEmpty lists the flags of text that have a different meaning when left out, with what they must
// be.
var notEmpty = map[string]string{"profile": "quick or full", "out": "a folder", "data": "a folder", "notebooks": "a folder"}

// splitArgs divides the command line at the first "--".
func splitArgs(args []string) (own, lab []string) {
	if at := slices.Index(args, "--"); at >= 0 {
		return args[:at], args[at+1:]
	}
	return args, nil
}

func (o options) validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if o.Profile != "" && o.Profile != quick && o.Profile != full {
		bad("-profile %q: must be quick or full", o.Profile)
	}
	if value, ok := o.Set["profile"]; ok {
		bad("-set profile=%s: is set by -profile %[1]s", value)
	}
	if !slices.Contains(backends, o.Backend) {
		bad("-backend %q: must be one of %s (%s sets it too)", o.Backend, strings.Join(backends, ", "), backendVariable)
	}
	if o.Write && o.Backend != goBackend {
		bad("-write and -backend %s: must not be given together: committed outputs are trained on go, which any machine can repeat", o.Backend)
	}
	if o.Timeout <= 0 {
		bad("-timeout %v: must be > 0", o.Timeout)
	}
	if o.Jobs < 1 {
		bad("-jobs %d: must be >= 1", o.Jobs)
	}
	if o.Check && o.Write {
		bad("-check and -write: must not be given together")
	}
	if o.Check && len(o.Set) > 0 {
		bad("-check and -set: must not be given together: other parameters give other outputs")
	}
	if o.Write && len(o.Set) > 0 {
		bad("-write and -set: must not be given together: the outputs would not be those of the notebook's source")
	}
	if o.Lab && (o.Check || o.Write || len(o.Set) > 0 || o.Profile != "") {
		bad("-lab: must not be given with -check, -write, -set or -profile: change the notebook's cells there")
	}
	if o.InPlace && !o.Lab {
		bad("-in-place: only with -lab; to write a run's outputs into the notebooks, use -write")
	}
	if !o.Completion && !o.Lab {
		bad("-completion=false: only with -lab: a run without JupyterLab completes nothing")
	}
	if o.InPlace && o.Out != "" {
		bad("-in-place and -out: must not be given together: nothing is copied")
	}
	if !o.Lab && len(o.LabArgs) > 0 {
		bad("%q after --: only with -lab", strings.Join(o.LabArgs, " "))
	}
	if o.Data != "" {
		if info, err := os.Stat(o.Data); err != nil {
			bad("-data %s: must be a folder that exists: %w", o.Data, err)
		} else if !info.IsDir() {
			bad("-data %s: must be a folder", o.Data)
		}
	}
	for _, name := range o.Names {
		if _, err := filepath.Match(name, ""); err != nil {
			bad("%q: must be the name of a notebook, or a glob such as 'papernot*': %w", name, err)
		}
	}
	return errors.Join(errs...)
}

// The profiles.
const (
	quick = "quick"
	full  = "full"
)
