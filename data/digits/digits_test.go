package digits

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/data/internal/rawfile"
)

func ExampleLoad() {
	train, test, err := Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(train.Len(), test.Len(), train.Shape, train.Classes)
	// Output: 1437 360 [8 8 1] 10
}

// The class counts are those of scikit-learn's user guide, section "Toy datasets": "178,
// 182, 177, 183, 181, 182, 181, 179, 174, 180" for the digits 0 to 9.
func TestClassCounts(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Validate(); err != nil {
		t.Fatal(err)
	}
	counts := make([]int, Classes)
	for _, label := range all.Labels {
		counts[label]++
	}
	if want := []int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}; !slices.Equal(counts, want) {
		t.Errorf("class counts %v: want %v (scikit-learn 1.5.2 user guide)", counts, want)
	}
}

// The first row as UCI's file optdigits.tes prints it: the upper left part of a zero.
func TestFirstRow(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{0, 0, 5, 13, 9, 1, 0, 0, 0, 0, 13, 15, 10, 15, 5, 0}
	for i := range want {
		want[i] /= 16
	}
	if got := all.Row(0)[:16]; !slices.Equal(got, want) || all.Labels[0] != 0 {
		t.Errorf("first row %v, label %d: want %v, label 0", got, all.Labels[0], want)
	}
	if lo, hi := slices.Min(all.Features), slices.Max(all.Features); lo != 0 || hi != 1 {
		t.Errorf("features in [%g, %g]: want [0, 1]", lo, hi)
	}
}

func TestSplitIsStratifiedAndFixed(t *testing.T) {
	train, test, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for label := range int32(Classes) {
		in := 0
		for _, l := range test.Labels {
			if l == label {
				in++
			}
		}
		if in < 34 || in > 37 { // a fifth of 174 to 183, rounded either way
			t.Errorf("label %d: %d images in test", label, in)
		}
	}
	again, _, err := Load()
	if err != nil || !slices.Equal(again.Features, train.Features) {
		t.Errorf("a second Load gave another split (error %v)", err)
	}
	again.Features[0] = 42
	if third, _, _ := Load(); third.Features[0] == 42 {
		t.Error("two Loads share their features")
	}
}

func TestDamagedFileIsRefused(t *testing.T) {
	damaged := slices.Clone(packed)
	damaged[1000] ^= 1
	var mismatch *rawfile.ChecksumError
	for _, file := range [][]byte{damaged, packed[:1000], nil} {
		if _, err := read(file, packedSum); !errors.As(err, &mismatch) {
			t.Errorf("%d bytes: error %v: want a *rawfile.ChecksumError", len(file), err)
		}
	}
}

func TestParseNamesRowAndField(t *testing.T) {
	row := strings.Repeat("0,", Side*Side)
	cases := []struct{ csv, want string }{
		{"", "row 1: 1 fields"},
		{row + "3\n" + row, `row 2, field 65: label ""`},
		{row + "10", `row 1, field 65: label "10": must be a whole number in [0, 9]`},
		{"17," + row[2:] + "1", `row 1, field 1: pixel "17": must be a whole number in [0, 16]`},
		{"-1," + row[2:] + "1", `pixel "-1"`},
		{"x," + row[2:] + "1", `pixel "x"`},
		{row + "1,1", "row 1: 66 fields"},
	}
	for _, c := range cases {
		if _, err := parse([]byte(c.csv)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v: want one with %q", c.csv, err, c.want)
		}
	}
}
