package dpsgd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// What is compared, and how closely. Nothing here is derived from the data.
//
// Where only another example was replaced, the same program computes the same numbers from the
// same numbers, so that they should be equal to the bit; sameRounding allows for a backend that
// does not promise it. In another place of the batch another kernel may do the work, and the
// norm and the gradient are computed in two ways. What they differ by is the rounding of sums of n
// terms: at most n 2⁻²⁴ in float32, and about √n 2⁻²⁴ of terms without a pattern, as here
// (Higham (2002), Accuracy and Stability, 2nd ed., sections 3.1 and 2.8): 4e-4 for 5e7 terms,
// more than any layer has whose gradients fit into memory.
const (
	sameRounding  = 1e-5 // relative, of a row
	otherRounding = 1e-3 // relative, of a row or a square
	tooLarge      = 0.02 // relative, of a square: a norm may be raised by a bound on its own rounding
	tiny          = 1e-30
)

// moves is by how much weights are moved from their initial values, for one batch each. Initial
// values often hide a term by a factor of 0; others may be none that the layer can take.
var moves = []float64{0, 0.25, 0.5}

// try returns the first thing found wrong with the layer.
func (t *trial[T]) try(shared bool) error {
	var moved []error
	for draw := range moves {
		place, err := t.tryDraw(uint64(draw), shared)
		if err != nil {
			return err
		}
		if place != nil {
			moved = append(moved, place)
		}
	}
	if len(moved) > 1 { // once may be a layer that jumps, where another kernel rounds otherwise
		return moved[0]
	}
	return nil
}

// tryDraw tries the layer at one draw of weights. What it finds of the places of examples it
// returns apart.
func (t *trial[T]) tryDraw(draw uint64, shared bool) (place, err error) {
	rng := rand.New(rand.NewPCG(draw, 0x747269616c)) // "trial"
	b := t.draw(rng, shared)
	b.weights = t.drawWeights(draw, draw, moves[draw])
	defer finalize(b.weights...)
	base, err := t.run(b)
	if err != nil {
		return nil, err
	}
	if err := t.tryAgain(draw, b, base); err != nil {
		return nil, err
	}
	if err := t.tryOthers(rng, b, base); err != nil {
		return nil, err
	}
	if err := t.tryPoison(b, base); err != nil {
		return nil, err
	}
	if err := t.tryEmpty(b); err != nil {
		return nil, err
	}
	return t.tryPlaces(b, base), nil
}

// tryAgain runs the same batch, the last of several replicas with other weights: the others must
// give the same.
func (t *trial[T]) tryAgain(draw uint64, b trialBatch, base tried) error {
	again, others, what := b.clone(), 0, "when it runs once more on the same numbers"
	if t.replicas > 1 && len(t.weights) > 0 {
		again.weights = t.drawWeights(draw, draw+100, moves[draw])
		defer finalize(again.weights...)
		others, what = trialRows, "with other weights in another replica"
	}
	got, err := t.run(again)
	if err != nil {
		return err
	}
	rule := "what it computes must be a function of its arguments, each replica's of its own"
	kept := len(b.g) - others
	skip := func(row int) bool { return row >= kept }
	return t.compare(got, base, skip, sameRounding, what, rule)
}

// tryOthers replaces one example after the other: the rows of all others must stay. Each time
// another example alone has factor 1, which gives its gradient, to be compared with its norm.
func (t *trial[T]) tryOthers(rng *rand.Rand, b trialBatch, base tried) error {
	sums := make([][]float64, t.replicas) // Σ_b factor_b gradient_b
	for r := range sums {
		sums[r] = make([]float64, t.size())
	}
	lengths := make([]float64, t.replicas)
	for example := range trialRows {
		alone := (example + 1) % trialRows
		other := b.only(alone)
		row := example%t.replicas*trialRows + example
		other.g[row] = drawValues(rng, sizeOf(t.output), 3)
		other.x[row%len(other.x)] = t.drawInput(rng, 3)
		got, err := t.run(other)
		if err != nil {
			return err
		}
		skip := func(i int) bool {
			return i == row || len(other.x) == trialRows && i%trialRows == example
		}
		err = t.compare(got, base, skip, sameRounding, fmt.Sprintf("when example %d of the batch is replaced by another", example), rowsMix)
		if err != nil || !t.trained() {
			if err != nil {
				return err
			}
			continue
		}
		for r, gradient := range got.sums {
			i := r*trialRows + alone
			if err := t.compareNorm(got.norms[i], gradient, true); err != nil {
				return err
			}
			if t.each {
				if off, ok := within(got.each[i], gradient, otherRounding, tiny); !ok {
					return fmt.Errorf("Each and WeightedSum disagree: with factor 1 for one example and 0 for the others, WeightedSum is %.3g away from that example's gradient, of norm %.3g", off, norm(got.each[i]))
				}
			}
			for p, v := range gradient {
				sums[r][p] += b.factors[i] * v
			}
			lengths[r] += b.factors[i] * norm(gradient)
		}
	}
	if !t.trained() {
		return nil
	}
	for r, want := range sums {
		if off, ok := within(base.sums[r], want, 0, otherRounding*lengths[r]+tiny); !ok {
			return fmt.Errorf("WeightedSum is not Σ factor · gradient: it is %.3g away from that of the examples one by one, of norm %.3g", off, norm(want))
		}
	}
	return nil
}

