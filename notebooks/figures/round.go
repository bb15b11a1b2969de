package figures

// Rounded returns the chart with its points at the given number of significant digits: what two machines that
// differ in the last bits agree on.
func (c Chart) Rounded(digits int) Chart {
	curves := make([]Curve, len(c.Curves))
	for i, k := range c.Curves {
		k.X, k.Y, k.Low, k.High = rounded(k.X, digits), rounded(k.Y, digits), rounded(k.Low, digits), rounded(k.High, digits)
		curves[i] = k
	}
	c.Curves = curves
	return c
}

// Rounded returns the panels with their points at the given number of significant digits.
func (p Panels) Rounded(digits int) Panels {
	charts := make([]Chart, len(p.Charts))
	for i, c := range p.Charts {
		charts[i] = c.Rounded(digits)
	}
	p.Charts = charts
	return p
}

// Rounded returns the comparison with our numbers at the given number of significant digits, and at as many more as a row's
// verdict needs.
func (c Comparison) Rounded(digits int) Comparison {
	rows := make([]ComparisonRow, len(c.Rows))
	for i, r := range c.Rows {
		rows[i] = r
		for d := digits; d <= 17; d++ {
			short := r
			short.Ours, short.OursErr = Round(r.Ours, d), Round(r.OursErr, d)
			if short.Verdict() == r.Verdict() {
				rows[i] = short
				break
			}
		}
	}
	c.Rows = rows
	return c
}

func rounded(values Numbers, digits int) Numbers {
	if values == nil {
		return nil
	}
	out := make(Numbers, len(values))
	for i, v := range values {
		out[i] = Round(v, digits)
	}
	return out
}
