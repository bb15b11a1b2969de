package layercheck

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// moves are the distances of weights from their initial values, each for one batch. Initial values
// often hide a term by a factor of 0. The layer may not accept all other values.
var moves = []float64{0, 0.25, 0.5}

// check returns the first thing found wrong with the layer.
func (t *tester[T]) check(shared bool) error {
	var moved []error
	for draw := range moves {
		place, err := t.checkDraw(uint64(draw), shared)
		if err != nil {
			return err
		}
		if place != nil {
			moved = append(moved, place)
		}
	}
	if len(moved) > 1 { // a single one may be a layer with jumps, where another kernel rounds differently
		return moved[0]
	}
	return t.checkCancelling(max(t.Cancelling, cancelling), shared)
}

// checkDraw runs the layer at one draw of weights. It returns a fault about the places of examples
// separately.
func (t *tester[T]) checkDraw(draw uint64, shared bool) (place, err error) {
	rng := rand.New(rand.NewPCG(draw, 0x747269616c)) // "trial"
	b := t.draw(rng, shared)
	b.weights = t.drawWeights(draw, draw, moves[draw])
	defer arrays.Finalize(b.weights...)
	base, err := t.run(b)
	if err != nil {
		return nil, err
	}
	if err := t.checkAgain(draw, b, base); err != nil {
		return nil, err
	}
	if err := t.checkOthers(rng, b, base); err != nil {
		return nil, err
	}
	if err := t.checkPoison(b, base); err != nil {
		return nil, err
	}
	if err := t.checkEmpty(b); err != nil {
		return nil, err
	}
	return t.checkPlaces(b, base), nil
}

// checkAgain runs the same batch again. With several replicas, the last one gets other weights, and
// the others must not change.
func (t *tester[T]) checkAgain(draw uint64, b batch, base observed) error {
	again, others, what := b.clone(), 0, "when it runs once more on the same numbers"
	if t.replicas > 1 && len(t.weights) > 0 {
		again.weights = t.drawWeights(draw, draw+100, moves[draw])
		defer arrays.Finalize(again.weights...)
		others, what = batchRows, "with other weights in another replica"
	}
	got, err := t.run(again)
	if err != nil {
		return err
	}
	rule := "its results must depend on its arguments only, each replica's on its own"
	kept := len(b.g) - others
	skip := func(row int) bool { return row >= kept }
	return t.compare(got, base, skip, sameRounding, what, rule)
}

// checkOthers replaces one example after the other. The rows of all others must not change. Each
// time only one other example has factor 1, so the sum is its gradient.
func (t *tester[T]) checkOthers(rng *rand.Rand, b batch, base observed) error {
	total := single{arrays.Zeros(t.replicas, t.size()), make([]float64, t.replicas)}
	for example := range batchRows {
		counted := (example + 1) % batchRows
		other := b.only(counted)
		row := example%t.replicas*batchRows + example
		other.g[row] = drawValues(rng, kernel.SizeOf(t.output), 3)
		other.x[row%len(other.x)] = t.drawInput(rng, 3)
		got, err := t.run(other)
		if err != nil {
			return err
		}
		skip := func(i int) bool {
			return i == row || len(other.x) == batchRows && i%batchRows == example
		}
		what := fmt.Sprintf("when example %d of the batch is replaced by another", example)
		if err := t.compare(got, base, skip, sameRounding, what, rowsMix); err != nil {
			return err
		}
		for r, gradient := range got.sums {
			if err := t.compareSingle(got, r*batchRows+counted, gradient); err != nil {
				return err
			}
			total.add(r, b.factors[r*batchRows+counted], gradient)
		}
	}
	for r, sum := range base.sums {
		if off, ok := within(sum, total.sums[r], 0, otherRounding*total.lengths[r]+tiny); !ok {
			return fmt.Errorf("WeightedSum is %.3g away from Σ factor · gradient over single examples, of norm %.3g", off, norm(total.sums[r]))
		}
	}
	return nil
}

// compareSingle compares an example's norm and per-sample gradient with its gradient in the sum.
func (t *tester[T]) compareSingle(got observed, row int, gradient []float64) error {
	if err := compareNorm(got.norms[row], gradient, true); err != nil || !t.each {
		return err
	}
	if off, ok := within(got.each[row], gradient, otherRounding, tiny); !ok {
		return fmt.Errorf("Each and WeightedSum disagree: with factor 1 for one example only, WeightedSum is %.3g away from its gradient, of norm %.3g", off, norm(got.each[row]))
	}
	return nil
}

// single has sums over single examples, Σ factor · gradient, and Σ factor ‖gradient‖.
type single struct {
	sums    [][]float64 // [R]
	lengths []float64   // [R]
}

func (a single) add(r int, factor float64, gradient []float64) {
	for i, v := range gradient {
		a.sums[r][i] += factor * v
	}
	a.lengths[r] += factor * norm(gradient)
}

const rowsMix = "rows must not mix: results for one example must depend on that example only"

// checkPoison gives two examples the factor 0 and values that are NaN, or so large that they
// overflow. The rows of the others and the sum must not change. If such an example has a finite
// norm, it is clipped and not left out, so its gradient must have that norm.
func (t *tester[T]) checkPoison(b batch, base observed) error {
	for _, value := range []float64{math.NaN(), 1e30} {
		bad := b.clone()
		t.poison(bad, poisonFirst, value)
		t.poison(bad, poisonSecond, value)
		got, err := t.run(bad)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("when another example of the batch holds %g", value)
		skip := func(i int) bool { return i%batchRows == poisonFirst || i%batchRows == poisonSecond }
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
			if err := compareNorm(got.norms[r*batchRows+poisonFirst], gradient, false); err != nil {
				return fmt.Errorf("for an example that holds %g, %w", value, err)
			}
		}
	}
	return nil
}

// checkEmpty runs a batch of padding only: zeros with factor 0.
func (t *tester[T]) checkEmpty(b batch) error {
	empty := b.only(batchRows) // none
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

// checkPlaces reverses the order of the examples. Their rows must follow.
func (t *tester[T]) checkPlaces(b batch, base observed) error {
	got, err := t.run(b.reversed())
	if err != nil {
		return err
	}
	back := observed{y: reversed(got.y), atInput: reversed(got.atInput), norms: reversed(got.norms), each: reversed(got.each)}
	rule := "the place must not matter, because it depends on the other examples"
	return t.compare(back, base, func(int) bool { return false }, otherRounding, "when the batch has its examples in the opposite order", rule)
}
