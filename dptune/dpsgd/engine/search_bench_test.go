package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// BenchmarkSearch compares a private search over K runs, price and scores included, with K single
// trainings of the same configs. It reports the ratios of their times and of their processor times,
// which other programs disturb less. The search trains its runs one by one (chunk=1), or as
// replicas on all cores, the default. The single trainings run one after the other on one core, and
// then as many at a time as there are cores: busy cores may each be slower, and that is not a cost
// of searching. Each search follows its single trainings at once, and a ratio is of the sums over
// all rounds. The time of the price is reported separately: it does not depend on the length of the
// runs, which take some tenths of a second here.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct {
		name  string
		model func() (dpsgd.Model, error)
		shape []int
		batch int
		steps int
	}{
		{"mlp-64-32-10", func() (dpsgd.Model, error) { return models.MLP(64, 32, 10) }, []int{64}, 64, 250},
		{"mlp-784-120-120-10", func() (dpsgd.Model, error) { return models.MLP(784, 120, 120, 10) }, []int{784}, 64, 100},
		{"mnist-cnn", func() (dpsgd.Model, error) { return must(models.ByName("mnist-cnn"))(b).Build() }, []int{28, 28, 1}, 64, 20},
	} {
		for _, group := range []int{1, 0} {
			b.Run(fmt.Sprintf("%s/batch=%d/runs=%d/chunk=%d", c.name, c.batch, searchRuns, group), func(b *testing.B) {
				width := 1
				for _, side := range c.shape {
					width *= side
				}
				examples := blobs(20*c.batch, width, 10)
				examples.Shape = c.shape
				benchmarkSearch(b, must(c.model())(b), examples, c.batch, c.steps, group)
			})
		}
	}
}

const searchRuns = 8

func benchmarkSearch(b *testing.B, model dpsgd.Model, examples data.Dataset, batch, steps, group int) {
	rest, held, err := data.SplitCoins(examples, 0.1, streams.Fixed("benchmark").Rand("split"))
	if err != nil {
		b.Fatal(err)
	}
	configure := func(rate float64) dpsgd.Config {
		return dpsgd.Config{
			Sampling: dpsgd.Poisson{Rate: float64(batch) / float64(rest.Len())}, Steps: steps, ExpectedBatchSize: float64(batch), LearningRate: rate,
			ClipNorm: 1, NoiseMultiplier: 1,
		}
	}
	search := dptune.Search[float64, dpsgd.Parameters]{
		Law: law.Fixed{Count: searchRuns}, Prior: dptune.LogGrid(0.1, 1, 5), Delta: 1e-5, Unit: "one example",
		Candidate: candidate.DPSGD[float64]{
			Model: model, Train: rest, Validation: held, Configure: configure,
			Score: dptune.PrivateAccuracy{NoiseMultiplier: 5}, Performance: engine.Performance{ReplicasPerCall: group},
		},
	}
	round := 0
	single := func(k int) error {
		t, err := engine.NewReplicas(model, rest, configure(0.1*float64(1+k)).Plan())
		if err == nil {
			_, err = t.Run(context.Background(), streams.Fixed(fmt.Sprintf("single %d of round %d", k, round)))
		}
		return err
	}
	atOnce := func(limit int) func() {
		return func() {
			var group sync.WaitGroup
			errs, free := make([]error, searchRuns), make(chan struct{}, limit)
			for k := range searchRuns {
				free <- struct{}{}
				group.Go(func() { errs[k] = single(k); <-free })
			}
			group.Wait()
			if err := errors.Join(errs...); err != nil {
				b.Fatal(err)
			}
		}
	}
	singles, together := atOnce(1), atOnce(runtime.GOMAXPROCS(0))
	tune := func() { must(search.Run(context.Background(), streams.Fixed(fmt.Sprint("round ", round))))(b) }
	price := func() { must(search.Price())(b) }
	singles() // compiles
	tune()
	var cpu, elapsed [4]time.Duration
	for b.Loop() {
		round++
		for i, run := range []func(){singles, together, tune, price} {
			before, start := cpuTime(), time.Now()
			run()
			cpu[i] += cpuTime() - before
			elapsed[i] += time.Since(start)
		}
	}
	ratio := func(of [4]time.Duration, to int) float64 { return of[2].Seconds() / of[to].Seconds() }
	b.ReportMetric(ratio(cpu, 0), "cpu-ratio")
	b.ReportMetric(ratio(cpu, 1), "cpu-ratio-to-together")
	b.ReportMetric(ratio(elapsed, 0), "time-ratio")
	b.ReportMetric(ratio(elapsed, 1), "time-ratio-to-together")
	b.ReportMetric(cpu[0].Seconds()*1e3/float64(round*searchRuns), "cpu-ms/single-run")
	b.ReportMetric(cpu[3].Seconds()*1e3/float64(round), "cpu-ms/price")
}
