package candidate

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dplab/dplab/data"
)

// Measure rates a model by its outputs on one validation example, from 0 to 1. The score of a model
// is the sum over all validation examples. One example adds at most 1: values are moved into [0,
// 1], and NaN to 0.
//
// Your own measure must read only that one example. A search with it draws new numbers each time it
// runs, because code has no hash.
type Measure interface {
	// String returns the name of the measure and all of its parameters.
	String() string
	// Of rates the outputs of the last layer for an example with that label.
	Of(outputs []float64, label int32) float64
}

// TargetMeasure is a Measure that also reads the targets of the example, see data.Dataset.Targets.
type TargetMeasure interface {
	Measure
	// OfTargets takes the place of Of.
	OfTargets(outputs []float64, label int32, targets []float32) float64
}

// LabelsRight is the share of an example's labels that a model for nn.MultiLabel gets right.
func LabelsRight() Measure { return labelsRight{} }

type labelsRight struct{}

func (labelsRight) String() string { return "share of labels right" }

func (labelsRight) Of(outputs []float64, label int32) float64 {
	right := 0
	for k, z := range outputs {
		if (z > 0) == (label>>k&1 == 1) {
			right++
		}
	}
	return float64(right) / float64(len(outputs))
}

// Nearness is 1 if the output of a model for nn.SquaredError equals the target. It falls linearly
// to 0 for an output that is off by scale or more:
//
//	1 - min(1, |z - target|/scale)
//
// targets are those of the loss. scale is public and has their unit.
func Nearness(scale float64, targets ...float64) Measure {
	return nearness{scale, slices.Clone(targets)}
}

type nearness struct {
	Scale   float64
	Targets []float64
}

func (n nearness) String() string {
	return fmt.Sprintf("nearness within %g to %d targets", n.Scale, len(n.Targets))
}

func (n nearness) Of(outputs []float64, label int32) float64 {
	return 1 - min(1, math.Abs(outputs[0]-n.Targets[label])/n.Scale)
}

func (n nearness) validate(classes int) error {
	if !(n.Scale > 0) || math.IsInf(n.Scale, 1) {
		return fmt.Errorf("candidate: DPSGD.Measure: Nearness scale %g: must be > 0 and finite", n.Scale)
	}
	if len(n.Targets) != classes {
		return fmt.Errorf("candidate: DPSGD.Measure: Nearness has %d targets: must have %d, one for each class", len(n.Targets), classes)
	}
	return nil
}

// isOwn reports whether a measure is one of this package. Such a measure is identified by its
// value.
func isOwn(m Measure) bool {
	return m == nil || reflect.TypeOf(m).PkgPath() == reflect.TypeFor[labelsRight]().PkgPath()
}

// grain is the unit that measures are rounded down to. Sums of fewer than 2^33 multiples of it are
// exact in float64, so one more example adds at most 1 to a sum, without rounding.
const grain = 1. / (1 << 20)

// onGrain returns a measure, moved into [0, 1], as a multiple of the grain. NaN gives 0.
func onGrain(of float64) float64 {
	if of > 0 { // false for NaN
		return math.Floor(min(1, of)/grain) * grain
	}
	return 0
}

// total returns the sum of the measure over examples.
func total(m Measure, outputs []float64, examples data.Dataset) float64 {
	sum, width := 0.0, len(outputs)/max(1, examples.Len())
	byTargets, is := m.(TargetMeasure)
	for i, label := range examples.Labels {
		own := outputs[i*width : (i+1)*width : (i+1)*width]
		if is {
			sum += onGrain(byTargets.OfTargets(own, label, examples.Target(i)))
		} else {
			sum += onGrain(m.Of(own, label))
		}
	}
	return sum
}
