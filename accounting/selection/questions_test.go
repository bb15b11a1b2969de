package selection_test

import (
	"maps"
	"sync/atomic"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// counted counts the questions that an accountant is asked.
type counted struct {
	accounting.Accountant
	asked *atomic.Int64
}

func (c counted) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	c.asked.Add(1)
	return c.Accountant.EpsilonAt(event, delta)
}

func (c counted) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	c.asked.Add(1)
	return c.Accountant.DeltaAt(event, epsilon)
}

// listing also answers many questions at once.
type listing struct {
	counted
	lists, listed *atomic.Int64
}

func (l listing) DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error) {
	l.lists.Add(1)
	l.listed.Add(int64(len(epsilons)))
	return contour.NewAccountant().DeltasAt(event, epsilons)
}

// A price asks about one run some questions and one list, whatever the law; at most 100 questions of a profile that answers one at a time.
func TestQuestionsAboutOneRun(t *testing.T) {
	laws := map[string]law.Law{"pmf": law.PMF{Weights: []float64{0.1, 0.2, 0, 0.4, 0.3}}, "withheld": law.Withheld{Law: law.Poisson{MeanRepeats: 10}, Max: 30}}
	if !testing.Short() {
		maps.Copy(laws, benchmarkLaws)
	}
	run := sgd(0.01, 2, 5000)
	for name, l := range laws {
		many := listing{counted{contour.NewAccountant(), new(atomic.Int64)}, new(atomic.Int64), new(atomic.Int64)}
		if _, err := selection.EventAt(selection.BestOf{Law: l, Base: run}, 1e-5, many); err != nil {
			t.Fatal(err)
		}
		single, lists, listed := many.asked.Load(), many.lists.Load(), many.listed.Load()
		slow := counted{contour.NewAccountant(), new(atomic.Int64)}
		if _, err := selection.EventAt(selection.BestOf{Law: l, Base: run}, 1e-5, slow); err != nil {
			t.Fatal(err)
		}
		t.Logf("%-12s %2d questions and %d lists of %d values in all; one at a time %d", name, single, lists, listed, slow.asked.Load())
		if single > 10 || lists > 3 || listed > 1100 { // two of the lists, of one value, find out whether lists are answered
			t.Errorf("%s: %d questions and %d lists of %d values: want at most 10, and one list", name, single, lists, listed)
		}
		if n := slow.asked.Load(); n > 100 {
			t.Errorf("%s: %d questions of a profile that answers one at a time, want at most 100", name, n)
		}
	}
}

// What was asked of a prepared base is kept: another law of the same mean asks for no list, and for ε at most at two more δ, as the mean
// is the same but for its last digits.
func TestQuestionsAreKept(t *testing.T) {
	many := listing{counted{contour.NewAccountant(), new(atomic.Int64)}, new(atomic.Int64), new(atomic.Int64)}
	base, err := baserun.New(sgd(0.01, 2, 5000), many)
	if err != nil {
		t.Fatal(err)
	}
	base = base.Prepared()
	var asked, lists []int64
	for _, l := range []law.Law{tnb(t, 0, 10), tnb(t, 1, 10), law.Poisson{MeanRepeats: 10}, law.Binomial{Trials: 20, P: 0.5}} {
		if _, err := selection.PriceAt(l, base, 1e-5); err != nil {
			t.Fatal(err)
		}
		asked, lists = append(asked, many.asked.Load()), append(lists, many.listed.Load())
	}
	if asked[0] == 0 || asked[3] > asked[0]+2 || lists[3] != lists[0] {
		t.Errorf("questions after each law %v, values in lists %v: want two questions more at most, and no list", asked, lists)
	}
}
