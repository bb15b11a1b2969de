package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures/auditbounds"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/hidden"
	"github.com/dplab/dplab/notebooks/figures/koskela2023"
	"github.com/dplab/dplab/notebooks/figures/koskela2023/tuned"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/search"
	"github.com/dplab/dplab/notebooks/figures/quickstart"
	"github.com/dplab/dplab/notebooks/figures/sixth"
	"github.com/dplab/dplab/notebooks/figures/xiang2024/audits"
)

// all lists the experiments.
var all = []experiments.Any{
	hidden.FCNN, hidden.FCNNPeriod, hidden.ConvNet, hidden.ResNet, hidden.ConvNetUnknown, hidden.ConvNetPeriod, hidden.LastLayer, hidden.Norms, hidden.Coordinates,
	quickstart.Seeds,
	search.Figure7AllConv, search.Figure7CNN, search.Figure7MLP,
	tuned.FashionSGD, tuned.FashionAdam, tuned.MNISTSGD, tuned.MNISTAdam, tuned.MNISTMLPSGD, tuned.MNISTMLPAdam,
	tuned.CIFARSGD, tuned.CIFARAdam,
	tuned.IMDBSGD, tuned.IMDBAdam,
	tuned.FashionAllSGD, tuned.FashionAllAdam, tuned.MNISTAllSGD, tuned.MNISTAllAdam,
	tuned.CIFARAllSGD, tuned.CIFARAllAdam, tuned.IMDBAllSGD, tuned.IMDBAllAdam,
	koskela2023.StepTimes,
	audits.Tuning, audits.FashionBank, audits.CIFARBank,
	auditbounds.ManyCanaries,
	sixth.CIFAR,
}

// find returns the experiment with a name.
func (p program) find(name string) (experiments.Any, error) {
	var names []string
	for _, e := range p.experiments {
		if names = append(names, e.Describe().Name); names[len(names)-1] == name {
			return e, nil
		}
	}
	return nil, usagef("experiment %q: must be one of %s", name, strings.Join(names, ", "))
}

// chosen returns the entries that -only names, in their order.
func chosen(order []entry, o options) ([]entry, error) {
	if !o.set["only"] {
		return order, nil
	}
	kept := map[int]bool{}
	for _, pattern := range strings.Split(o.only, ",") {
		found := false
		var names []string
		for i, e := range order {
			name := e.experiment.Describe().Name
			names = append(names, name)
			matched, err := path.Match(pattern, name)
			if err != nil {
				return nil, usagef("-only %q: must be names with *, ? or [a-z]: %w", pattern, err)
			}
			if matched {
				kept[i], found = true, true
			}
		}
		if !found {
			return nil, usagef("-only %q: must match at least one of %s", pattern, strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", "))
		}
	}
	var entries []entry
	for i, e := range order {
		if kept[i] {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// job returns the job that the command line names.
func (p program) job(o options) (experiments.Job, error) {
	e, err := p.find(o.name)
	if err != nil {
		return experiments.Job{}, err
	}
	d := e.Describe()
	if !slices.Contains(d.Profiles, o.profile) {
		return experiments.Job{}, usagef("-profile %q: must be one of %s", o.profile, strings.Join(d.Profiles, ", "))
	}
	job, err := e.Job(o.profile)
	if err != nil {
		return experiments.Job{}, err
	}
	if o.part.count > 0 && o.part.count != job.Shards {
		return experiments.Job{}, usagef("-shard %v: %v has %d shards: must end with /%d", o.part, job, job.Shards, job.Shards)
	}
	if n := max(o.task.count, o.tasks); n > job.Shards {
		return experiments.Job{}, usagef("%d tasks: %v has %d shards: must be at most one a shard", n, job, job.Shards)
	}
	return job, nil
}

// shardsOf returns the shards of a task: tasks share them evenly.
func (t part) shardsOf(shards int) part {
	return part{t.first * shards / t.count, (t.first+1)*shards/t.count - 1, shards}
}

// part is a range of shards, first to last, of 0 to count-1. The zero value means "not given".
type part struct{ first, last, count int }

// String returns the form of the flag.
func (p part) String() string {
	if p.first == p.last {
		return fmt.Sprintf("%d/%d", p.first, p.count)
	}
	return fmt.Sprintf("%d-%d/%d", p.first, p.last, p.count)
}
