package render

import (
	"fmt"
	"math"
	"slices"
)

// remarks says which points have no place on the axes.
func (l *layout) remarks() (out []string) {
	above, below := false, false
	for _, c := range l.charts {
		low, high := xRange(c)
		for _, curve := range c.Curves {
			k := curvePlotter{curve: curve, xLog: c.XLog, yLog: c.YLog}
			missing := 0
			for i, x := range k.curve.X {
				if math.IsNaN(x) || math.IsNaN(k.curve.Y[i]) {
					missing++
				} else if x >= low && x <= high {
					above = above || k.beyond(i) > 0
					below = below || k.beyond(i) < 0
				}
			}
			remark := fmt.Sprintf("“%s”: %d of %d points are not numbers and are left out.", k.curve.Label, missing, len(k.curve.X))
			if missing > 0 && !slices.Contains(out, remark) {
				out = append(out, remark)
			}
		}
	}
	if above {
		out = append(out, "An arrow at the upper edge marks a value above all that the axis can show.")
	}
	if below {
		out = append(out, "An arrow at the lower edge marks a value below all that the axis can show.")
	}
	return out
}
