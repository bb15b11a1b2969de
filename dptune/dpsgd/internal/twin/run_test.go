package twin

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// plain is one replica of a run.
type plain struct {
	network
	data    data.Dataset
	plan    dpsgd.Plan
	replica int
	key     key // of the replica
	shared  key // of the replica whose batches all see
}

// newPlain returns a replica of a run from a fixed root.
func newPlain(n network, d data.Dataset, plan dpsgd.Plan, replica int, root string) plain {
	of := func(r int) key { return fixedRoot(root).child(fmt.Sprintf("replica %d", r)) }
	return plain{n, d, plan, replica, of(replica), of(0)}
}

// run returns the weights after each step, and the products of each noisy sum with the probes.
func (p plain) run() (weights, probes [][]float64, average []float64) {
	c := p.plan.Replicas[p.replica]
	w := slices.Clone(p.plan.Initial.Values[min(p.replica, len(p.plan.Initial.Values)-1)])
	slots := [2][]float64{make([]float64, len(w)), make([]float64, len(w))}
	average = make([]float64, len(w))
	var drawn, added [][]float64
	for t := range c.Steps {
		c := phaseOf(c, t)
		sum := p.sum(w, t)
		if !c.NonPrivate {
			drawn = append(drawn, p.key.normals(t, len(w), p.plan.Generator == dpsgd.ChaCha20))
			added = append(added, correlated(c.Noise, drawn, added))
			for i, n := range added[t] {
				sum[i] += c.NoiseMultiplier * c.ClipNorm * n
			}
		}
		products := make([]float64, len(p.plan.Probes))
		for k, direction := range p.plan.Probes {
			for i, v := range direction {
				products[k] += v * sum[i]
			}
		}
		p.move(w, sum, slots, t)
		for i, v := range w { // (1-β) Σ β^(T-t) w_t, before it is divided by the sum of the shares
			average[i] = p.plan.Average*average[i] + (1-p.plan.Average)*v
		}
		weights, probes = append(weights, slices.Clone(w)), append(probes, products)
	}
	for i := range average {
		average[i] /= 1 - math.Pow(p.plan.Average, float64(c.Steps))
	}
	return weights, probes, average
}

// deviation returns the standard deviation of the noise of a step: that of row t of C⁻¹Z, found by
// solving C x = e_0.
func deviation(c dpsgd.Config, t int) float64 {
	var added [][]float64
	drawn, sum := [][]float64{}, 0.0
	for s := range t + 1 {
		z := 0.0
		if s == 0 {
			z = 1
		}
		drawn = append(drawn, []float64{z})
		added = append(added, correlated(c.Noise, drawn, added))
		sum += added[s][0] * added[s][0]
	}
	return c.NoiseMultiplier * c.ClipNorm * math.Sqrt(sum)
}

// phaseOf returns what the step of a run takes of its config.
func phaseOf(c dpsgd.Config, t int) dpsgd.Config {
	end := 0
	for _, phase := range c.Phases {
		if end += phase.Steps; t < end {
			c.NoiseMultiplier *= orElse(phase.NoiseFactor, 1)
			if phase.SamplingRate > 0 {
				rate := c.Sampling.(dpsgd.Poisson).Rate
				c.ExpectedBatchSize, c.Sampling = c.ExpectedBatchSize/rate*phase.SamplingRate, dpsgd.Poisson{Rate: phase.SamplingRate}
			}
			break
		}
	}
	return c
}

// correlated returns the noise of the last step: row t of C⁻¹Z. With bands of C it solves row t of
// C N = Z for the row of N that is missing.
func correlated(n *dpsgd.CorrelatedNoise, drawn, added [][]float64) []float64 {
	t := len(drawn) - 1
	row := slices.Clone(drawn[t])
	if n == nil {
		return row
	}
	c := n.Coefficients
	for i := range row {
		for j := 1; j < len(c) && j <= t; j++ {
			if n.Inverse {
				row[i] += c[j] * drawn[t-j][i]
			} else {
				row[i] -= c[j] * added[t-j][i]
			}
		}
		row[i] /= c[0]
	}
	return row
}

// sum adds up clipped gradients and crafted ones.
func (p plain) sum(w []float64, t int) []float64 {
	c, sum := phaseOf(p.plan.Replicas[p.replica], t), make([]float64, len(w))
	add := func(row []float32, label int32) {
		g := p.gradient(w, row, int(label))
		for i, factor := range factors(c, g, p.sizes()) {
			sum[i] += factor * g[i]
		}
	}
	for _, i := range p.batch(c, t) {
		add(p.data.Row(i), p.data.Labels[i])
	}
	if k := p.plan.Canary; k != nil && k.In[p.replica] && len(p.joined(c, t, 1)) > 0 {
		for i, v := range k.Gradient {
			sum[i] += v
		}
		if k.Example != nil {
			add(k.Example.Features, k.Example.Label)
		}
	}
	if k := p.plan.Canaries; k != nil {
		for _, i := range p.joined(c, t, len(k.In[p.replica])) {
			switch {
			case !k.In[p.replica][i]:
			case k.Coordinates != nil:
				sum[k.Coordinates[i]] += c.ClipNorm
			case k.Gradients != nil:
				for j, v := range k.Gradients[i] {
					sum[j] += v
				}
			default:
				add(k.Examples[i].Features, k.Examples[i].Label)
			}
		}
	}
	return sum
}

// batch returns the rows that take part in a step.
func (p plain) batch(c dpsgd.Config, t int) []int {
	from := p.key
	if p.plan.SharedBatches {
		from = p.shared
	}
	return rows(c, from.child("batches"), t, 0, p.data.Len())
}

