package twin

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dplab/dplab/dptune/dpsgd"
)

// randomPlan returns a plan on so many examples.
func randomPlan(rng *rand.Rand, n network, examples int) dpsgd.Plan {
	plan := dpsgd.Plan{
		SharedBatches: rng.IntN(3) == 0, ClipMethod: oneOf(rng, dpsgd.BookKeeping, dpsgd.Materialized),
		Generator: oneOf(rng, dpsgd.AES256, dpsgd.ChaCha20), Initial: &dpsgd.Parameters{},
	}
	replicas, steps := 1+rng.IntN(4), 1+rng.IntN(6)
	rates := []float64{0.03, 0.3, 0.7, 1}
	if plan.SharedBatches {
		rates = []float64{oneOf(rng, rates...)}
	}
	scheme, period := oneOf(rng, "Poisson", "Poisson", "allocation", "cut", "full", "fixed", "cyclic", "cyclic allocation"), 1+rng.IntN(examples+3)
	bands, inverse := rng.IntN(6), rng.IntN(2) == 0
	room, turns := rng.IntN(2), 2+rng.IntN(3)
	phases := randomPhases(rng, steps, rates)
	clipping, optimizer, nonPrivate, unclipped := rng.IntN(3), rng.IntN(4), rng.IntN(6) == 0, rng.IntN(2) == 0
	for range replicas {
		c := dpsgd.Config{
			ClipNorm: oneOf(rng, 1e-6, 0.1, 0.5, 2), NoiseMultiplier: oneOf(rng, 2e-3, 0.5, 2), Steps: steps, NonPrivate: nonPrivate,
			ExpectedBatchSize: oneOf(rng, 0.5, 3, 20), LearningRate: oneOf(rng, 0.01, 0.2), WeightDecay: oneOf(rng, 0, 0.3),
			Sampling: dpsgd.FullBatch{}, Optimizer: randomOptimizer(rng, optimizer),
		}
		if nonPrivate {
			c.NoiseMultiplier = 0
			if unclipped {
				c.ClipNorm = 0
			}
		}
		switch scheme {
		case "Poisson":
			c.Sampling = dpsgd.Poisson{Rate: oneOf(rng, rates...)}
		case "allocation":
			c.Sampling = dpsgd.RandomAllocation{Period: period + 1}
		case "cut":
			rate := oneOf(rng, rates...)
			most := max(1, int(math.Ceil(rate*float64(examples)))) + room
			c.Sampling = dpsgd.TruncatedPoisson{Rate: rate, Cap: most, Examples: max(1, examples)}
		case "fixed":
			c.Sampling = dpsgd.FixedBatches{Period: period}
		case "cyclic":
			c.Sampling = dpsgd.CyclicPoisson{Period: period, Rate: oneOf(rng, rates...)}
		case "cyclic allocation":
			c.Sampling = dpsgd.CyclicAllocation{Period: period, Turns: turns}
		}
		if !nonPrivate && scheme != "Poisson" && scheme != "allocation" && scheme != "cut" && bands > 0 && (!strings.HasPrefix(scheme, "cyclic") || bands <= period && !inverse) {
			c.Noise = randomNoise(rng, bands, inverse)
		}
		if poisson := scheme == "Poisson"; phases != nil && (poisson || scheme == "full" && c.Noise == nil) {
			c.Phases = slices.Clone(phases)
			for i := range c.Phases {
				if c.Phases[i].NoiseFactor = oneOf(rng, 0, 0.5, 3); nonPrivate {
					c.Phases[i].NoiseFactor = 0
				}
				if !poisson {
					c.Phases[i].SamplingRate = 0
				}
			}
		}
		if c.ClipNorm > 0 {
			c.Clipping = randomClipping(rng, clipping, c.ClipNorm, len(n.sizes()))
		}
		plan.Replicas = append(plan.Replicas, c)
	}
	for range oneOf(rng, 1, replicas) {
		plan.Initial.Values = append(plan.Initial.Values, normals(rng, n.size(), 0.6))
	}
	if rng.IntN(3) == 0 {
		plan.Schedule = oneOf(rng, dpsgd.Cosine(steps), dpsgd.StepDecay(2, 0.5), dpsgd.Warmup(2, nil))
	}
	plan.Average = oneOf(rng, 0, 0.5, 0.99)
	for range rng.IntN(3) {
		plan.Probes = append(plan.Probes, normals(rng, n.size(), 1))
	}
	if scheme != "cut" { // it takes none
		addCanaries(rng, n, &plan)
	}
	return plan
}

