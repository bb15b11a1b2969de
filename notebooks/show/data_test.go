package show

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
)

// A table has names, a few rows and features, and the warning.
func TestDataTable(t *testing.T) {
	d := data.Dataset{Name: "people", Shape: []int{2}, Features: []float32{0.5, -1, 0.25, 1}, Labels: []int32{1, 0}, Classes: 2}
	want := "people: 2 examples of shape [2], 2 classes\nlabel  age   feature 1\n1      0.5   −1\n0      0.25  1\n" + private + "\n"
	if got := plainTable(dataTable(d, []string{"age"})); got != want {
		t.Errorf("table\n%s\nwant\n%s", got, want)
	}
	many := data.Dataset{Name: "many", Shape: []int{100}, Features: make([]float32, 5000), Labels: make([]int32, 50), Classes: 2}
	got := dataTable(many, nil)
	if len(got.Rows) != shownExamples || len(got.Columns) != 1+shownFeatures || got.Notes[0] != "92 more features." {
		t.Errorf("%d rows, %d columns, notes %q", len(got.Rows), len(got.Columns), got.Notes)
	}
}

// Pictures have the pixels of the examples, row by row, each above its label, and the warning.
func TestDataPictures(t *testing.T) {
	d := data.Dataset{Name: "<pets>", Shape: []int{2, 3, 3}, Labels: []int32{7}, Classes: 8,
		Features: []float32{0, 0.2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0.6, 0, 0, 0, 0, 0.4}}
	text := pictures(d)
	if !strings.Contains(text, private) || !strings.Contains(text, "&lt;pets&gt;") || !strings.Contains(text, "<figcaption>7<") {
		t.Errorf("shown:\n%s", text)
	}
	raw, err := base64.StdEncoding.DecodeString(regexp.MustCompile(`base64,([^"]*)"`).FindStringSubmatch(text)[1])
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range map[[2]int][3]uint32{{0, 0}: {0, 51, 255}, {1, 0}: {255, 255, 255}, {1, 1}: {153, 0, 0}, {2, 1}: {0, 0, 102}} {
		if r, g, b, _ := got.At(place[0], place[1]).RGBA(); [3]uint32{r >> 8, g >> 8, b >> 8} != want {
			t.Errorf("pixel %v is %d %d %d, want %d", place, r>>8, g>>8, b>>8, want)
		}
	}
	gray := picture([]int{1, 2, 1}, []float32{-1, 0})
	if r, _, _, _ := gray.At(1, 0).RGBA(); r>>8 != 128 {
		t.Errorf("0 of [-1, 1] is %d, want 128", r>>8)
	}
}
