package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/notebooks/experiments"
)

var errHelp = errors.New("help")

// usageError is a mistake in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// verb is the task of a command line.
type verb int

const (
	verbList verb = iota
	verbTrain
	verbMerge
)

// options is the command line.
type options struct {
	verb                                   verb
	name                                   string // of the experiment
	profile, backend, out, results, folder string
	chunk                                  int
	budget                                 time.Duration
	part                                   part
	task                                   part // worker first of count, if given
	tasks                                  int  // 0 for one task for each shard, up to mostTasks
	slurm                                  bool
	image                                  string // container image, for Kubernetes
	measure                                bool
	all, listed                            bool            // -all and -list
	only                                   string          // patterns of names, with commas; all entries if empty
	set                                    map[string]bool // flags that were given
	revision                               string          // commit of the sources when training begins
}

func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("train", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.profile, "profile", "", "`profile` of the experiment")
	f.StringVar(&o.backend, "backend", cmp.Or(os.Getenv(backend.Variable), "go"), "`name` of the backend: "+strings.Join(backends(), ", "))
	f.Func("budget", "`time` to train for, such as 50m or 2h (default: until all is done)", o.setBudget)
	f.Func("chunk", "`models` in one call of the backend (default: the engine's)", o.setChunk)
	f.Func("shard", "train only these `shards`, such as 3/40 or 3-7/40: from 0 to 39, of 40", o.setPart)
	f.Func("task", "train only the shards of this `task`, such as 3/8: from 0 to 7, of 8 that share all", o.setTask)
	f.BoolVar(&o.slurm, "slurm", false, "train nothing, and print a script for Slurm whose tasks train and write into -out")
	f.StringVar(&o.image, "kubernetes", "", "train nothing, and print a Job for Kubernetes that trains with this container `image`")
	command.WholeVar(f, &o.tasks, "tasks", "with -slurm or -kubernetes: `number` of tasks (default: one a shard, at most 1000)")
	f.StringVar(&o.out, "out", "", "write a file for each shard into this `folder`, and nothing to -results")
	f.StringVar(&o.folder, "from", "", "merge: `folder` that workers wrote their shards into")
	f.StringVar(&o.results, "results", "notebooks/results", "`folder` of the stored results")
	f.BoolVar(&o.all, "all", false, "train what is left of all experiments, in the order of what they show in a minute")
	f.StringVar(&o.only, "only", "", "with -all: only experiments of these `names`, such as 'koskela2023/cifar-*', with commas between")
	f.BoolVar(&o.listed, "list", false, "with -all: train nothing, and list the order with what is left")
	f.BoolVar(&o.measure, "measure", false, "list: train for some seconds to estimate how long the rest takes on -backend")
	return f
}

// elsewhere reports whether other machines will train.
func (o *options) elsewhere() bool { return o.slurm || o.set["kubernetes"] }

func backends() []string { return append(backend.Names(), backend.Auto) }

func (o *options) setBudget(text string) (err error) {
	if o.budget, err = time.ParseDuration(text); err != nil || o.budget <= 0 {
		return errors.New("must be a time above 0 with its unit, such as 50m")
	}
	return nil
}

func (o *options) setChunk(text string) (err error) {
	if o.chunk, err = strconv.Atoi(text); err != nil || o.chunk < 1 {
		return errors.New("must be a whole number, at least 1")
	}
	return nil
}

