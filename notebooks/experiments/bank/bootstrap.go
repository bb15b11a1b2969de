package bank

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
)

// Resample returns a bank of independent units drawn from this one with replacement. It draws one
// unit fewer than there are, which makes the bootstrap's variance of a mean unbiased. Units are
// repeats, because the runs of one repeat share their sample. Runs on all data, and runs of a bank
// with one repeat, are units by themselves. Resample panics if there is only one unit.
//
// Reference: Rao and Wu (1988), "Resampling inference with complex survey data", JASA 83, Section
// 2.
func (b Bank) Resample(rng *rand.Rand) Bank {
	out := Bank{Config: b.Config, Repeats: max(1, b.Repeats-1), cells: map[cell][]Run{}}
	from := make([]int, out.Repeats)
	for s := range from {
		from[s] = rng.IntN(b.Repeats)
	}
	for t := range b.Config.Trainings {
		for _, p := range b.Config.parts() {
			for level := range b.Config.Levels() {
				for rate, value := range b.Config.rates(p) {
					to := cell{p, t, level, rate, 0}
					if p == All || b.Repeats == 1 {
						out.cells[to] = drawn(b.At(p, t, level, value), rng)
						continue
					}
					for to.repeat = range from {
						out.cells[to] = b.cells[cell{p, t, level, rate, from[to.repeat]}]
					}
				}
			}
		}
	}
	return out
}

func drawn(runs []Run, rng *rand.Rand) []Run {
	out := make([]Run, len(runs)-1)
	for i := range out {
		out[i] = runs[rng.IntN(len(runs))]
	}
	return out
}

// leastUnits is the smallest number of independent units for which errors are given. An error from
// two is itself uncertain by 71 %.
const leastUnits = 3

// units returns the number of independent units. They are repeats if there are samples, because the
// runs of a repeat share one. Otherwise they are the runs of each point.
func (b Bank) units() int {
	if b.Config.TuningRate > 0 {
		return b.Repeats
	}
	return b.Repeats * b.Config.Runs
}

// Repeat returns the bank of only repeat s, in [0, Repeats).
func (b Bank) Repeat(s int) Bank {
	out := b
	out.Repeats, out.cells = 1, map[cell][]Run{}
	for at, runs := range b.cells {
		if at.repeat == s {
			at.repeat = 0
			out.cells[at] = runs
		}
	}
	return out
}

// Each returns the statistics of each repeat by itself. It returns nil if there is one repeat, or
// if there are enough units for errors.
func (b Bank) Each(statistics func(Bank) []float64) (list [][]float64) {
	if b.Repeats < 2 || b.units() >= leastUnits {
		return nil
	}
	for s := range b.Repeats {
		list = append(list, statistics(b.Repeat(s)))
	}
	return list
}

// Errors returns the standard errors of statistics of the bank, from the given number of resamples.
// With fewer than leastUnits units they are NaN.
func (b Bank) Errors(resamples int, rng *rand.Rand, statistics func(Bank) []float64) []float64 {
	if b.units() < leastUnits {
		unknown := statistics(b)
		for i := range unknown {
			unknown[i] = math.NaN()
		}
		return unknown
	}
	var columns [][]float64
	for range resamples {
		for i, v := range statistics(b.Resample(rng)) {
			if len(columns) <= i {
				columns = append(columns, nil)
			}
			columns[i] = append(columns[i], v)
		}
	}
	out := make([]float64, len(columns))
	for i, column := range columns {
		out[i] = stat.StdDev(column, nil)
	}
	return out
}

// Doubt returns a sentence on how uncertain errors are that come from few independent units. The
// standard deviation of n normal numbers has a relative error of about 1/√(2(n-1)). Doubt returns
// the empty string for fewer units than an error needs, and for ten or more.
func Doubt(units int) string {
	if units < leastUnits || units > 9 {
		return ""
	}
	return fmt.Sprintf("The errors come from %d repeats and are themselves uncertain by some %.0f %%.", units, 100/math.Sqrt(2*float64(units-1)))
}
