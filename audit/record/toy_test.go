package record_test

import (
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/record"
)

// example is a point with a target for linear regression in three parameters, one of them
// the intercept.
type example struct{ x1, x2, y float64 }

const (
	clip, sigma, steps, rate = 0.7, 1.5, 120, 0.5
	lot                      = 4 // batches are padded to a multiple of it
	expected                 = 12
)

// toy is DP-SGD for linear regression, written down plainly, with one thing broken.
type toy struct{ broken string }

// claim is what every toy claims.
func claim() accounting.Event { return accounting.SelfComposed{Event: oneStep(), Count: steps} }

func oneStep() accounting.Event {
	return accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: sigma}}
}

func (m toy) run(data []example, s *record.Session) error {
	w, noise := make([]float64, 3), rand.New(rand.NewPCG(5, 5))
	reused := normals(noise, 3)
	for t := range steps {
		batch := m.batch(data, t)
		s.Public("parameters", len(w))
		if m.broken == "branch" && len(batch)%2 == 1 {
			s.Public("padded", true)
		}
		q := record.Query{Name: "clipped sum", Sensitivity: clip, NoiseStdDev: sigma * clip, Spend: oneStep(), Value: m.sum(w, batch)}
		if m.broken == "noise reused every third step" && t%3 == 0 {
			noise = rand.New(rand.NewPCG(6, 6))
		}
		m.spoil(&q, data, batch, noise, reused)
		release, err := s.Release(q)
		if err != nil {
			return err
		}
		if m.broken == "double spend" { // a second look at the same batch, for free
			if _, err := s.Release(q); err != nil {
				return err
			}
		}
		if m.broken == "stops by itself" && loss(w, data) < 0.9*loss(make([]float64, 3), data) {
			return nil
		}
		for i := range w {
			w[i] -= 0.2 / expected * release[i]
		}
	}
	return nil
}

// spoil breaks what a query declares or releases.
func (m toy) spoil(q *record.Query, data, batch []example, noise *rand.Rand, reused []float64) {
	release := func(scale float64, z []float64) {
		q.Released = make([]float64, len(q.Value))
		for i := range q.Released {
			q.Released[i] = q.Value[i] + scale*z[i]
		}
	}
	switch m.broken {
	case "own noise", "noise reused every third step":
		release(sigma*clip, normals(noise, 3))
	case "noise scaled twice": // by σ, and by σ again where it is added
		release(sigma*sigma*clip, normals(noise, 3))
	case "noise scaled by the batch":
		release(sigma*clip/expected, normals(noise, 3))
	case "noise reused":
		release(sigma*clip, reused)
	case "half the noise declared":
		q.NoiseStdDev /= 2
	case "mean over the drawn batch":
		for i := range q.Value {
			q.Value[i] /= float64(max(len(batch), 1))
		}
		q.Sensitivity, q.NoiseStdDev = clip/expected, sigma*clip/expected
	case "label statistic": // of all data in every query, within what is declared
		q.Value[2] += 0.05 * clip * meanSign(data)
	case "domain read from the data":
		q.Value = histogram(data)
	case "bounds read from the data":
		largest := 0.0
		for _, e := range data {
			largest = math.Max(largest, math.Abs(e.y))
		}
		q.Sensitivity, q.NoiseStdDev = largest, sigma*largest
	}
}

// batch draws each example by a coin of its own.
func (m toy) batch(data []example, t int) []example {
	coins := rand.New(rand.NewPCG(uint64(t), 9))
	if m.broken == "unseeded" {
		coins = rand.New(rand.NewPCG(rand.Uint64(), 9))
	}
	chance := rate
	if m.broken == "rate too high" {
		chance = 0.8
	}
	var batch []example
	for _, e := range data {
		if coins.Float64() < chance {
			batch = append(batch, e)
			if m.broken == "example counted twice" {
				batch = append(batch, e)
			}
		}
	}
	if m.broken == "unmasked padding" {
		for len(batch)%lot != 0 {
			batch = append(batch, example{y: -1})
		}
	}
	return batch
}

// sum returns the sum of the clipped gradients of (w·x + w3 - y)²/2.
func (m toy) sum(w []float64, batch []example) []float64 {
	sum := make([]float64, 3)
	for _, e := range batch {
		residual := w[0]*e.x1 + w[1]*e.x2 + w[2] - e.y
		g := []float64{residual * e.x1, residual * e.x2, residual}
		norm := math.Sqrt(g[0]*g[0] + g[1]*g[1] + g[2]*g[2])
		if m.broken != "NaN injection" && (math.IsNaN(norm) || math.IsInf(norm, 0)) {
			continue
		}
		factor := math.Min(1, clip/norm)
		switch m.broken {
		case "no clipping":
			factor = 1
		case "label statistic": // which may move by what is left
			factor = math.Min(1, 0.9*clip/norm)
		}
		for i := range sum {
			sum[i] += factor * g[i]
		}
	}
	return sum
}

func loss(w []float64, data []example) float64 {
	sum := 0.0
	for _, e := range data {
		r := w[0]*e.x1 + w[1]*e.x2 + w[2] - e.y
		if !math.IsNaN(r) {
			sum += r * r
		}
	}
	return sum
}

// meanSign moves by at most 2 when an example is added or removed.
func meanSign(data []example) float64 {
	sum := 0.0
	for _, e := range data {
		if !math.IsNaN(e.y) {
			sum += math.Copysign(1, e.y)
		}
	}
	return sum / float64(len(data))
}

// histogram counts targets, rounded, over the range that the data have.
func histogram(data []example) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, e := range data {
		low, high = math.Min(low, math.Round(e.y)), math.Max(high, math.Round(e.y))
	}
	counts := make([]float64, int(high-low)+1)
	for _, e := range data {
		counts[int(math.Round(e.y)-low)] += clip
	}
	return counts
}

func normals(rng *rand.Rand, n int) []float64 {
	z := make([]float64, n)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	return z
}
