// Package tuned has the accuracies of Figures 2 to 8 of Koskela and Kulkarni (NeurIPS 2023): a
// tuning on a Poisson sample, and a last training with the winner. It evaluates every method
// exactly on banks of trained runs (package bank), for any law of K. Prices are the paper's, and
// the least that are known. It adds what the paper leaves out: all protocols at one (ε, δ).
//
//	result, err := tuned.FashionSGD.Figure()
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//
// The profiles full are banks of the paper's size. Most of what is stored is smaller.
//
// It promises nothing to other modules.
package tuned

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
	Figures     string // of the paper
	MeanRepeats float64
}

// The experiments of Figures 2 and 5 (SGD) and of 3 and 6 (Adam) tune the learning rate. Those of
// Figures 4 and 7 (SGD) and of 8 (Adam) tune γ and the epochs too. The paper does not print their
// larger µ; 45 is that of Figure 1.
var (
	FashionSGD = learningRate("fashion-sgd", "Fashion-MNIST, 784-120-120-10, DP-SGD", map[string]bank.Config{
		"quick": digitsBank("sgd"), "mid": sized(everySecond(fashionBank("sgd", midLevels)), 6000, 3, 1), "full": sized(fashionBank("sgd", manyLevels), 0, 4, 2)})
	FashionAdam = learningRate("fashion-adam", "Fashion-MNIST, 784-120-120-10, DP-Adam", map[string]bank.Config{
		"quick": digitsBank("adam"), "mid": sized(everySecond(fashionBank("adam", midLevels)), 6000, 3, 1), "full": sized(fashionBank("adam", manyLevels), 0, 3, 2)})
	MNISTSGD = learningRate("mnist-sgd", "MNIST, Opacus's network, DP-SGD", map[string]bank.Config{
		"mid": sized(everySecond(mnistBank("sgd", midLevels)), 3000, 3, 1), "full": sized(mnistBank("sgd", fewLevels), 12000, 2, 1)})
	MNISTMLPSGD = learningRate("mnist-mlp-sgd", "MNIST, 784-120-120-10 in place of Opacus's network, DP-SGD", map[string]bank.Config{
		"mid": sized(everySecond(mnistStandInBank("sgd")), 6000, 3, 1)})
	MNISTAdam = learningRate("mnist-adam", "MNIST, Opacus's network, DP-Adam", map[string]bank.Config{
		"mid": sized(everySecond(mnistBank("adam", midLevels)), 3000, 3, 1), "full": sized(mnistBank("adam", fewLevels), 12000, 2, 1)})
	MNISTMLPAdam = learningRate("mnist-mlp-adam", "MNIST, 784-120-120-10 in place of Opacus's network, DP-Adam", map[string]bank.Config{
		"mid": sized(everySecond(mnistStandInBank("adam")), 6000, 3, 1)})
	CIFARSGD = learningRate("cifar-sgd", "CIFAR-10, a last layer on public features, DP-SGD", map[string]bank.Config{
		"quick": digitsFeaturesBank("sgd"), "mid": sized(everySecond(cifarConvNetBank("sgd", cifarMidLevels)), 10000, 3, 1), "full": sized(cifarBank("sgd", manyLevels), 0, 3, 2)})
	CIFARAdam = learningRate("cifar-adam", "CIFAR-10, a last layer on public features, DP-Adam", map[string]bank.Config{
		"quick": digitsFeaturesBank("adam"), "mid": sized(everySecond(cifarConvNetBank("adam", cifarMidLevels)), 10000, 3, 1), "full": sized(cifarBank("adam", manyLevels), 0, 3, 2)})
	IMDBSGD = learningRate("imdb-sgd", "IMDB, mean of embeddings, DP-SGD", map[string]bank.Config{
		"mid": sized(everySecond(imdbWordsBank("sgd")), 5000, 3, 1), "full": sized(imdbBank("sgd"), 0, 2, 1)})
	IMDBAdam = learningRate("imdb-adam", "IMDB, mean of embeddings, DP-Adam", map[string]bank.Config{
		"mid": sized(everySecond(imdbWordsBank("adam")), 5000, 3, 1), "full": sized(imdbBank("adam"), 0, 2, 1)})

	FashionAllSGD = allThree("fashion-all-sgd", "Fashion-MNIST, 784-120-120-10, DP-SGD", map[string]bank.Config{
		"quick": digitsJointBank("sgd"), "mid": sized(shorter(fashionJointBank("sgd"), 2), 6000, 3, 1), "full": sized(fashionJointBank("sgd"), 0, 1, 2)})
	FashionAllAdam = allThree("fashion-all-adam", "Fashion-MNIST, 784-120-120-10, DP-Adam", map[string]bank.Config{
		"quick": digitsJointBank("adam"), "mid": sized(shorter(fashionJointBank("adam"), 2), 6000, 3, 1), "full": sized(fashionJointBank("adam"), 0, 1, 2)})
	MNISTAllSGD = allThree("mnist-all-sgd", "MNIST, 784-120-120-10 in place of Opacus's network, DP-SGD", map[string]bank.Config{
		"mid": sized(shorter(joint(mnistStandInBank("sgd"), jointOn60000), 2), 6000, 3, 1), "full": sized(joint(mnistStandInBank("sgd"), jointOn60000), 0, 1, 2)})
	MNISTAllAdam = allThree("mnist-all-adam", "MNIST, 784-120-120-10 in place of Opacus's network, DP-Adam", map[string]bank.Config{
		"mid": sized(shorter(joint(mnistStandInBank("adam"), jointOn60000), 2), 6000, 3, 1), "full": sized(joint(mnistStandInBank("adam"), jointOn60000), 0, 1, 2)})
	CIFARAllSGD = allThree("cifar-all-sgd", "CIFAR-10, a last layer on public features, DP-SGD", map[string]bank.Config{
		"mid": sized(shorter(joint(cifarConvNetBank("sgd", nil), jointOnCIFAR), 2), 10000, 3, 1), "full": sized(joint(cifarBank("sgd", nil), jointOnCIFAR), 0, 1, 2)})
	CIFARAllAdam = allThree("cifar-all-adam", "CIFAR-10, a last layer on public features, DP-Adam", map[string]bank.Config{
		"mid": sized(shorter(joint(cifarConvNetBank("adam", nil), jointOnCIFAR), 2), 10000, 3, 1), "full": sized(joint(cifarBank("adam", nil), jointOnCIFAR), 0, 1, 2)})
	IMDBAllSGD = allThree("imdb-all-sgd", "IMDB, mean of embeddings, DP-SGD", map[string]bank.Config{
		"mid": sized(shorter(joint(imdbWordsBank("sgd"), jointOnIMDB), 1), 5000, 3, 1), "full": sized(joint(imdbBank("sgd"), jointOnIMDB), 0, 1, 1)})
	IMDBAllAdam = allThree("imdb-all-adam", "IMDB, mean of embeddings, DP-Adam", map[string]bank.Config{
		"mid": sized(shorter(joint(imdbWordsBank("adam"), jointOnIMDB), 1), 5000, 3, 1), "full": sized(joint(imdbBank("adam"), jointOnIMDB), 0, 1, 1)})
)

