package dptune

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Prior is the law that hyper-parameters are drawn from, chosen without looking at the data.
type Prior[H any] interface {
	// Draw returns one hyper-parameter.
	Draw(rng *rand.Rand) H
	// Support returns every value that Draw can return, or nil if they cannot be listed. A
	// search refuses a drawn value whose event none of them has.
	Support() []H
	// Validate returns an error that names field, value and rule.
	Validate() error
}

// Grid is the uniform law on its values. A value that is listed twice is twice as likely.
type Grid[H any] []H

// Draw returns one of the values, each with the same chance.
func (g Grid[H]) Draw(rng *rand.Rand) H { return g[rng.IntN(len(g))] }

// Support returns the values.
func (g Grid[H]) Support() []H { return g }

// Validate returns an error if the grid is empty.
func (g Grid[H]) Validate() error {
	if len(g) == 0 {
		return errors.New("dptune: Grid is empty: must hold at least one value; LogGrid needs 0 < low <= high, count >= 1")
	}
	return nil
}

// LogGrid returns count values from low to high, equally spaced on a logarithmic scale. low and
// high are positive and finite with low <= high, and count is at least 1. A Grid of other arguments
// is empty, which Validate refuses.
func LogGrid(low, high float64, count int) Grid[float64] {
	if !(low > 0 && low <= high && !math.IsInf(high, 1)) || count < 1 {
		return nil
	}
	values := make(Grid[float64], count)
	for i := range values {
		t := float64(i) / math.Max(1, float64(count-1))
		values[i] = math.Exp((1-t)*math.Log(low) + t*math.Log(high))
	}
	return values
}

// Cross returns the grid of all pairs, each joined by the function.
func Cross[A, B, H any](as Grid[A], bs Grid[B], join func(A, B) H) Grid[H] {
	out := make(Grid[H], 0, len(as)*len(bs))
	for _, a := range as {
		for _, b := range bs {
			out = append(out, join(a, b))
		}
	}
	return out
}

// Sampler is a law given by a function that draws from it, for continuous hyper-parameters.
// Every value it draws must have the same event, or be within one bound: see Search.Base.
type Sampler[H any] func(rng *rand.Rand) H

// Draw calls the function.
func (s Sampler[H]) Draw(rng *rand.Rand) H { return s(rng) }

// Support returns nil.
func (s Sampler[H]) Support() []H { return nil }

// Validate returns an error if the function is nil.
func (s Sampler[H]) Validate() error {
	if s == nil {
		return fmt.Errorf("dptune: Sampler is nil: must be a function")
	}
	return nil
}
