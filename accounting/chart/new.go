package chart

import (
	"errors"
	"fmt"
	"strings"
)

// New returns a chart of curves. Its name, and so the name of its files, is made from the title:
// "Loss at ε = 3" becomes loss-at-epsilon-3.
//
//	c, err := chart.New("Test accuracy", "epoch", "accuracy, %",
//		chart.Curve{Label: "C = 1", X: epochs, Y: accuracy, Low: low, High: high},
//		chart.Curve{Label: "single runs", X: epochs, Y: runs, Kind: chart.Points})
//
// Points makes a scatter plot. Low and High are a band, or error bars of Points. Fields of the
// chart may be set afterwards: XLog and YLog make a logarithmic axis, XMin to YMax end the axes.
//
// A curve needs as many y as x. A NaN in y leaves a gap, and the picture reports how many there
// are. An error names the argument.
func New(title, xLabel, yLabel string, curves ...Curve) (Chart, error) {
	return named(Chart{Title: title, XLabel: xLabel, YLabel: yLabel, Curves: curves})
}

// named returns a chart with the name that its title makes.
func named(c Chart) (Chart, error) {
	c.Name = nameOf(c.Title)
	if c.Name == "" {
		return Chart{}, fmt.Errorf("chart: title %q: must have a Latin or Greek letter, or a digit, to name the file", c.Title)
	}
	if err := c.Validate(); err != nil {
		return Chart{}, err
	}
	return c, nil
}

// nameOf returns a file name made from a title. Greek letters are written out. What is neither a
// letter from a to z nor a digit becomes a hyphen. A long name ends at a hyphen.
func nameOf(title string) string {
	const longest = 60
	words := strings.FieldsFunc(spelled.Replace(strings.ToLower(title)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := ""
	for _, word := range words {
		if name != "" && len(name)+1+len(word) > longest {
			break
		}
		name = strings.TrimPrefix(name+"-"+word, "-")
	}
	return name[:min(len(name), longest)]
}

// spelled writes out the Greek letters of the field.
var spelled = strings.NewReplacer("α", " alpha ", "β", " beta ", "γ", " gamma ", "δ", " delta ", "ε", " epsilon ",
	"η", " eta ", "λ", " lambda ", "µ", " mu ", "μ", " mu ", "ρ", " rho ", "σ", " sigma ", "τ", " tau ")

// Sample is the values of one quantity, for a histogram or a box plot.
type Sample struct {
	Label  string // legend entry; may be empty if there is only one sample
	Values []float64
}

// checkSamples returns every fault of the samples.
func checkSamples(samples []Sample) error {
	if len(samples) == 0 {
		return errors.New("chart: samples: must be at least one")
	}
	var errs []error
	for i, s := range samples {
		what := fmt.Sprintf("chart: sample %d (%q)", i+1, s.Label)
		if len(s.Values) == 0 {
			errs = append(errs, fmt.Errorf("%s: must have a value", what))
		}
		if s.Label == "" && len(samples) > 1 {
			errs = append(errs, fmt.Errorf("%s: must have a label, as there are %d samples", what, len(samples)))
		}
		for j, v := range s.Values {
			if !(v >= -largest && v <= largest) {
				errs = append(errs, fmt.Errorf("%s: value %d is %g: must be a number within ±%g", what, j+1, v, largest))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// largest is the largest value of a sample. Differences of such values do not overflow.
const largest = 1e300
