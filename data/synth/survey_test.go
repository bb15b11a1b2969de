package synth_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/data/synth"
	"github.com/dplab/dplab/data/table"
)

// A schema as in the doc comment reads the file. It has the records and the shares of that comment.
func TestSurvey(t *testing.T) {
	const n = 20_000
	var file bytes.Buffer
	best, err := synth.WriteSurvey(&file, n, rand.New(rand.NewChaCha8([32]byte{1})))
	if err != nil {
		t.Fatal(err)
	}
	text := file.String()
	schema := table.Schema{
		Features: []table.Feature{
			table.Number{Column: "age", Low: 18, High: 90},
			table.Number{Column: "hours", Low: 0, High: 80},
			table.Number{Column: "wealth", Low: 1, High: 1e9, Log: true},
			table.Category{Column: "sector", Values: synth.SurveySectors},
			table.Category{Column: "school", Values: append([]string{""}, synth.SurveySchools...)},
		},
		Target: table.Classes{Column: "approved", Values: []string{"no", "yes"}},
		Ignore: []string{"id"},
	}
	d, err := schema.Read("survey.csv", strings.NewReader(text))
	if err != nil || d.Len() != n || d.Width() != 11 {
		t.Fatalf("%d records of %d features, error %v", d.Len(), d.Width(), err)
	}
	var age, without float64
	right := 0
	for i := range d.Len() {
		age += 18 + (float64(d.Row(i)[0])+1)*36
		without += float64(d.Row(i)[6])
		if (d.Labels[i] == 1) == (oddsOf(d.Row(i)) > 0) {
			right++
		}
	}
	// Means of n draws are within 5 of their standard errors, but for a chance of 6e-7: ages have deviation 20.8, shares 0.17.
	if got := age / n; math.Abs(got-53.5) > 5*20.8/math.Sqrt(n) {
		t.Errorf("mean age %g, want 53.5", got)
	}
	if got := without / n; math.Abs(got-0.03) > 5*0.17/math.Sqrt(n) {
		t.Errorf("share without a school %g, want 0.03", got)
	}
	// The likelier labels, counted here from the file by the formula; rounding of features to float32 may turn a few near ties.
	if got := float64(right) / n; math.Abs(got-best) > 10./n || best < 0.7 || best > 0.9 {
		t.Errorf("the best rule gets %g right, said to be %g", got, best)
	}
}

// oddsOf is the formula in the comment of WriteSurvey, of the features that the schema makes.
func oddsOf(row []float32) float64 {
	x := func(i int, low, high float64) float64 { return low + (float64(row[i])+1)/2*(high-low) }
	z := 0.04*(x(0, 18, 90)-45) + 0.06*(x(1, 0, 80)-38) + 1.2*(x(2, 0, 9)-math.Log10(20_000))
	for k, effect := range []float64{0, 0.3, -0.6, 0, -1, -0.3, 0.5, 1.2} {
		z += effect * float64(row[3+k])
	}
	return z
}

func TestSurveyRefuses(t *testing.T) {
	if _, err := synth.WriteSurvey(&bytes.Buffer{}, 0, rand.New(rand.NewChaCha8([32]byte{}))); err == nil || !strings.Contains(err.Error(), "n 0: must be >= 1") {
		t.Errorf("no people: error %v", err)
	}
	if _, err := synth.WriteSurvey(&bytes.Buffer{}, 1, nil); err == nil || !strings.Contains(err.Error(), "rng is nil") {
		t.Errorf("no stream: error %v", err)
	}
}