// randomPhases cuts steps into phases with rates, or returns nil.
func randomPhases(rng *rand.Rand, steps int, rates []float64) (phases []dpsgd.Phase) {
	for left := steps; left > 0 && rng.IntN(3) > 0; {
		phase := dpsgd.Phase{Steps: 1 + rng.IntN(left), SamplingRate: oneOf(rng, append(rates, 0, 0.5)...)}
		if left -= phase.Steps; left > 0 && len(phases) == 2 {
			phase.Steps, left = phase.Steps+left, 0
		}
		if phases = append(phases, phase); left == 0 {
			return phases
		}
	}
	return nil
}

// randomNoise returns a matrix of so many bands, some with coefficients that rise or are negative.
func randomNoise(rng *rand.Rand, bands int, inverse bool) *dpsgd.CorrelatedNoise {
	c := make([]float64, bands)
	c[0] = 1
	for j := 1; j < bands; j++ {
		c[j] = -rng.Float64() / float64(bands)
		if !inverse {
			c[j] *= oneOf(rng, -1.5, 1)
		}
	}
	if !inverse {
		scale(c, 1)
	}
	return &dpsgd.CorrelatedNoise{Coefficients: c, Inverse: inverse}
}

func randomClipping(rng *rand.Rand, kind int, clip float64, layers int) dpsgd.Clipping {
	switch kind {
	case 1:
		return dpsgd.AutomaticClipping{Stability: oneOf(rng, 0, 1e-3, 1)}
	case 2:
		rule := dpsgd.PerLayerClipping{}
		if rng.IntN(2) == 0 {
			for range layers {
				rule.Norms = append(rule.Norms, 0.1+rng.Float64())
			}
			scale(rule.Norms, clip)
		}
		return rule
	}
	return oneOf[dpsgd.Clipping](rng, nil, dpsgd.FlatClipping{})
}

func randomOptimizer(rng *rand.Rand, kind int) dpsgd.Optimizer {
	switch kind {
	case 1:
		return dpsgd.SGD{Momentum: oneOf(rng, 0, 0.5, 0.99)}
	case 2:
		return dpsgd.Adam{Beta1: oneOf(rng, 0, 0.5), Beta2: oneOf(rng, 0, 0.9), Epsilon: oneOf(rng, 1e-2, 1e-3)}
	case 3:
		return dpsgd.AdamBC{Beta1: oneOf(rng, 0, 0.5), Beta2: oneOf(rng, 0, 0.9), Floor: oneOf(rng, 1e-3, 1e-2)}
	}
	return nil
}

// scale brings values to a norm, or just below it.
func scale(values []float64, norm float64) {
	for i, of := 0, length(values); i < len(values); i++ {
		values[i] *= norm / of * (1 - 1e-12)
	}
}

// addCanaries adds canaries of any kind, or none.
func addCanaries(rng *rand.Rand, n network, plan *dpsgd.Plan) {
	least := math.Inf(1)
	for _, c := range plan.Replicas {
		least = min(least, c.ClipNorm)
	}
	crafted := func() []float64 {
		gradient := normals(rng, n.size(), 1)
		scale(gradient, orElse(least, 1))
		return gradient
	}
	in := func(count int) []bool {
		list := make([]bool, count)
		for i := range list {
			list[i] = rng.IntN(2) == 0
		}
		return list
	}
	count, many := min(1+rng.IntN(4), n.size()), &dpsgd.Canaries{}
	switch kind := rng.IntN(8); {
	case kind == 0:
		plan.Canary = &dpsgd.Canary{Gradient: crafted(), In: in(len(plan.Replicas))}
		return
	case kind == 1:
		x := n.example(rng, 1)
		plan.Canary = &dpsgd.Canary{Example: &x, In: in(len(plan.Replicas))}
		return
	case kind == 2 && least > 0:
		many.Coordinates = rng.Perm(n.size())[:count]
	case kind == 3:
		for range count {
			many.Gradients = append(many.Gradients, crafted())
		}
	case kind == 4 && !plan.SharedBatches:
		for range count {
			many.Examples = append(many.Examples, n.example(rng, 1))
		}
	default:
		return
	}
	for range plan.Replicas {
		many.In = append(many.In, in(count))
	}
	plan.Canaries = many
}
