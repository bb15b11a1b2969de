// Package tuned has the accuracies of Figures 2 to 8 of Koskela and Kulkarni (NeurIPS 2023): a
// tuning on a Poisson sample, and a last training with the winner. It evaluates every method
// exactly on banks of trained runs (package bank), for any law of K. Prices are the paper's, and
// the least that are known. It adds what the paper leaves out: all protocols at one (ε, δ).
//
//	result, err := tuned.FashionSGD.Figure()
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//
// The profile full is the largest of an experiment, not always the paper's size. It has all data
// and learning rates of Fashion-MNIST, CIFAR-10 and IMDB, with 1 to 4 of 10 repeats, but 12,000
// examples of MNIST. Where MNIST tunes γ and the epochs too, its network is another one. Most of
// what is stored is smaller.
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
	FashionSGD, FashionAdam = both("fashion", "Fashion-MNIST, 784-120-120-10", false, func(o string) profiles {
		return profiles{"quick": digitsBank(o), "mid": sized(everySecond(fashionBank(o, midLevels)), 6000, 3, 1), "full": sized(fashionBank(o, manyLevels), 0, map[string]int{"sgd": 4, "adam": 3}[o], 2)}
	})
	MNISTSGD, MNISTAdam = both("mnist", "MNIST, Opacus's network", false, func(o string) profiles {
		return profiles{"mid": sized(everySecond(mnistBank(o, midLevels)), 3000, 3, 1), "full": sized(mnistBank(o, fewLevels), 12000, 2, 1)}
	})
	MNISTMLPSGD, MNISTMLPAdam = both("mnist-mlp", "MNIST, 784-120-120-10 in place of Opacus's network", false, func(o string) profiles {
		return profiles{"mid": sized(everySecond(mnistStandInBank(o)), 6000, 3, 1)}
	})
	CIFARSGD, CIFARAdam = both("cifar", "CIFAR-10, a last layer on public features", false, func(o string) profiles {
		return profiles{"quick": digitsFeaturesBank(o), "mid": sized(everySecond(cifarConvNetBank(o, cifarMidLevels)), 10000, 3, 1), "full": sized(cifarBank(o, manyLevels), 0, 3, 2)}
	})
	IMDBSGD, IMDBAdam = both("imdb", "IMDB, mean of embeddings", false, func(o string) profiles {
		return profiles{"mid": sized(everySecond(imdbWordsBank(o)), 5000, 3, 1), "full": sized(imdbBank(o), 0, 2, 1)}
	})

	FashionAllSGD, FashionAllAdam = both("fashion-all", "Fashion-MNIST, 784-120-120-10", true, func(o string) profiles {
		whole := joint(fashionBank(o, nil), jointOn60000)
		return profiles{"quick": digitsJointBank(o), "mid": sized(shorter(whole, 2), 6000, 3, 1), "full": sized(whole, 0, 1, 2)}
	})
	MNISTAllSGD, MNISTAllAdam = both("mnist-all", "MNIST, 784-120-120-10 in place of Opacus's network", true, func(o string) profiles {
		whole := joint(mnistStandInBank(o), jointOn60000)
		return profiles{"mid": sized(shorter(whole, 2), 6000, 3, 1), "full": sized(whole, 0, 1, 2)}
	})
	CIFARAllSGD, CIFARAllAdam = both("cifar-all", "CIFAR-10, a last layer on public features", true, func(o string) profiles {
		return profiles{"mid": sized(shorter(joint(cifarConvNetBank(o, nil), jointOnCIFAR), 2), 10000, 3, 1), "full": sized(joint(cifarBank(o, nil), jointOnCIFAR), 0, 1, 2)}
	})
	IMDBAllSGD, IMDBAllAdam = both("imdb-all", "IMDB, mean of embeddings", true, func(o string) profiles {
		return profiles{"mid": sized(shorter(joint(imdbWordsBank(o), jointOnIMDB), 1), 5000, 3, 1), "full": sized(joint(imdbBank(o), jointOnIMDB), 0, 1, 1)}
	})
)

type profiles = map[string]bank.Config

var all []Trained

// All lists the experiments of Figures 2 to 8.
func All() []Trained { return all }

// both returns an experiment with DP-SGD and one with DP-Adam. They tune the learning rate, or γ
// and the epochs too.
func both(name, task string, joint bool, of func(optimizer string) profiles) (sgd, adam Trained) {
	what, shows, mean := ": tuning η", [2]string{"Figures 2 and 5", "Figures 3 and 6"}, papers.Koskela2023.MeanRepeats
	if joint {
		what, shows, mean = ": tuning η, γ and epochs", [2]string{"Figures 4 and 7", "Figure 8"}, papers.Koskela2023.Figure1.CrossingMean
	}
	sgd = Trained{bank.NewExperiment("koskela2023/"+name+"-sgd", task+", DP-SGD"+what, of("sgd")), shows[0], mean}
	adam = Trained{bank.NewExperiment("koskela2023/"+name+"-adam", task+", DP-Adam"+what, of("adam")), shows[1], mean}
	all = append(all, sgd, adam)
	return sgd, adam
}

// Figure returns the figure of what is stored.
func (t Trained) Figure() (TuningResult, error) { return t.FigureAfter(TuningResult{}) }

// FigureAfter is Figure with the prices of another, where they are the same: those of DP-SGD and
// DP-Adam at the same levels of noise.
func (t Trained) FigureAfter(other TuningResult) (TuningResult, error) {
	stored, err := bank.Largest(t.Experiment)
	if err != nil {
		return TuningResult{}, err
	}
	return t.figure(stored, t.Title, other)
}

// Digits returns the figure of the quick profile, on the embedded digits, which is stored too.
func (t Trained) Digits() (TuningResult, error) {
	stored, err := t.Load("quick")
	if err != nil {
		return TuningResult{}, err
	}
	return t.figure(stored, t.onDigits(), TuningResult{})
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
	r := TrainedAgain{Account: bank.AccountOf(stored)}
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
	task := "Embedded digits, 64-32-10, "
	if t.Profiles["quick"].Data == "digits-features" {
		task = "Embedded digits 0 to 4, a last layer on features of 5 to 9, "
	}
	return task + t.Title[strings.LastIndex(t.Title, "DP-"):]
}

func (t Trained) figure(stored bank.Stored, task string, other TuningResult) (TuningResult, error) {
	return tuning(stored.Result, bank.AccountOf(stored), t.config(stored.Profile, task), other)
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
