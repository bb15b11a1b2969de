package render

import (
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/dplab/dplab/accounting/chart"
)

// drawable reports whether v has a place on the axis. Beyond 1e300 (on a log axis also below
// 1e-300) it has none: differences and ratios of two such values overflow.
func drawable(v float64, log bool) bool {
	const limit = 1e300
	return math.Abs(v) <= limit && (!log || v >= 1/limit)
}

// xRange returns the ends of the x axis of a chart in a cell of the given width. They leave room
// for whole bars, and for the markers that Dodge moves.
func xRange(c chart.Chart, cell vg.Length) (low, high float64) {
	if c.XMin != 0 || c.XMax != 0 {
		return c.XMin, c.XMax
	}
	if n := len(c.XNames); n > 0 {
		return 0.5, float64(n) + 0.5
	}
	first, last := math.Inf(1), math.Inf(-1)
	for _, k := range c.Curves {
		first, last = extend(first, last, k.X, c.XLog)
	}
	if cells, ok := cellsOf(c); ok {
		return cells.frame(cells.curve.X, c.XLog, first, last)
	}
	low, high = widen(first, last, c.XLog, 0.02)
	if first > last {
		return low, high
	}
	at, back := scale(c.XLog)
	left, right := sideways(c, cell, at(high)-at(low))
	if left == 0 && right == 0 {
		return low, high
	}
	return math.Min(low, back(at(first)-left)), math.Max(high, back(at(last)+right))
}

// sideways returns the lengths that curves need left of their first and right of their last point.
// length is that of the axis without these.
func sideways(c chart.Chart, cell vg.Length, length float64) (left, right float64) {
	const share, most = 0.5, 0.31 // axes have at least this share of their cell, without a right axis; a side gets no more than most
	axes := max(share*cell-rightRoom(c), share/2*cell)
	var dodge [2]float64 // shares of the axis
	for _, k := range c.Curves {
		if side := min(max(k.Dodge, -1), 1); side != 0 {
			share := float64((dodgeStep*vg.Length(k.Dodge*side) + markerRadius + 1) / axes)
			dodge[(side+1)/2] = max(dodge[(side+1)/2], min(share, most))
		}
	}
	longest := length / (1 - dodge[0] - dodge[1] - 2*barHalf) // at least the final length of the axis
	left, right = dodge[0]*longest, dodge[1]*longest
	for _, k := range c.Curves {
		if k.Kind == chart.Bars {
			half := math.Min(leastDistance(k, c.XLog)/2, barHalf*longest)
			left, right = math.Max(left, half), math.Max(right, half)
		}
	}
	return left, right
}

// scale returns the functions from values to places on an axis, and back. The unit of the places is
// arbitrary.
func scale(log bool) (at, back func(float64) float64) {
	if log {
		return math.Log, math.Exp
	}
	same := func(v float64) float64 { return v }
	return same, same
}

// yRange returns the ends of the y axis.
func yRange(c chart.Chart) (low, high float64) {
	if c.YMin != 0 || c.YMax != 0 {
		return c.YMin, c.YMax
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, k := range c.Curves {
		low, high = extend(low, high, k.Y, c.YLog)
		low, high = extend(low, high, k.Low, c.YLog)
		low, high = extend(low, high, k.High, c.YLog)
		if k.Kind == chart.Bars && !c.YLog {
			low, high = math.Min(low, 0), math.Max(high, 0)
		}
	}
	if cells, ok := cellsOf(c); ok {
		return cells.frame(cells.curve.Y, c.YLog, low, high)
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

// flat reports whether values differ by no more than rounding makes of equal ones.
func flat(low, high float64) bool {
	return high-low <= 1e-9*math.Max(math.Abs(low), math.Abs(high))
}

// widen adds a part of the range to either side of [low, high]. If no value is negative, a linear
// axis does not go below zero. It starts at zero if the data start near it.
func widen(low, high float64, log bool, part float64) (float64, float64) {
	switch {
	case low > high && log:
		return 1, 10
	case low > high, low == 0 && high == 0:
		return 0, 1
	case log && flat(low, high):
		return low / 2, high * 2
	case log:
		air := math.Pow(high/low, part)
		return low / air, high * air
	case flat(low, high):
		air := math.Max(math.Abs(low)/10, 1e-300)
		return low - air, high + air
	}
	air := part * (high - low)
	if low >= 0 && low <= 0.15*high {
		return 0, high + air
	}
	return low - air, high + air
}
