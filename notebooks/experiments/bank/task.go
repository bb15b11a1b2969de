package bank

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/cifar"
	"github.com/dplab/dplab/data/sets"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
)

// task is a data set, or its features from a public network. dir is as in data.Dir.
type task struct {
	load   func(dir string) (train, test data.Dataset, err error)
	public *public // nil for none
}

// prepared has, by name, the tasks that change their data set.
var prepared = map[string]task{
	"digits-features":           {lowDigits, publicDigits},
	"imdb-5000":                 {load: frequentReviews},
	"cifar-10-features":         {cifar.Load, publicResNet20},
	"cifar-10-convnet-features": {cifar.Load, publicConvNet},
}

// taskOf returns the task with that name: a prepared one, or an unchanged data set of package sets.
func taskOf(name string) (task, bool) {
	if t, known := prepared[name]; known {
		return t, true
	}
	set, known := sets.Find(name)
	return task{load: set.Load}, known
}

// taskNames lists the tasks.
func taskNames() string { return names(prepared) + ", " + sets.Names(sets.All()) }

// networks has the models by name. A tempered sigmoid of scale 2, temperature 2 and offset 1 is
// tanh.
var networks = map[string]func() (dpsgd.Model, error){
	"digits-mlp": func() (dpsgd.Model, error) { return models.MLP(64, 32, 10) },
	"mlp":        func() (dpsgd.Model, error) { return models.MLP(784, 120, 120, 10) },
	"mnist-cnn":  func() (dpsgd.Model, error) { return models.MNISTCNN(nn.Tanh()) },
	"all-conv":   models.AllConv,
	"imdb":       func() (dpsgd.Model, error) { return models.IMDB(models.IMDBLength) },
	"imdb-5000":  imdb5000,

	// Last layers: 64 features of a ResNet20 as in koskela2023, 84 of a ConvNet, 32 of a network for
	// digits.
	"last-64": func() (dpsgd.Model, error) { return models.MLP(64, 10) },
	"last-84": func() (dpsgd.Model, error) { return models.MLP(84, 10) },
	"last-32": func() (dpsgd.Model, error) { return models.MLP(32, 10) },
}

func names[V any](of map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(of)), ", ")
}

// rows holds the data of one repeat.
type rows struct {
	train            data.Dataset // of the part
	size             float64      // public
	validation, test data.Dataset // halves of the data set's test part
	public           float64      // share of public test examples that the network of the features gets right
}

// rows returns the data of a part in a repeat. All repeats have the same examples, and each has its
// own sample.
func (c Config) rows(ctx context.Context, env experiments.Env, p Part, repeat int) (rows, error) {
	of, _ := taskOf(c.Data)
	train, test, err := of.load(env.Data)
	if err != nil {
		return rows{}, fmt.Errorf("bank: %w", err)
	}
	root := streams.Fixed(c.Seed)
	if train, err = c.some(train, root); err != nil {
		return rows{}, err
	}
	var r rows
	if of.public != nil {
		made, err := experiments.Keep(env, "features", func() (f features, err error) {
			f = features{train: train, test: test}
			f.right, err = of.public.extract(ctx, env, &f.train, &f.test)
			return f, err
		})
		if err != nil {
			return rows{}, err
		}
		train, test, r.public = made.train, made.test, made.right
	}
	r.train, r.size = train, c.share(p)*float64(train.Len())
	if r.test, r.validation, err = data.SplitRandom(test, test.Len()/2, root.Rand("validation")); err != nil || p == All {
		return r, err
	}
	rest, sample, err := data.SplitCoins(train, c.TuningRate, root.Child(fmt.Sprintf("repeat %d", repeat)).Rand("sample"))
	r.train = rest
	if p == Sample {
		r.train = sample
	}
	return r, err
}

// some returns Config.Examples examples of the training data.
func (c Config) some(train data.Dataset, root streams.Root) (data.Dataset, error) {
	switch n := train.Len(); {
	case c.Examples > n:
		return data.Dataset{}, fmt.Errorf("bank: Config.Examples %d: must be at most %d, the size of %s", c.Examples, n, c.Data)
	case c.Examples == 0 || c.Examples == n:
		return train, nil
	}
	chosen := root.Rand("examples").Perm(train.Len())[:c.Examples]
	slices.Sort(chosen)
	return train.Subset(train.Name, chosen), nil
}
