package data

import (
	"reflect"
	"testing"
)

func TestOfClasses(t *testing.T) {
	d := Dataset{Name: "all", Shape: []int{1}, Classes: 4, Features: []float32{10, 11, 12, 13, 14}, Labels: []int32{3, 0, 2, 3, 1}}
	got := d.OfClasses("two", 3, 1)
	want := Dataset{Name: "two", Shape: []int{1}, Classes: 2, Features: []float32{10, 13, 14}, Labels: []int32{0, 0, 1}}
	if !reflect.DeepEqual(got, want) || got.Validate() != nil {
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
