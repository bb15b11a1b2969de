// Package synth draws small data sets from known laws: points from spherical normal distributions,
// and repeated points. They cost nothing, need no file, and the truth about them is known.
//
//	mixture := synth.Mixture{Name: "two classes", Classes: 2, Components: []synth.Component{
//		{Label: 0, Count: 20, Mean: []float64{-3, 0}, StdDev: 1},
//		{Label: 1, Count: 20, Mean: []float64{3, 0}, StdDev: 1},
//	}}
//	d, err := mixture.Draw(rng)
//
// It promises nothing to other modules.
package synth

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/data"
)

// Component is Count points of one label from a spherical normal distribution.
type Component struct {
	Label  int       // in [0, Classes)
	Count  int       // >= 1
	Mean   []float64 // finite; its length is the number of features
	StdDev float64   // of each coordinate, >= 0 and finite; 0 repeats the mean
}

// Mixture is a data set to draw: its components in order, each with a fixed count.
type Mixture struct {
	Name       string
	Classes    int // >= 1
	Components []Component
}

// Validate returns every fault of the mixture, joined.
func (m Mixture) Validate() error {
	var errs []error
	if m.Classes < 1 {
		errs = append(errs, fmt.Errorf("synth: Mixture.Classes %d: must be >= 1", m.Classes))
	}
	if len(m.Components) == 0 {
		return errors.Join(append(errs, errors.New("synth: Mixture.Components is empty: must hold at least one"))...)
	}
	width := len(m.Components[0].Mean)
	for i, c := range m.Components {
		if err := c.validate(m.Classes, width); err != nil {
			errs = append(errs, fmt.Errorf("synth: Mixture.Components[%d].%w", i, err))
		}
	}
	return errors.Join(errs...)
}

func (c Component) validate(classes, width int) error {
	switch {
	case c.Label < 0 || c.Label >= classes:
		return fmt.Errorf("Label %d: must be in [0, %d)", c.Label, classes)
	case c.Count < 1:
		return fmt.Errorf("Count %d: must be >= 1", c.Count)
	case len(c.Mean) == 0 || len(c.Mean) != width:
		return fmt.Errorf("Mean has %d coordinates: must have at least one, and %d as the first component", len(c.Mean), width)
	case !(c.StdDev >= 0) || math.IsInf(c.StdDev, 1):
		return fmt.Errorf("StdDev %g: must be >= 0 and finite", c.StdDev)
	}
	for _, x := range c.Mean {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("Mean %v: must be finite", c.Mean)
		}
	}
	return nil
}

// Draw returns one data set. Points are drawn component by component, coordinate by coordinate. A
// component without spread draws nothing from rng.
func (m Mixture) Draw(rng *rand.Rand) (data.Dataset, error) {
	if rng == nil {
		return data.Dataset{}, errors.New("synth: rng is nil: must be a random stream")
	}
	if err := m.Validate(); err != nil {
		return data.Dataset{}, err
	}
	d := data.Dataset{Name: m.Name, Classes: m.Classes, Shape: []int{len(m.Components[0].Mean)}}
	for _, c := range m.Components {
		for range c.Count {
			d.Labels = append(d.Labels, int32(c.Label))
			d.Features = append(d.Features, c.point(rng)...)
		}
	}
	return d, d.Validate() // a mean beyond float32 is not finite there
}

func (c Component) point(rng *rand.Rand) []float32 {
	x := make([]float32, len(c.Mean))
	for i, mean := range c.Mean {
		if c.StdDev > 0 {
			mean += c.StdDev * rng.NormFloat64()
		}
		x[i] = float32(mean)
	}
	return x
}
