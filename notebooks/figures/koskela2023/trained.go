package koskela2023

import (
	"context"
	"fmt"
	"strings"

	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Trained is a tuning experiment of Section 5, with the mean number of runs that it is priced for.
type Trained struct {
	bank.Experiment
	MeanRepeats float64
}

// The experiments of Figures 2 and 5 (SGD) and 3 and 6 (Adam), which tune the learning rate, and of Figures 4 and 7 (SGD) and 8
// (Adam), which tune γ and the epochs too. The paper does not print their larger µ; 45 is that of Figure 1.
var (
	FashionSGD = learningRate("fashion-sgd", "Fashion-MNIST, 784-120-120-10, DP-SGD", map[string]bank.Config{
		"quick": digitsBank("sgd"), "mid": sized(everySecond(fashionBank("sgd", midLevels)), 6000, 2, 1), "full": sized(fashionBank("sgd", manyLevels), 0, 4, 2)})
	FashionAdam = learningRate("fashion-adam", "Fashion-MNIST, 784-120-120-10, DP-Adam", map[string]bank.Config{
		"quick": digitsBank("adam"), "mid": sized(everySecond(fashionBank("adam", midLevels)), 6000, 2, 1), "full": sized(fashionBank("adam", manyLevels), 0, 3, 2)})
	MNISTSGD = learningRate("mnist-sgd", "MNIST, Opacus's network, DP-SGD", map[string]bank.Config{
		"mid": sized(everySecond(mnistBank("sgd", midLevels)), 3000, 2, 1), "full": sized(mnistBank("sgd", fewLevels), 12000, 2, 1)})
	MNISTMLPSGD = learningRate("mnist-mlp-sgd", "MNIST, 784-120-120-10 in place of Opacus's network, DP-SGD", map[string]bank.Config{
		"mid": sized(everySecond(mnistStandInBank("sgd")), 6000, 2, 1)})
	MNISTAdam = learningRate("mnist-adam", "MNIST, Opacus's network, DP-Adam", map[string]bank.Config{
		"mid": sized(everySecond(mnistBank("adam", midLevels)), 3000, 2, 1), "full": sized(mnistBank("adam", fewLevels), 12000, 2, 1)})
	MNISTMLPAdam = learningRate("mnist-mlp-adam", "MNIST, 784-120-120-10 in place of Opacus's network, DP-Adam", map[string]bank.Config{
		"mid": sized(everySecond(mnistStandInBank("adam")), 6000, 2, 1)})
	CIFARSGD = learningRate("cifar-sgd", "CIFAR-10, a last layer on public features, DP-SGD", map[string]bank.Config{
		"quick": digitsFeaturesBank("sgd"), "mid": sized(everySecond(cifarConvNetBank("sgd", cifarMidLevels)), 10000, 2, 1), "full": sized(cifarBank("sgd", manyLevels), 0, 4, 2)})
	CIFARAdam = learningRate("cifar-adam", "CIFAR-10, a last layer on public features, DP-Adam", map[string]bank.Config{
		"quick": digitsFeaturesBank("adam"), "mid": sized(everySecond(cifarConvNetBank("adam", cifarMidLevels)), 10000, 2, 1), "full": sized(cifarBank("adam", manyLevels), 0, 3, 2)})
	IMDBSGD = learningRate("imdb-sgd", "IMDB, mean of embeddings, DP-SGD", map[string]bank.Config{
		"mid": sized(everySecond(imdbWordsBank("sgd")), 5000, 2, 1), "full": sized(imdbBank("sgd"), 0, 2, 1)})
	IMDBAdam = learningRate("imdb-adam", "IMDB, mean of embeddings, DP-Adam", map[string]bank.Config{
		"mid": sized(everySecond(imdbWordsBank("adam")), 5000, 2, 1), "full": sized(imdbBank("adam"), 0, 2, 1)})

	FashionAllSGD = allThree("fashion-all-sgd", "Fashion-MNIST, 784-120-120-10, DP-SGD", map[string]bank.Config{
		"quick": digitsJointBank("sgd"), "mid": sized(shorterJointBank("sgd"), 6000, 2, 1), "full": sized(jointBank("sgd"), 0, 1, 2)})
	FashionAllAdam = allThree("fashion-all-adam", "Fashion-MNIST, 784-120-120-10, DP-Adam", map[string]bank.Config{
		"quick": digitsJointBank("adam"), "mid": sized(shorterJointBank("adam"), 6000, 2, 1), "full": sized(jointBank("adam"), 0, 1, 2)})
)

func learningRate(name, task string, profiles map[string]bank.Config) Trained {
	return Trained{bank.NewExperiment("koskela2023/"+name, task+": tuning η", profiles), papers.Koskela2023.MeanRepeats}
}

func allThree(name, task string, profiles map[string]bank.Config) Trained {
	return Trained{bank.NewExperiment("koskela2023/"+name, task+": tuning η, γ and epochs", profiles), papers.Koskela2023.Figure1.CrossingMean}
}

// Figure returns the figure of what is stored.
func (t Trained) Figure() (TuningResult, error) { return t.FigureAfter(TuningResult{}) }

// FigureAfter is Figure with the prices of another, where they are the same: those of DP-SGD and DP-Adam at the same levels of noise.
func (t Trained) FigureAfter(other TuningResult) (TuningResult, error) {
	stored, profile, err := bank.Largest(t.Experiment)
	if err != nil {
		return TuningResult{}, err
	}
	return t.figure(stored, profile, t.Title, other)
}

// Digits returns the figure of the quick profile, on the embedded digits, which is stored too.
func (t Trained) Digits() (TuningResult, error) {
	stored, err := t.Load("quick")
	if err != nil {
		return TuningResult{}, err
	}
	return t.figure(stored, "quick", t.onDigits(), TuningResult{})
}

// Again trains the first shard of the quick profile once more, and compares it with what is stored. progress is told how much is
// done; nil for none.
func (t Trained) Again(ctx context.Context, progress func(done, total int, detail string)) (TrainedAgain, error) {
	stored, err := t.Load("quick")
	if err != nil {
		return TrainedAgain{}, err
	}
	shard, err := bank.Train(ctx, stored.Config, 0, experiments.Env{Progress: progress})
	if err != nil {
		return TrainedAgain{}, err
	}
	r := TrainedAgain{Account: bank.AccountOf(stored, "quick")}
	r.Runs, r.Equal = stored.Result.Compare(shard)
	return r, nil
}

// TrainedAgain counts the runs of a shard, and those that came out as they are stored.
type TrainedAgain struct {
	Account     string // of what is stored
	Runs, Equal int
}

// Table lists both numbers.
func (r TrainedAgain) Table() figures.Table {
	return figures.Table{
		Name: "koskela2023-again", Title: "The runs on the first sample, trained here once more",
		Columns: []string{"what is stored", "runs trained again", "scores and accuracies as stored"},
		Rows:    [][]string{{r.Account, fmt.Sprint(r.Runs), fmt.Sprint(r.Equal)}},
	}
}

// onDigits is the task of the quick profile.
func (t Trained) onDigits() string {
	task := "The embedded digits, 64-32-10, "
	if t.Profiles["quick"].Data == "digits-features" {
		task = "The embedded digits 0 to 4, a last layer on features of 5 to 9, "
	}
	return task + t.Title[strings.LastIndex(t.Title, "DP-"):]
}

func (t Trained) figure(stored bank.Stored, profile, task string, other TuningResult) (TuningResult, error) {
	p := papers.Koskela2023
	name := strings.ReplaceAll(t.Name, "/", "-")
	if profile == "quick" {
		name += "-digits"
	}
	return tuning(stored.Result, bank.AccountOf(stored, profile), TuningConfig{
		Name: name, Task: task, Delta: p.Delta, MeanRepeats: t.MeanRepeats, MaxOrder: p.Figure1.MaxOrder,
		Epsilons: []float64{1, 2, 4, 8}, Resamples: 200,
	}, other)
}
