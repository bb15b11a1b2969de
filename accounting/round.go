package accounting

import (
	"math"
	"strconv"
)

// roundUp writes x with four digits after the point, rounded towards +Inf, so that a
// printed upper bound is still one.
func roundUp(x float64) string {
	if math.IsInf(x, 1) {
		return "+Inf"
	}
	const unit = 1e-4
	up := math.Ceil(x/unit) * unit
	text := strconv.FormatFloat(up, 'f', 4, 64)
	if printed, err := strconv.ParseFloat(text, 64); err == nil && printed < x {
		return strconv.FormatFloat(up+unit, 'f', 4, 64)
	}
	return text
}