// joined returns which of a number of canaries join a step, by their own coins.
func (p plain) joined(c dpsgd.Config, t, count int) []int {
	list := rows(c, p.key.child("canary"), t, p.data.Len(), count)
	for i := range list {
		list[i] -= p.data.Len()
	}
	return list
}

// rows returns which of count rows from first on take part in a step.
func rows(c dpsgd.Config, from key, t, first, count int) (list []int) {
	coins := from.stream(fmt.Sprintf("step %d", t))
	if s, ok := c.Sampling.(dpsgd.RandomAllocation); ok { // one stream for all steps of a period
		coins = from.stream(fmt.Sprintf("period %d", t/s.Period))
	}
	if s, ok := c.Sampling.(dpsgd.CyclicAllocation); ok { // the turns of a group are its steps
		coins = from.child(fmt.Sprintf("group %d", t%s.Period)).stream(fmt.Sprintf("period %d", t/s.Period/s.Turns))
	}
	for i := first; i < first+count; i++ {
		in := true
		switch s := c.Sampling.(type) {
		case dpsgd.Poisson:
			in = s.Rate == 1 || float64(coins.Uint64()) < s.Rate*0x1p64
		case dpsgd.RandomAllocation:
			in = below(coins.Uint64(), s.Period) == t%s.Period
		case dpsgd.TruncatedPoisson:
			in = s.Rate == 1 || float64(coins.Uint64()) < s.Rate*0x1p64
		case dpsgd.FixedBatches:
			in = i%s.Period == t%s.Period
		case dpsgd.CyclicPoisson:
			in = false
			if canaries := first > 0; canaries || i%s.Period == t%s.Period { // each canary has a coin in every step
				in = s.Rate == 1 || float64(coins.Uint64()) < s.Rate*0x1p64
				in = in && i%s.Period == t%s.Period
			}
		case dpsgd.CyclicAllocation:
			in = false
			if canaries := first > 0; canaries || i%s.Period == t%s.Period { // each canary has a place in every group
				in = below(coins.Uint64(), s.Turns) == t/s.Period%s.Turns
				in = in && i%s.Period == t%s.Period
			}
		}
		if in {
			list = append(list, i)
		}
	}
	if s, ok := c.Sampling.(dpsgd.TruncatedPoisson); ok && len(list) > s.Cap {
		order := from.stream(fmt.Sprintf("cut of step %d", t))
		for i := range s.Cap {
			j := i + below(order.Uint64(), len(list)-i)
			list[i], list[j] = list[j], list[i]
		}
		list = list[:s.Cap]
		slices.Sort(list)
	}
	return list
}

// below returns ⌊u n/2^64⌋, for a word u that is not used with a chance below n/2^64.
func below(u uint64, n int) int {
	product := new(big.Int).SetUint64(u)
	return int(product.Mul(product, big.NewInt(int64(n))).Rsh(product, 64).Int64())
}

// factors returns what each number of a gradient is multiplied by.
func factors(c dpsgd.Config, g []float64, sizes []int) []float64 {
	list, at := make([]float64, 0, len(g)), 0
	for l, size := range sizes {
		factor := 1.0
		switch rule := c.Clipping.(type) {
		case dpsgd.AutomaticClipping:
			factor = c.ClipNorm / (length(g) + orElse(rule.Stability, 0.01))
		case dpsgd.PerLayerClipping:
			bound := c.ClipNorm / math.Sqrt(float64(len(sizes)))
			if rule.Norms != nil {
				bound = rule.Norms[l]
			}
			factor = min(1, bound/length(g[at:at+size]))
		default:
			if c.ClipNorm > 0 {
				factor = min(1, c.ClipNorm/length(g))
			}
		}
		if math.IsInf(factor, 1) || math.IsNaN(factor) { // of a gradient of zeros
			factor = 1
		}
		list, at = append(list, slices.Repeat([]float64{factor}, size)...), at+size
	}
	return list
}

// move is a step of the optimizer.
func (p plain) move(w, sum []float64, slots [2][]float64, t int) {
	c := phaseOf(p.plan.Replicas[p.replica], t)
	rate := c.LearningRate
	if p.plan.Schedule != nil {
		rate *= p.plan.Schedule(t)
	}
	for i := range w {
		w[i] *= 1 - rate*c.WeightDecay
		g, first, second := sum[i]/c.ExpectedBatchSize, &slots[0][i], &slots[1][i]
		switch o := c.Optimizer.(type) {
		case nil:
			w[i] -= rate * g
		case dpsgd.SGD:
			*first = o.Momentum**first + g
			w[i] -= rate * *first
		case dpsgd.Adam:
			b1, b2, n := orElse(o.Beta1, 0.9), orElse(o.Beta2, 0.999), float64(t+1)
			*first = b1**first + (1-b1)*g
			*second = b2**second + (1-b2)*g*g
			w[i] -= rate * *first / (1 - math.Pow(b1, n)) / (math.Sqrt(*second/(1-math.Pow(b2, n))) + orElse(o.Epsilon, 1e-8))
		case dpsgd.AdamBC:
			b1, b2, n, noise := orElse(o.Beta1, 0.9), orElse(o.Beta2, 0.999), float64(t+1), deviation(c, t)/c.ExpectedBatchSize
			*first = b1**first + (1-b1)*g
			*second = b2**second + (1-b2)*(g*g-noise*noise)
			w[i] -= rate * *first / (1 - math.Pow(b1, n)) / math.Sqrt(math.Max(*second/(1-math.Pow(b2, n)), o.Floor))
		}
	}
}

func orElse(value, otherwise float64) float64 {
	if value == 0 {
		return otherwise
	}
	return value
}

func length(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	return math.Sqrt(sum)
}
