package figures

import (
	"fmt"
	"math"
	"slices"
)

// remarks says which points have no place on the axes.
func (l *layout) remarks() (out []string) {
	infinite := false
	for _, c := range l.charts {
		for _, k := range c.Curves {
			missing := 0
			for i := range k.X {
				if math.IsNaN(k.X[i]) || math.IsNaN(k.Y[i]) {
					missing++
				} else if !drawable(k.Y[i], c.YLog) {
					infinite = true
				}
			}
			remark := fmt.Sprintf("“%s”: %d of %d points are not numbers and are left out.", k.Label, missing, len(k.X))
			if missing > 0 && !slices.Contains(out, remark) {
				out = append(out, remark)
			}
		}
	}
	if infinite {
		out = append(out, "A triangle at the upper (lower) edge marks a value above (below) all that the axis can show.")
	}
	return out
}