func fashionJointBank(optimizer string) bank.Config {
	return joint(fashionBank(optimizer, nil), jointOn60000)
}

// All lists the experiments of Figures 2 to 8.
func All() []Trained {
	return []Trained{
		FashionSGD, FashionAdam, MNISTSGD, MNISTAdam, MNISTMLPSGD, MNISTMLPAdam, CIFARSGD, CIFARAdam, IMDBSGD, IMDBAdam,
		FashionAllSGD, FashionAllAdam, MNISTAllSGD, MNISTAllAdam, CIFARAllSGD, CIFARAllAdam, IMDBAllSGD, IMDBAllAdam,
	}
}

func learningRate(name, task string, profiles map[string]bank.Config) Trained {
	shows := "Figures 2 and 5"
	if strings.HasSuffix(name, "-adam") {
		shows = "Figures 3 and 6"
	}
	return Trained{bank.NewExperiment("koskela2023/"+name, task+": tuning η", profiles), shows, papers.Koskela2023.MeanRepeats}
}

func allThree(name, task string, profiles map[string]bank.Config) Trained {
	shows := "Figures 4 and 7"
	if strings.HasSuffix(name, "-adam") {
		shows = "Figure 8"
	}
	return Trained{bank.NewExperiment("koskela2023/"+name, task+": tuning η, γ and epochs", profiles), shows, papers.Koskela2023.Figure1.CrossingMean}
}

// Figure returns the figure of what is stored.
func (t Trained) Figure() (TuningResult, error) { return t.FigureAfter(TuningResult{}) }

// FigureAfter is Figure with the prices of another, where they are the same: those of DP-SGD and
// DP-Adam at the same levels of noise.
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

// Again trains the first shard of the quick profile once more, and compares it with what is stored.
// progress reports how much is done; nil for none.
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
	return tuning(stored.Result, bank.AccountOf(stored, profile), t.config(profile, task), other)
}

// config is how the runs of a profile are priced.
func (t Trained) config(profile, task string) TuningConfig {
	p := papers.Koskela2023
	name, shows := strings.ReplaceAll(t.Name, "/", "-"), t.Figures
	if profile == "quick" {
		name, shows = name+"-digits", "Like "+shows
	}
	if network := publicNetworks[t.Profiles[profile].Data]; network != "" {
		task = strings.Replace(task, "public features", "features of a public "+network, 1)
	}
	return TuningConfig{
		Name: name, Figures: shows, Task: task, Delta: p.Delta, MeanRepeats: t.MeanRepeats, MaxOrder: p.Figure1.MaxOrder,
		Epsilons: []float64{1, 2, 4, 8}, Resamples: 200,
	}
}

// publicNetworks has the networks of data sets that are features. Some profiles lack the paper's.
var publicNetworks = map[string]string{"cifar-10-features": "ResNet20", "cifar-10-convnet-features": "ConvNet"}
