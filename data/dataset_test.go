package data

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestValidateNamesTheFault(t *testing.T) {
	good := func() Dataset {
		return Dataset{Name: "d", Features: []float32{1, 2, 3, 4}, Shape: []int{2}, Labels: []int32{0, 1}, Classes: 2}
	}
	if err := good().Validate(); err != nil {
		t.Fatalf("a good data set: %v", err)
	}
	cases := []struct {
		spoil func(d *Dataset)
		want  string
	}{
		{func(d *Dataset) { d.Shape = nil }, "Shape is empty"},
		{func(d *Dataset) { d.Shape = []int{2, 0} }, "Shape[1] 0"},
		{func(d *Dataset) { d.Classes = 0 }, "Classes 0"},
		{func(d *Dataset) { d.Features = d.Features[:3] }, "3 features: must be 4"},
		{func(d *Dataset) { d.Labels[1] = 2 }, "label 2 in row 1"},
		{func(d *Dataset) { d.Labels[0] = -1 }, "label -1 in row 0"},
		{func(d *Dataset) { d.Features[3] = float32(math.NaN()) }, "feature NaN in row 1, column 1"},
		{func(d *Dataset) { d.Features[2] = float32(math.Inf(-1)) }, "feature -Inf in row 1, column 0"},
		{func(d *Dataset) { d.Targets = []float32{1, 2} }, "2 targets: must be 0"},
		{func(d *Dataset) { d.TargetShape = []int{1} }, "0 targets: must be 2 (2 examples of 1)"},
		{func(d *Dataset) { d.Targets, d.TargetShape = []float32{1, 2}, []int{2} }, "2 targets: must be 4 (2 examples of 2)"},
		{func(d *Dataset) { d.Targets, d.TargetShape = []float32{1, 2}, []int{1, 0} }, "TargetShape[1] 0"},
		{func(d *Dataset) { d.Targets, d.TargetShape = []float32{1, float32(math.NaN())}, []int{1} }, "target NaN in row 1, column 0"},
	}
	for _, c := range cases {
		d := good()
		c.spoil(&d)
		if err := d.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one with %q", err, c.want)
		}
	}
}

func TestRowIsAViewThatCannotGrow(t *testing.T) {
	d := Dataset{Features: []float32{1, 2, 3, 4}, Shape: []int{2, 1}, Labels: []int32{0, 0}, Classes: 1}
	_ = append(d.Row(0), 9)
	if d.Features[2] != 3 {
		t.Error("appending to a row wrote into the next one")
	}
	d.Row(1)[0] = 7
	if d.Features[2] != 7 {
		t.Error("a row is not a view")
	}
}

func TestSubsetKeepsTargets(t *testing.T) {
	d := Dataset{
		Shape: []int{1}, Classes: 1, Features: []float32{10, 11, 12}, Labels: []int32{0, 0, 0},
		TargetShape: []int{1, 2}, Targets: []float32{0, 1, 2, 3, 4, 5},
	}
	got := d.Subset("part", []int{2, 0})
	if want := []float32{4, 5, 0, 1}; !reflect.DeepEqual(got.Targets, want) || got.Validate() != nil {
		t.Errorf("targets %v, want %v", got.Targets, want)
	}
	if row := d.Target(1); !reflect.DeepEqual(row, []float32{2, 3}) || cap(row) != 2 {
		t.Errorf("targets %v of example 1", row)
	}
}

func TestOfClasses(t *testing.T) {
	d := Dataset{Name: "all", Shape: []int{1}, Classes: 4, Features: []float32{10, 11, 12, 13, 14}, Labels: []int32{3, 0, 2, 3, 1}}
	got := d.OfClasses("two", 3, 1)
	want := Dataset{Name: "two", Shape: []int{1}, Classes: 2, Features: []float32{10, 13, 14}, Labels: []int32{0, 0, 1}}
	if want.whole = &d.Labels[0]; !reflect.DeepEqual(got, want) || got.Validate() != nil {
		t.Errorf("examples %+v, want %+v", got, want)
	}
	if d.Labels[0] != 3 {
		t.Error("the whole was changed")
	}
	if none := d.OfClasses("none", 9); none.Len() != 0 || none.Classes != 1 {
		t.Errorf("examples %+v of a class that has none", none)
	}
	defer func() {
		if recover() == nil {
			t.Error("a class twice is no panic")
		}
	}()
	d.OfClasses("twice", 1, 1)
}
