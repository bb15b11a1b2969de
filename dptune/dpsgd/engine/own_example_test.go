package engine_test

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// The clip norm follows the median of the gradients' norms, which a noisy count estimates. The
// count and the sum are one Gaussian mechanism of noise multiplier z (Andrew et al. (2021),
// arXiv:1905.03871, Theorem 1). State keeps the clip norm.
func ExampleReplicas_RunOwn_adaptiveClipping() {
	const q, z, ofCount, rate, steps = 0.2, 1.0, 5.0, 0.2, 60
	ctx, train := context.Background(), blobs(600, 16, 3)
	model, err := models.MLP(16, 12, 3)
	check(err)
	ofSum, expected := 1/math.Sqrt(1/(z*z)-1/(4*ofCount*ofCount)), q*float64(train.Len())
	release := accounting.PoissonSampled{SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: z}}
	plan := dpsgd.Config{Steps: steps, ExpectedBatchSize: expected, LearningRate: 0.5}.Plan()
	plan.Own = &dpsgd.Own{Event: accounting.SelfComposed{Event: release, Count: steps}, State: []float64{100}}
	trainer, err := engine.NewReplicas(model, train, plan)
	check(err)
	result, err := trainer.RunOwn(ctx, streams.Fixed("example"), func(s *engine.OwnStep) ([][]float64, error) {
		clip := s.State[0][0]
		batch, err := dpsgd.Poisson{Rate: q}.Batch(s.Coins(0), s.Number, train.Len())
		check(err)
		sums, norms, err := s.Sums([][]int32{batch}, []float64{clip})
		check(err)
		count := ofCount * s.Coins(0).Rand(fmt.Sprint("count of step ", s.Number)).NormFloat64()
		for _, norm := range norms[0] { // half a unit up or down: an example moves the count by 1/2
			count += math.Copysign(0.5, clip-norm)
		}
		addScaled(sums[0], ofSum*clip, s.Normals(0, s.Number))
		s.State[0][0] = clip * math.Exp(-rate*2*count/expected)
		return sums, nil
	})
	check(err)
	norms, err := trainer.Norms(ctx, result.Parameters, [][]int32{rangeOf(train.Len())})
	check(err)
	above := slices.DeleteFunc(norms[0], func(norm float64) bool { return norm <= result.State[0][0] })
	fmt.Println("3 to 7 in 10 norms are above the last clip norm:", math.Abs(float64(len(above))/600-0.5) < 0.2)
	// Output: 3 to 7 in 10 norms are above the last clip norm: true
}

// DP-FedAvg (McMahan et al. (2018), arXiv:1710.06963). Users train by themselves, as replicas of a
// trainer without privacy. The server draws some users, clips how far each moved, and adds noise.
func ExampleReplicas_RunOwn_federatedAveraging() {
	const users, each, q, clip, z, rounds = 60, 10, 0.5, 1.0, 1.0, 20
	ctx, train := context.Background(), blobs(users*each, 16, 3)
	model, err := models.MLP(16, 12, 3)
	check(err)
	alone := dpsgd.Config{NonPrivate: true, Sampling: dpsgd.FullBatch{}, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1}
	local, err := engine.NewReplicas(model, train, dpsgd.Plan{Replicas: slices.Repeat([]dpsgd.Config{alone}, users)})
	check(err)
	round := accounting.PoissonSampled{SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: z}}
	plan := dpsgd.Config{Steps: rounds, ExpectedBatchSize: q * users, LearningRate: 1}.Plan()
	plan.Own = &dpsgd.Own{Event: accounting.SelfComposed{Event: round, Count: rounds}}
	server, err := engine.NewReplicas(model, train, plan)
	check(err)
	rows := slices.Collect(slices.Chunk(rangeOf(users*each), each)) // of each user
	result, err := server.RunOwn(ctx, streams.Fixed("example"), func(s *engine.OwnStep) ([][]float64, error) {
		start, err := s.Weights()
		check(err)
		w := dpsgd.ParametersOf(model, slices.Repeat(start, users)...)
		for range 5 { // local steps
			sums, _, err := local.ClippedSums(ctx, w, rows)
			check(err)
			for u, sum := range sums {
				w.Values[u] = slices.Clone(w.Values[u])
				addScaled(w.Values[u], -0.5/each, sum)
			}
		}
		noisy := make([]float64, model.Size())
		addScaled(noisy, z*clip, s.Normals(0, s.Number))
		joined, err := dpsgd.Poisson{Rate: q}.Batch(s.Coins(0), s.Number, users)
		for _, u := range joined {
			addScaled(w.Values[u], -1, start[0]) // how far the user moved
			addScaled(noisy, -min(1, clip/length(w.Values[u])), w.Values[u])
		}
		return [][]float64{noisy}, err
	})
	check(err)
	accuracy, err := result.Model(0).Accuracy(ctx, blobs(300, 16, 3))
	fmt.Println("better than 9 in 10:", accuracy > 0.9, err)
	// Output: better than 9 in 10: true <nil>
}

// addScaled adds factor times x to a sum.
func addScaled(sum []float64, factor float64, x []float64) {
	for i, v := range x {
		sum[i] += factor * v
	}
}
