package bank

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/data/imdb"
	"github.com/dplab/dplab/data/mnist"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// tasks are the data sets by name. dir is as in data.Dir.
var tasks = map[string]func(dir string) (train, test data.Dataset, err error){
	"digits":        func(string) (train, test data.Dataset, err error) { return digits.Load() },
	"mnist":         mnist.Load,
	"fashion-mnist": mnist.LoadFashion,
	"imdb": func(dir string) (train, test data.Dataset, err error) {
		return imdb.Load(dir, models.IMDBLength)
	},
}

// networks are the models by name. A tempered sigmoid of scale 2, temperature 2 and offset 1 is tanh.
var networks = map[string]func() (dpsgd.Model, error){
	"digits-mlp": func() (dpsgd.Model, error) { return models.MLP(64, 32, 10) },
	"mlp":        func() (dpsgd.Model, error) { return models.MLP(784, 120, 120, 10) },
	"mnist-cnn":  func() (dpsgd.Model, error) { return models.MNISTCNN(nn.Tanh()) },
	"imdb":       func() (dpsgd.Model, error) { return models.IMDB(models.IMDBLength) },
}

func names[V any](of map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(of)), ", ")
}

// rows holds the data of one repeat.
type rows struct {
	train            data.Dataset // of the part
	size             float64      // public
	validation, test data.Dataset // halves of the data set's test part
}

// rows returns the data of a part in a repeat. All repeats have the same examples, and samples of their own.
func (c Config) rows(dir string, p Part, repeat int) (rows, error) {
	train, test, err := tasks[c.Data](dir)
	if err != nil {
		return rows{}, fmt.Errorf("bank: %w", err)
	}
	root := streams.Fixed(c.Seed)
	if train, err = c.some(train, root); err != nil {
		return rows{}, err
	}
	r := rows{train: train, size: c.share(p) * float64(train.Len())}
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

// some returns Examples of the training data.
func (c Config) some(train data.Dataset, root streams.Root) (data.Dataset, error) {
	switch n := train.Len(); {
	case c.Examples > n:
		return data.Dataset{}, fmt.Errorf("bank: Config.Examples %d: must be at most %d, what %s has", c.Examples, n, c.Data)
	case c.Examples == 0 || c.Examples == n:
		return train, nil
	}
	chosen := root.Rand("examples").Perm(train.Len())[:c.Examples]
	slices.Sort(chosen)
	return train.Subset(train.Name, chosen), nil
}
