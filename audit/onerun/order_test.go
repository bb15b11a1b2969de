package onerun

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/audit/internal/tails"
)

// channel has the chance of each output for each setting of a few coins: chances[s][y], bit j of s the j-th coin.
type channel struct {
	coins   int
	chances [][]float64
}

// delta returns the least δ of the channel at ε, over all neighbors in both directions.
func (c channel) delta(epsilon float64) (most float64) {
	for s := range c.chances {
		for j := range c.coins {
			sum := 0.0
			for y, p := range c.chances[s] {
				sum += math.Max(0, p-math.Exp(epsilon)*c.chances[s^1<<j][y])
			}
			most = math.Max(most, sum)
		}
	}
	return most
}

// bestInTurn returns the largest chance of v right guesses that any adaptive rule of r guesses has: for each output, of all
// coins that may be next, guessed either way or only shown.
func (c channel) bestInTurn(r, v int) (chance float64) {
	for y := range c.chances[0] {
		chance += c.best(y, 0, 0, r, v)
	}
	return chance
}

// best is the chance that the output is y, that the coins of the mask shown are as in values, and that v of r more guesses are right.
func (c channel) best(y, shown, values, r, v int) (most float64) {
	if r == 0 || v <= 0 || shown == 1<<c.coins-1 {
		if v > 0 {
			return 0
		}
		for s, p := range c.chances {
			if s&shown == values {
				most += p[y] / float64(len(c.chances))
			}
		}
		return most
	}
	for j := range c.coins {
		if bit := 1 << j; shown&bit == 0 {
			zero := func(r, v int) float64 { return c.best(y, shown|bit, values, r, v) }
			one := func(r, v int) float64 { return c.best(y, shown|bit, values|bit, r, v) }
			most = max(most, zero(r-1, v-1)+one(r-1, v), zero(r-1, v)+one(r-1, v-1), zero(r, v)+one(r, v))
		}
	}
	return most
}

// bestAtOnce returns the largest chance of v right guesses of rules that make r from the output alone.
func (c channel) bestAtOnce(r, v int) (chance float64) {
	for y := range c.chances[0] {
		most := 0.0
		for which := range 1 << c.coins {
			if ones(which) != r {
				continue
			}
			for guess := range 1 << c.coins {
				sum := 0.0
				for s, p := range c.chances {
					if ones(which&^(s^guess)) >= v {
						sum += p[y] / float64(len(c.chances))
					}
				}
				most = max(most, sum)
			}
		}
		chance += most
	}
	return chance
}

func ones(x int) (n int) {
	for ; x > 0; x &= x - 1 {
		n++
	}
	return n
}

// randomChannel draws chances, of which some are 0 or far from the others.
func randomChannel(rng *rand.Rand, coins int) channel {
	c := channel{coins: coins}
	outputs, spread := 2+rng.IntN(4), 4*rng.Float64()
	for range 1 << coins {
		p, sum := make([]float64, outputs), 0.0
		for y := range p {
			if rng.IntN(6) > 0 {
				p[y] = math.Exp(spread * rng.NormFloat64())
			}
			sum += p[y]
		}
		if sum == 0 {
			p[0], sum = 1, 1
		}
		for y := range p {
			p[y] /= sum
		}
		c.chances = append(c.chances, p)
	}
	return c
}

// Of channels drawn at random, the best rules there are, by looking at all of them, are right no more often than the bounds say. Neither is a
// channel that shows all coins with chance δ, and else passes each through randomized response; of one coin that is as much as (2) says.
func TestGuessesInTurnByEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	nearest, nearestAtOnce := 0.0, 0.0
	look := func(name string, c channel, epsilon float64) {
		delta := c.delta(epsilon)
		for r := 1; r <= c.coins; r++ {
			for v := 1; v <= r; v++ {
				g := Guesses{c.coins, r, v}
				inTurnP, atOnceP := inTurn(g, epsilon, delta), atOnceP(g, epsilon, delta)
				best, bestAtOnce := c.bestInTurn(r, v), c.bestAtOnce(r, v)
				if best > inTurnP+1e-12 || bestAtOnce > atOnceP+1e-12 || bestAtOnce > best+1e-12 {
					t.Errorf("%s, ε = %g, δ = %g, %d of %d guesses of %d coins: chance %g in turn, at most %g; %g at once, at most %g", name, epsilon, delta, v, r, c.coins, best, inTurnP, bestAtOnce, atOnceP)
				}
				if inTurnP < 1 {
					nearest = max(nearest, best/inTurnP)
				}
				if atOnceP < 1 {
					nearestAtOnce = max(nearestAtOnce, bestAtOnce/atOnceP)
				}
			}
		}
	}
	for i := range 3000 {
		c := randomChannel(rng, 1+i%3)
		look(fmt.Sprint("channel ", i), c, []float64{0, 0.3, 1, 2.5}[rng.IntN(4)])
	}
	t.Logf("of random channels the nearest is at %.4f of the bound in turn, %.4f at once", nearest, nearestAtOnce)
	for coins := 1; coins <= 3; coins++ {
		for _, epsilon := range []float64{0, 1, 3} {
			c := shownOrResponse(coins, epsilon, 0.02)
			look(fmt.Sprintf("%d coins shown together", coins), c, epsilon)
			if g := (Guesses{1, 1, 1}); coins == 1 && math.Abs(c.bestInTurn(1, 1)-inTurn(g, epsilon, c.delta(epsilon))) > 1e-12 {
				t.Errorf("one coin, ε = %g: right with chance %g, want %g", epsilon, c.bestInTurn(1, 1), inTurn(g, epsilon, c.delta(epsilon)))
			}
		}
	}
}

// shownOrResponse is the channel whose outputs are all coins, with chance δ, or the randomized response to each.
func shownOrResponse(coins int, epsilon, delta float64) channel {
	c, n := channel{coins: coins}, 1<<coins
	keep := tails.Logistic(epsilon)
	for s := range n {
		p := make([]float64, 2*n)
		p[s] = delta
		for y := range n {
			flips := ones(s ^ y)
			p[n+y] = (1 - delta) * math.Pow(keep, float64(coins-flips)) * math.Pow(1-keep, float64(flips))
		}
		c.chances = append(c.chances, p)
	}
	return c
}
