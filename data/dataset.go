package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Dataset is a labelled data set in memory: N examples of one shape, N labels.
// One example is one record, the unit that differential privacy protects. Data without classes have
// Classes 1 and labels 0.
type Dataset struct {
	Name     string
	Features []float32 // row-major [N, Shape...]
	Shape    []int     // of one example, for instance [28, 28, 1]; every side >= 1
	Labels   []int32   // [N], each in [0, Classes)
	Classes  int       // >= 1

	// Targets are further numbers of each example for losses that are an nn.TargetLoss: real values,
	// the outputs of a teacher, token ids, or a weight. Nil for none.
	Targets     []float32 // row-major [N, TargetShape...]
	TargetShape []int     // of one example; every side >= 1; nil without targets

	split  *split // the whole that it is a part of; nil if none or not known
	inTest bool   // which part it is
	whole  *int32 // first label of the data set that Subset took it from; nil if none or not known
}

// String returns what the data set holds in a few words, and no record of it.
func (d Dataset) String() string {
	return fmt.Sprintf("%s: %d examples of shape %v, %d classes", d.Name, d.Len(), d.Shape, d.Classes)
}

// Len returns the number of examples, N.
func (d Dataset) Len() int { return len(d.Labels) }

// Width returns the number of features of one example, the product of Shape.
func (d Dataset) Width() int {
	width := 1
	for _, side := range d.Shape {
		width *= side
	}
	return width
}

// Row returns the features of example i, a view into Features. It panics if i is out of range.
func (d Dataset) Row(i int) []float32 {
	width := d.Width()
	return d.Features[i*width : (i+1)*width : (i+1)*width]
}

// TargetWidth returns the number of targets of one example, the product of TargetShape. It is 0
// without targets.
func (d Dataset) TargetWidth() int {
	if len(d.TargetShape) == 0 {
		return 0
	}
	width := 1
	for _, side := range d.TargetShape {
		width *= side
	}
	return width
}

// Target returns the targets of example i, a view into Targets, empty without targets. It panics if
// i is out of range.
func (d Dataset) Target(i int) []float32 {
	width := d.TargetWidth()
	return d.Targets[i*width : (i+1)*width : (i+1)*width]
}

// Validate returns every fault of the data set, joined. It checks shapes, lengths, labels outside
// the classes, and features and targets that are NaN or infinite (the first by row and column).
func (d Dataset) Validate() error {
	var errs []error
	for i, side := range d.Shape {
		if side < 1 {
			errs = append(errs, fmt.Errorf("data: %s: Shape[%d] %d: must be >= 1", d.Name, i, side))
		}
	}
	if len(d.Shape) == 0 {
		errs = append(errs, fmt.Errorf("data: %s: Shape is empty: must name the sides of one example", d.Name))
	}
	for i, side := range d.TargetShape {
		if side < 1 {
			errs = append(errs, fmt.Errorf("data: %s: TargetShape[%d] %d: must be >= 1", d.Name, i, side))
		}
	}
	if d.Classes < 1 {
		errs = append(errs, fmt.Errorf("data: %s: Classes %d: must be >= 1", d.Name, d.Classes))
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if want := d.Len() * d.Width(); len(d.Features) != want {
		return fmt.Errorf("data: %s: %d features: must be %d (%d examples of %d)", d.Name, len(d.Features), want, d.Len(), d.Width())
	}
	if want := d.Len() * d.TargetWidth(); len(d.Targets) != want {
		return fmt.Errorf("data: %s: %d targets: must be %d (%d examples of %d)", d.Name, len(d.Targets), want, d.Len(), d.TargetWidth())
	}
	return errors.Join(d.validateLabels(), d.validateFinite("feature", d.Features, d.Width()), d.validateFinite("target", d.Targets, d.TargetWidth()))
}

func (d Dataset) validateLabels() error {
	for i, label := range d.Labels {
		if label < 0 || int(label) >= d.Classes {
			return fmt.Errorf("data: %s: label %d in row %d: must be in [0, %d)", d.Name, label, i, d.Classes)
		}
	}
	return nil
}

func (d Dataset) validateFinite(name string, values []float32, width int) error {
	for i, x := range values {
		if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("data: %s: %s %g in row %d, column %d: must be finite", d.Name, name, x, i/width, i%width)
		}
	}
	return nil
}

// Subset returns a copy of the examples at the given indices, in their order. The copy counts as a
// part of the data set: see [PartsOfOne]. It panics if an index is out of range.
func (d Dataset) Subset(name string, indices []int) Dataset {
	out := d
	out.Name, out.split, out.inTest, out.whole = name, nil, false, d.source()
	out.Features = make([]float32, 0, len(indices)*d.Width())
	out.Labels = make([]int32, 0, len(indices))
	if d.Targets != nil {
		out.Targets = make([]float32, 0, len(indices)*d.TargetWidth())
	}
	for _, i := range indices {
		out.Features = append(out.Features, d.Row(i)...)
		out.Labels = append(out.Labels, d.Labels[i])
		out.Targets = append(out.Targets, d.Target(i)...)
	}
	return out
}

// OfClasses returns the examples of some classes, which are numbered anew in the order given. It
// decides on each example by itself. Adding an example to the whole adds it to the part, or leaves
// the part as it is. OfClasses panics if a class is listed twice.
func (d Dataset) OfClasses(name string, classes ...int32) Dataset {
	to := map[int32]int32{}
	for k, class := range classes {
		if _, twice := to[class]; twice {
			panic("data: OfClasses: a class occurs twice")
		}
		to[class] = int32(k)
	}
	var rows []int
	for i, label := range d.Labels {
		if slices.Contains(classes, label) {
			rows = append(rows, i)
		}
	}
	part := d.Subset(name, rows)
	part.Classes = len(classes)
	for i, label := range part.Labels {
		part.Labels[i] = to[label]
	}
	return part
}
