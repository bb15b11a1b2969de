package layercheck

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// This file searches for an example with a gradient that is the small difference of large terms.
// Its norm by algebra, such as the sum of (a aᵀ) ∘ (g gᵀ) over pairs of places, is then the
// rounding of those terms. It may be far below the norm of the added gradient.

// checkCancelling returns a fault if one of tries examples adds a gradient larger than its norm.
// The examples are random patterns, and changes of the worst one. Each is one call of the program
// of the other checks.
func (t *tester[T]) checkCancelling(tries int, shared bool) error {
	if !t.trained() {
		return nil
	}
	rng := rand.New(rand.NewPCG(7, 0x747269616c)) // "trial"
	b := t.draw(rng, shared).only(0)
	for i := range b.x {
		b.x[i] = make([]float64, len(b.x[i]))
	}
	for i := range b.g {
		b.g[i] = make([]float64, len(b.g[i]))
	}
	b.weights = t.drawWeights(7, 7, moves[1])
	defer arrays.Finalize(b.weights...)
	worst, share := t.drawPattern(rng), 0.0
	for i := range tries {
		p := t.drawPattern(rng)
		if i%2 == 1 {
			p = t.changed(worst, rng)
		}
		for r := 0; r < len(b.g); r += batchRows {
			b.x[r%len(b.x)], b.g[r] = p.x, p.g
		}
		got, err := t.run(b)
		if err != nil {
			return err
		}
		for r, gradient := range got.sums {
			squared := got.norms[r*batchRows]
			if err := compareNorm(squared, gradient, false); err != nil {
				return fmt.Errorf("for an example with terms that cancel, %w; return nn.Products or nn.PerSample gradients, or raise SquaredNorms by the rounding of these terms", err)
			}
			if now := norm(gradient) * norm(gradient) / squared; now > share && !math.IsInf(now, 1) {
				worst, share = p, now
			}
		}
	}
	return nil
}

// cancelling is the least number of such examples. It was enough to find the fault in all of 32
// runs of per-token layers with norms by algebra, of widths 4 to 4,608 in both precisions. Half as
// many found it in 30.
const cancelling = 32

// pattern is an example and the gradient at its outputs.
type pattern struct{ x, g []float64 }

// drawPattern fills the places of an example, such as tokens or pixels, alternately with some
// numbers and almost the same numbers. It fills the places of the gradient alternately with some
// numbers and almost the opposite ones.
func (t *tester[T]) drawPattern(rng *rand.Rand) pattern {
	kind := rng.IntN(kinds)
	if l, ok := t.Layer.(drawnLayer); ok {
		p := pattern{x: t.drawInput(rng, 0), g: t.drawPlaces(rng, t.output, kind, -1)}
		if _, checked := nn.AsInputLayer(l.Drawing); !checked {
			copy(p.x, t.drawPlaces(rng, l.input, kind, 1))
		}
		return p
	}
	p := pattern{x: t.drawPlaces(rng, t.Input, kind, 1), g: t.drawPlaces(rng, t.output, kind, -1)}
	if l, ok := nn.AsInputLayer(t.Layer); ok {
		p.x = t.drawInput(rng, 0)
		same, row := slices.Repeat(p.x[:1], len(p.x)), make([]float32, len(p.x))
		for i, v := range same {
			row[i] = float32(v)
		}
		if _, err := l.ValidateRow(row); err == nil {
			p.x = same
		}
	}
	return p
}

// kinds is the number of ways to divide an array into places. A place has its last axis, its first
// one, or all axes except the first; or the array is cut in two.
const kinds = 4

// placeOf returns the place of a value of an array, and its index within that place.
func placeOf(i int, shape []int, kind int) (place, within int) {
	size := kernel.SizeOf(shape)
	if kind == 3 || len(shape) < 2 { // a shape without axes is one number
		half := (size + 1) / 2
		return i / half, i % half
	}
	last, rest := shape[len(shape)-1], size/shape[0]
	switch kind {
	case 0:
		return i / last, i % last
	case 1:
		return i % rest, i / rest
	}
	return i / rest, i % rest
}

// drawPlaces returns an array in which the odd places are almost the even places times sign.
func (t *tester[T]) drawPlaces(rng *rand.Rand, shape []int, kind int, sign float64) []float64 {
	// About the square root of the unit roundoff: the difference of the terms is then as large as
	// their rounding.
	little := math.Copysign(math.Sqrt(kernel.UnitRoundoff(dtypes.FromGenericsType[T]()))*math.Pow(10, 3*rng.Float64()-1.5), rng.Float64()-0.5)
	size := kernel.SizeOf(shape)
	base, ones, single := make([]float64, size), rng.IntN(4) == 0, sign < 0 && rng.IntN(2) == 0
	for i := range base {
		base[i] = rng.NormFloat64()
		if ones {
			base[i] = 1
		}
		if single && i > 0 {
			base[i] = 0
		}
	}
	values, last := make([]float64, size), 0
	for i := range values {
		place, _ := placeOf(i, shape, kind)
		last = max(last, place)
	}
	for i := range values {
		place, within := placeOf(i, shape, kind)
		switch {
		case place%2 == 1:
			values[i] = sign * base[within] * (1 + little)
		case sign > 0 || place < last: // otherwise it has no partner
			values[i] = base[within]
		}
	}
	return values
}

// changed returns a pattern with one or all numbers changed by any order of magnitude.
func (t *tester[T]) changed(p pattern, rng *rand.Rand) pattern {
	p = pattern{slices.Clone(p.x), slices.Clone(p.g)}
	values := p.g
	if _, checked := nn.AsInputLayer(t.layer()); !checked && rng.IntN(2) == 0 {
		values = p.x
		if l, ok := t.Layer.(drawnLayer); ok {
			values = values[:l.values()] // coins stay
		}
	}
	size, one := math.Pow(10, -6*rng.Float64()), rng.IntN(2) == 0
	for range values {
		i := rng.IntN(len(values))
		values[i] *= 1 + size*rng.NormFloat64()
		if one {
			break
		}
	}
	return p
}
