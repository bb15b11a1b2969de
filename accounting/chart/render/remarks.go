package render

import (
	"math"
)

// remarks lists what is not drawn, and explains the arrows.
func (l *layout) remarks() []string {
	out := said(l.lost())
	above, below := false, false
	for _, c := range l.charts {
		low, high := xRange(c, l.cell.X)
		for _, curve := range c.Curves {
			k := curvePlotter{curve: curve, xLog: c.XLog, yLog: c.YLog}
			for i, x := range k.curve.X {
				if x >= low && x <= high && !math.IsNaN(k.curve.Y[i]) {
					above = above || k.beyond(i) > 0
					below = below || k.beyond(i) < 0
				}
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
