package main

import (
	"slices"
	"strings"
)

// part is a set of equal trainings of an experiment.
type part struct {
	what        string
	model       string
	batch       int
	replicas    int // models of one repetition
	steps       int
	repetitions int
	shared      bool // all models of a repetition see the same batches
}

// modelSteps returns how many steps of one model the part takes.
func (p part) modelSteps() float64 {
	return float64(p.replicas) * float64(p.steps) * float64(p.repetitions)
}

// experiment is a figure or table that needs training, at the paper's size.
type experiment struct {
	name, source string
	parts        []part
}

var experiments = []experiment{
	{"cebere2024/figure1", "arXiv:2405.14457: Figure 1, Table 2", []part{
		{"ConvNet: A_GC-R and A_L, C = 1, 2, 4", "convnet", 128, 5000, 250, 6, true},
		{"ResNet18: A_GC-R and A_L, C = 1, 2, 4", "resnet18", 128, 5000, 250, 6, true},
		{"FCNN: A_GC-R, A_GC-S and A_L, five times", "fcnn", 400, 5000, 250, 15, true},
	}},
	{"cebere2024/figure1-fcnn", "arXiv:2405.14457: Figure 1c, Table 2", []part{
		{"A_GC-R, A_GC-S and A_L, five times", "fcnn", 400, 5000, 250, 15, true},
	}},
	{"cebere2024/figure2", "arXiv:2405.14457: Figure 2, Table 2", []part{
		{"ConvNet, k = 5: A_GC-R and A_L", "convnet", 128, 5000, 1250, 2, true},
		{"ConvNet, k = 25: A_GC-R and A_L", "convnet", 128, 5000, 6250, 2, true},
		{"ResNet18, k = 5: A_GC-R and A_L", "resnet18", 128, 5000, 1250, 2, true},
		{"ResNet18, k = 25: A_GC-R and A_L", "resnet18", 128, 5000, 6250, 2, true},
	}},
	{"papernot2022/figure7", "arXiv:2110.03620: Figure 7; 60 epochs of 60,000 / 256 steps", []part{
		{"MNIST, 1,000 learning rates", "all-conv", 256, 1000, 14062, 1, false},
	}},
}

// findExperiment returns the experiment of a name.
func findExperiment(name string) (experiment, bool) {
	i := slices.IndexFunc(experiments, func(e experiment) bool { return e.name == name })
	if i < 0 {
		return experiment{}, false
	}
	return experiments[i], true
}

func experimentNames() string {
	names := make([]string, len(experiments))
	for i, e := range experiments {
		names[i] = e.name
	}
	return strings.Join(names, ", ")
}
