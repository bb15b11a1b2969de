package main

import (
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

// entry is one training of -all.
type entry struct {
	experiment experiments.Any
	profile    string

	// h100 estimates the minutes of the whole training on one H100, from the model-steps and the
	// speed of a similar network. It is 0 if unknown. The times of stored shards come first.
	h100 float64
}

// inOrder lists what -all trains. Entries that show more in a minute of one H100 come first. An
// experiment that is complete stays in the list, and is trained again if its version changes.
var inOrder = []entry{
	// Seven items of the paper, on its own data instead of digits. Each shard adds runs to all of
	// them. The reduced size completes what is stored, and the paper's size then replaces it.
	{audits.FashionBank, "mid", 0},
	{audits.CIFARBank, "mid", 0},
	{audits.FashionBank, "full", 0},
	{audits.CIFARBank, "full", 0},
	// Figures 1a and 5 at the paper's size, in about 14 minutes for the five shards that are left.
	{hidden.ConvNet, "full", 0},
	// A_GC-R of Figures 1a, 2a and 11 at the paper's size. The shards of k = 25 take most of the time.
	{hidden.Coordinates, "full", 0},
	// Figures 2a, 5, 6a and 11 at the paper's size, in nearly twice the time.
	{hidden.ConvNetPeriod, "full", 24},
	// Figure 7 with the paper's network, with a smaller one, and with the perceptron.
	{search.Figure7AllConv, "full", 0},
	{search.Figure7CNN, "full", 6},
	{search.Figure7MLP, "full", 10},
	// One curve each of Figures 5 to 7. The times are unknown: batches of 1,000 and more.
	{tuned.FashionSGD, "full", 0},
	{tuned.FashionAdam, "full", 0},
	{tuned.MNISTSGD, "full", 0},
	{tuned.MNISTAdam, "full", 0},
	{tuned.IMDBSGD, "full", 0},
	{tuned.IMDBAdam, "full", 0},
	{tuned.CIFARSGD, "full", 0},
	{tuned.CIFARAdam, "full", 0},
	{tuned.FashionAllSGD, "full", 0},
	{tuned.FashionAllAdam, "full", 0},
	{tuned.MNISTAllSGD, "full", 0},
	{tuned.MNISTAllAdam, "full", 0},
	{tuned.CIFARAllSGD, "full", 0},
	{tuned.CIFARAllAdam, "full", 0},
	{tuned.IMDBAllSGD, "full", 0},
	{tuned.IMDBAllAdam, "full", 0},
	// The time ratios of Figures 2 to 8, in a minute.
	{koskela2023.StepTimes, "full", 1},
	// The sixth notebook, and the spread of the quickstart's accuracy. They are in none of the papers.
	{sixth.CIFAR, "full", 0},
	{quickstart.Seeds, "full", 0},
	// Complete when this list was made.
	{hidden.FCNN, "full", 0},
	{hidden.FCNNPeriod, "full", 0},
	{hidden.ConvNetUnknown, "full", 0},
	{hidden.LastLayer, "full", 0},
	{hidden.Norms, "full", 0},
	{audits.Tuning, "full", 0},
	{auditbounds.ManyCanaries, "full", 0},
	{tuned.MNISTMLPSGD, "mid", 0},
	{tuned.MNISTMLPAdam, "mid", 0},
	// One figure, 1b, in many hours.
	{hidden.ResNet, "full", 0},
}

// onH100 returns the estimated seconds of some shards on one H100, or 0.
func (e entry) onH100(shards int, job experiments.Job) float64 {
	return 60 * e.h100 * float64(shards) / float64(job.Shards)
}