const rowsMix = "rows must not mix: what is computed for one example must depend on that example alone"

// tryPoison makes two examples, whose factors are 0, NaN or so large that they overflow: the
// others' rows and the sum must stay. If such an example has a finite norm, it is clipped and
// not left out, so that its gradient must have that norm.
func (t *trial[T]) tryPoison(b trialBatch, base tried) error {
	for _, value := range []float64{math.NaN(), 1e30} {
		bad := b.clone()
		t.poison(bad, poisonFirst, value)
		t.poison(bad, poisonSecond, value)
		got, err := t.run(bad)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("when another example of the batch holds %g", value)
		skip := func(i int) bool { return i%trialRows == poisonFirst || i%trialRows == poisonSecond }
		if err := t.compare(got, base, skip, sameRounding, what, rowsMix); err != nil {
			return err
		}
		for r := range got.sums {
			if off, ok := within(got.sums[r], base.sums[r], sameRounding, tiny); !ok {
				return fmt.Errorf("WeightedSum moves by %.3g %s, whose factor is 0: must add exactly zero", off, what)
			}
		}
		if !t.trained() {
			continue
		}
		if got, err = t.run(bad.only(poisonFirst)); err != nil {
			return err
		}
		for r, gradient := range got.sums {
			if err := t.compareNorm(got.norms[r*trialRows+poisonFirst], gradient, false); err != nil {
				return fmt.Errorf("of an example that holds %g, %w", value, err)
			}
		}
	}
	return nil
}

// tryEmpty runs a batch that is all padding: zeros with factor 0.
func (t *trial[T]) tryEmpty(b trialBatch) error {
	empty := b.only(trialRows) // none
	for i := range empty.x {
		empty.x[i] = make([]float64, len(empty.x[i]))
	}
	got, err := t.run(empty)
	if err != nil {
		return err
	}
	for _, sum := range got.sums {
		if norm(sum) != 0 { // NaN is not either
			return fmt.Errorf("WeightedSum has norm %.3g where all factors are 0: must be exactly zero, for padding", norm(sum))
		}
	}
	return nil
}

// tryPlaces turns the order of examples around: their rows must follow.
func (t *trial[T]) tryPlaces(b trialBatch, base tried) error {
	got, err := t.run(b.reversed())
	if err != nil {
		return err
	}
	back := tried{y: reversed(got.y), atInput: reversed(got.atInput), norms: reversed(got.norms), each: reversed(got.each)}
	rule := "the place must not matter, which depends on the other examples"
	return t.compare(back, base, func(int) bool { return false }, otherRounding, "when the batch has its examples in the opposite order", rule)
}

// compare returns a fault unless all rows but those skipped are as before.
func (t *trial[T]) compare(got, want tried, skip func(row int) bool, relative float64, what, rule string) error {
	norms := func(values []float64) [][]float64 { return slices.Collect(slices.Chunk(values, 1)) }
	for _, c := range []struct {
		name      string
		got, want [][]float64
	}{
		{"output", got.y, want.y},
		{"gradient at the inputs", got.atInput, want.atInput},
		{"squared norm", norms(got.norms), norms(want.norms)},
		{"per-sample gradient", got.each, want.each},
	} {
		least := relative / 100 * longest(c.want) // a row may be the rounding of what cancels
		for i := range c.got {
			if skip(i) {
				continue
			}
			if off, ok := within(c.got[i], c.want[i], relative, least+tiny); !ok {
				return fmt.Errorf("an example's %s, of size %.3g, moves by %.3g %s: %s", c.name, norm(c.want[i]), off, what, rule)
			}
		}
	}
	return nil
}

// longest returns the largest norm of rows that have one.
func longest(rows [][]float64) float64 {
	most := 0.0
	for _, row := range rows {
		if n := norm(row); n > most && !math.IsInf(n, 1) {
			most = n
		}
	}
	return most
}

// within reports whether got is want, up to a share of its norm or an absolute distance, and how
// far it is off. What is not finite to begin with says nothing.
func within(got, want []float64, relative, absolute float64) (off float64, ok bool) {
	if length := norm(want); !math.IsNaN(length) && !math.IsInf(length, 1) {
		sum := 0.0
		for i := range want {
			sum += (got[i] - want[i]) * (got[i] - want[i])
		}
		off = math.Sqrt(sum)
		return off, off <= relative*length+absolute
	}
	return 0, true
}

// compareNorm returns a fault if a squared norm is not that of a gradient, or too small a one:
// then clipping does not bound the example. ordinary is whether nothing can overflow.
func (t *trial[T]) compareNorm(squared float64, gradient []float64, ordinary bool) error {
	length := norm(gradient)
	want := length * length
	finite := !math.IsNaN(squared) && !math.IsInf(squared, 0)
	said := fmt.Sprintf("SquaredNorms is %.4g and the gradient's squared norm %.4g", squared, want)
	switch {
	case !finite:
		if ordinary && want < 1/tiny {
			return fmt.Errorf("%s: must be equal; the example would be left out", said)
		}
		return nil // the example adds zero
	case math.IsNaN(want) || squared < want*(1-otherRounding)-tiny:
		return fmt.Errorf("%s: must be equal; clipping would not bound the example", said)
	case ordinary && squared > want*(1+tooLarge)+1e-6:
		return fmt.Errorf("%s: must be equal; the example would be clipped too much", said)
	}
	return nil
}