var partForm = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9}))?/(\d{1,9})$`)

func (o *options) setTask(text string) error {
	var t options
	err := t.setPart(text)
	if o.task = t.part; err == nil && strings.Contains(text, "-") {
		err = errors.New("must be one, like 3/8")
	}
	return err
}

func (o *options) setPart(text string) error {
	m := partForm.FindStringSubmatch(text)
	if m == nil {
		return errors.New("must be like 3/40 or 3-7/40")
	}
	if m[2] == "" {
		m[2] = m[1]
	}
	o.part.first, _ = strconv.Atoi(m[1]) // the pattern allows only digits
	o.part.last, _ = strconv.Atoi(m[2])
	o.part.count, _ = strconv.Atoi(m[3])
	if o.part.count < 1 || o.part.count > experiments.MostShards || o.part.first > o.part.last || o.part.last >= o.part.count {
		return errors.New("must name shards from 0 to one less than there are, the lower one first")
	}
	return nil
}

// parse reads a command line: words first, then flags.
func parse(args []string) (options, error) {
	o := options{set: map[string]bool{}}
	f := o.flags()
	words := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") })
	if words < 0 {
		words = len(args)
	}
	if err := f.Parse(args[words:]); errors.Is(err, flag.ErrHelp) {
		return o, errHelp
	} else if err != nil {
		return o, usageError{err}
	}
	f.Visit(func(given *flag.Flag) { o.set[given.Name] = true })
	if err := o.setWords(slices.Concat(args[:words], f.Args())); err != nil {
		return o, err
	}
	return o, o.validate()
}

func (o *options) setWords(words []string) error {
	switch {
	case len(words) == 0:
		if o.all && !o.listed && !o.measure {
			o.verb = verbTrain
		}
		return nil
	case words[0] == "merge" && len(words) == 2:
		o.verb, o.name = verbMerge, words[1]
	case words[0] == "merge" && len(words) == 1 && o.all:
		o.verb = verbMerge
	case words[0] == "merge" && len(words) == 1:
		return usagef("merge: must be followed by the name of an experiment")
	case len(words) > 1:
		return usagef("argument %q: must be a flag", words[len(words)-1])
	default:
		o.verb, o.name = verbTrain, words[0]
	}
	if o.verb == verbTrain && o.measure {
		o.verb = verbList
	}
	return nil
}

// allowed lists the flags of each verb.
var allowed = map[verb][]string{
	verbList:  {"measure", "backend", "chunk", "results", "profile", "all", "only", "list"},
	verbTrain: {"profile", "backend", "budget", "chunk", "shard", "task", "out", "results", "slurm", "kubernetes", "tasks", "all", "only"},
	verbMerge: {"profile", "from", "results", "all", "only"},
}

// notWithAll lists the flags that choose an experiment or a part of it.
var notWithAll = []string{"profile", "shard", "task", "tasks", "slurm", "kubernetes"}

func (o options) validate() error {
	var errs []error
	unless := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	for name := range o.set {
		unless(slices.Contains(allowed[o.verb], name), "-%s: must not be given here; only -%s may", name, strings.Join(allowed[o.verb], ", -"))
	}
	for _, name := range notWithAll {
		unless(!o.all || !o.set[name], "-%s: must not be given with -all", name)
	}
	unless(!o.all || o.name == "", "experiment %q: must not be given with -all", o.name)
	unless(o.all || !o.listed, "-list: must be given with -all")
	unless(o.all || !o.set["only"], "-only: must be given with -all")
	unless(slices.Contains(backends(), o.backend) || o.elsewhere() && strings.HasPrefix(o.backend, "xla:"), "-backend %q: must be one of %s", o.backend, strings.Join(backends(), ", "))
	unless(o.results != "", `-results "": must be a folder`)
	unless(o.out != "" || !o.set["out"], `-out "": must be a folder`)
	unless(o.out != "" || !o.set["shard"], "-shard %v: must be given with -out, the folder for its files", o.part)
	unless(o.out != "" || !o.set["task"], "-task %v: must be given with -out, the folder for its files", o.task)
	unless(!o.set["task"] || !o.set["shard"], "-task and -shard: must not be given together")
	unless(!o.elsewhere() || o.out != "", "-slurm or -kubernetes: must be given with -out, the folder that tasks write into")
	unless(!o.slurm || !o.set["kubernetes"], "-slurm and -kubernetes: must not be given together")
	unless(!o.elsewhere() || !o.set["task"] && !o.set["shard"], "-shard and -task: must not be given with -slurm or -kubernetes, which divide the shards themselves")
	unless(o.image != "" || !o.set["kubernetes"], `-kubernetes "": must be the image of a container`)
	unless(o.tasks >= 1 && o.elsewhere() || !o.set["tasks"], "-tasks %d: must be at least 1, with -slurm or -kubernetes", o.tasks)
	unless(o.folder != "" || o.verb != verbMerge, "-from %q: must be the folder that workers wrote into", o.folder)
	if o.elsewhere() {
		o.out = "" // the other machine checks it
	}
	for _, folder := range [][2]string{{"out", o.out}, {"from", o.folder}, {"results", o.results}} {
		info, err := os.Stat(folder[1])
		unless(err != nil || info.IsDir(), "-%s %s: is a file: must be a folder", folder[0], folder[1])
		unless(err == nil || folder[0] != "from" || folder[1] == "", "-from %s: must be a folder that exists", folder[1])
	}
	if err := errors.Join(errs...); err != nil {
		return usageError{err}
	}
	return nil
}

func usage() string {
	var o options
	f := o.flags()
	var text strings.Builder
	text.WriteString(`train makes the stored results of figures that need long trainings.

  train                                              list experiments, and what of them is done
  train -measure -backend xla:cpu                    also estimate how long the rest takes here
  train NAME -profile mid -budget 50m                train for that time, and store what is done
  train NAME -profile full -shard 3-7/40 -out DIR    be one worker of many
  train NAME -profile full -task 3/8 -out DIR        be the fourth of eight workers that share all
  train merge NAME -profile full -from DIR           store what workers left in DIR
  train -all -budget 50m                             train what is left of all, most telling first
  train -all -list                                   list that order, and train nothing
  train -all -only 'koskela2023/*'                   train what is left of one paper
  train merge -all -from DIR                         store all that is in DIR
  train NAME -profile full -slurm -tasks 8 -out DIR  print a script that does all this on a cluster

Exit codes: 75 try again, 2 a wrong command line, 1 any other fault.

Flags

`)
	f.SetOutput(&text)
	f.PrintDefaults()
	return text.String()
}
