package render

import (
	"math"

	"github.com/dplab/dplab/notebooks/figures"
)

// drawable reports whether v has a place on the axis. Beyond 1e300 (on a log axis also below 1e-300) it has
// none: differences and ratios of two such values overflow.
func drawable(v float64, log bool) bool {
	const limit = 1e300
	return math.Abs(v) <= limit && (!log || v >= 1/limit)
}

// xRange returns the ends of the x axis.
func xRange(c figures.Chart) (low, high float64) {
	if c.XMin != 0 || c.XMax != 0 {
		return c.XMin, c.XMax
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, k := range c.Curves {
		low, high = extend(low, high, k.X, c.XLog)
	}
	return widen(low, high, c.XLog, 0.02)
}

// yRange returns the ends of the y axis.
func yRange(c figures.Chart) (low, high float64) {
	if c.YMin != 0 || c.YMax != 0 {
		return c.YMin, c.YMax
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, k := range c.Curves {
		low, high = extend(low, high, k.Y, c.YLog)
		low, high = extend(low, high, k.Low, c.YLog)
		low, high = extend(low, high, k.High, c.YLog)
		if k.Kind == figures.Bars && !c.YLog {
			low, high = math.Min(low, 0), math.Max(high, 0)
		}
	}
	return widen(low, high, c.YLog, 0.05)
}

func extend(low, high float64, values []float64, log bool) (float64, float64) {
	for _, v := range values {
		if drawable(v, log) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	return low, high
}

// widen gives data in [low, high] some air: a part of the range on either side. A linear axis of data
// that are nowhere negative does not go below zero, and starts there if the data start near it.
func widen(low, high float64, log bool, part float64) (float64, float64) {
	switch {
	case low > high && log:
		return 1, 10
	case low > high:
		return 0, 1
	case log && low == high:
		return low / 2, high * 2
	case log:
		air := math.Pow(high/low, part)
		return low / air, high * air
	case low == high:
		air := math.Max(math.Abs(low)/10, 1e-9)
		return low - air, high + air
	}
	air := part * (high - low)
	if low >= 0 && low <= 0.15*high {
		return 0, high + air
	}
	return low - air, high + air
}
