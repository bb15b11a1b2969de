package figures

import "math"

// curves is a chart of five curves with a gap (NaN) in the third and infinities in the last.
func curves() Chart {
	c := Chart{Name: "curves", Title: "Rényi divergence, η = 0", XLabel: "order α", YLabel: "ε(α), nats", XLog: true, YLog: true}
	for j, label := range []string{"K = 1", "naive, K = 10", "E[K] = 10, γ = 0.03", "E[K] = 100", "E[K] = 1000, µ = 5"} {
		k := Curve{Label: label}
		for i := range 61 {
			x := math.Pow(10, 3*float64(i)/60)
			y := 0.1*x + float64(j)*math.Log(10)/x
			if j == 2 && i > 30 && i < 36 {
				y = math.NaN()
			}
			if j == 4 && i > 56 {
				y = math.Inf(1)
			}
			k.X, k.Y = append(k.X, x), append(k.Y, y)
		}
		c.Curves = append(c.Curves, k)
	}
	return c
}

// mixed is a chart with a band, error bars, bars, a step and a reference.
func mixed() Chart {
	x := Numbers{0.5, 1, 2, 4}
	return Chart{Name: "mixed", Title: "Accuracy", XLabel: "ε", YLabel: "accuracy, %", Notes: []string{"Ten seeds."}, Curves: []Curve{
		{Label: "tuned", X: x, Y: Numbers{80, 85, 90, 92}, Low: Numbers{78, 84, 88, 91}, High: Numbers{82, 87, 91, 93}},
		{Label: "untuned", Kind: Points, X: x, Y: Numbers{70, 75, 79, 80}, Low: Numbers{68, 74, 78, 79}, High: Numbers{72, 77, 80, 81}},
		{Label: "runs", Kind: Bars, X: x, Y: Numbers{60, 62, 64, 66}},
		{Label: "steps", Kind: Step, X: x, Y: Numbers{50, 52, 54, 56}},
		{Label: "paper", Reference: true, X: Numbers{0.5, 4}, Y: Numbers{79, 91}},
	}}
}

func panels() Panels {
	return Panels{Name: "panels", Title: "Two of a kind, δ = 1e-6", Charts: []Chart{curves(), mixed()}, Notes: []string{"One note."}}
}
