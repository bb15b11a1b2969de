package table

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Files as R, UCI and spreadsheets in other countries write them: words for what is missing, no
// line of names, decimal commas. Numbers by hand, from the formulas of Number and Date.
func TestFilesAsTheyAre(t *testing.T) {
	classes := Classes{Column: "y", Values: []string{"0", "1"}}
	for name, c := range map[string]struct {
		schema Schema
		text   string
		want   []float32
	}{
		"missing": { // write.csv of R
			Schema{Features: []Feature{Number{Column: "age", Low: 0, High: 100, MarkMissing: true}, Category{Column: "town", Values: []string{"a", ""}}}, Target: classes, Missing: []string{"NA", "?"}},
			"age,town,y\n25,a,0\nNA,a,1\n,?,1\n75,NA,0\n",
			[]float32{-0.5, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0.5, 0, 0, 1},
		},
		"missing and its value": {
			Schema{Features: []Feature{Number{Column: "age", Low: 0, High: 100, MarkMissing: true, Empty: new(75.)}}, Target: classes},
			"age,y\n,0\n75,1\n", []float32{0.5, 1, 0.5, 0},
		},
		"no names": { // adult.data of UCI
			Schema{Features: []Feature{Number{Column: "age", Low: 0, High: 100}}, Target: Classes{Column: "pay", Values: []string{"<=50K", ">50K"}}, Ignore: []string{"id"}, Names: []string{"age", "id", "pay"}},
			"39, 77516, <=50K\n50, 83311, >50K\n", []float32{-0.22, 0},
		},
		"decimal comma": { // winequality of UCI, in another edition
			Schema{Features: []Feature{Number{Column: "acid", Low: 0, High: 10}}, Target: Real{Column: "pH", Low: 0, High: 4, Levels: 3}, Comma: ';', Decimal: ','},
			"acid;pH\n7,5;3,51\n10;0\n", []float32{0.5, 1},
		},
		"dates": { // 2001 has 365 days, so 1 January 2002 is at 365/730 of the way to 2003
			Schema{Features: []Feature{Date{Column: "on", First: "2001-01-01", Last: "2003-01-01"}}, Target: classes},
			"on,y\n2002-01-01,0\n2001-07-02 12:00:00,0\n1999-12-31,1\n2002-01-01T01:00:00+01:00,0\n2024-02-29 10:00:00.123,1\n", []float32{0, -0.5, -1, 0, 1},
		},
		"dates of another layout": {
			Schema{Features: []Feature{Date{Column: "on", First: "01.01.1600", Last: "31.12.2399", Layout: "02.01.2006", MarkMissing: true}}, Target: classes, Missing: []string{"-"}},
			"on,y\n01.01.2000,0\n-,0\n", []float32{0, 0, 0, 1}, // 800 years are two cycles of 400
		},
	} {
		d, err := c.schema.Read("p.csv", strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, want := range c.want {
			if len(d.Features) != len(c.want) || math.Abs(float64(d.Features[i]-want)) > 4e-6 { // 800 years less a day
				t.Errorf("%s: features %v, want %v", name, d.Features, c.want)
				break
			}
		}
		if len(c.schema.FeatureNames()) != d.Width() {
			t.Errorf("%s: %d names of %d features", name, len(c.schema.FeatureNames()), d.Width())
		}
	}
	got := Schema{Features: []Feature{Date{Column: "on", MarkMissing: true}, Number{Column: "age", MarkMissing: true}}}.FeatureNames()
	if want := []string{"on", "on (missing)", "age", "age (missing)"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
}

// Each error has the way out.
func TestFilesAsTheyAreRefuses(t *testing.T) {
	features, classes := []Feature{Number{Column: "age", Low: 0, High: 100}}, Classes{Column: "y", Values: []string{"0", "1"}}
	on := []Feature{Date{Column: "on", First: "2001-01-01", Last: "2003-01-01"}}
	for want, c := range map[string]struct {
		schema Schema
		text   string
	}{
		`p.csv: line 1 has none of the schema's columns ["age" "y"]: must name them (a file without such a line needs Schema.Names)`: {Schema{Features: features, Target: classes}, "39,1\n40,0\n"},
		`p.csv: line 1 has 3 fields: must have 2, as Schema.Names`:                                                                   {Schema{Features: features, Target: classes, Names: []string{"age", "y"}}, "39,1,\n"},
		`p.csv: Schema.Names: has no column "y"`:                                                                                     {Schema{Features: features, Target: classes, Names: []string{"age", "Y"}}, "39,1\n"},
		`"7,4": must be a finite number in decimal digits, such as -1.5 or 2e-3 (Schema.Decimal may be ',')`:                         {Schema{Features: features, Target: classes}, "age,y\n\"7,4\",1\n"},
		`column "age" "1.234,5": must have no point, since Schema.Decimal is ','`:                                                    {Schema{Features: features, Target: classes, Decimal: ','}, "age,y\n\"1.234,5\",1\n"},
		`column "age" is empty: must be a number (or set Number.Empty or MarkMissing)`:                                               {Schema{Features: features, Target: classes, Missing: []string{"NA"}}, "age,y\nNA,1\n"},
		`column "y" is empty: must be one of the declared 0, 1`:                                                                      {Schema{Features: features, Target: classes, Missing: []string{"NA"}}, "age,y\n3,NA\n"},
		`column "on" "3 May 2001": must be a date such as "2006-01-02"`:                                                              {Schema{Features: on, Target: classes}, "on,y\n3 May 2001,1\n"},
		`column "on" is empty: must be a date (or set Date.MarkMissing)`:                                                             {Schema{Features: on, Target: classes}, "on,y\n,1\n"},
		`Schema.Missing[0] "0": must not be a value of a column: declare "" there, an empty field`:                                   {Schema{Features: features, Target: classes, Missing: []string{"0"}}, ""},
		`Schema.Decimal ';': must be ',' or '.'`:                                                                                     {Schema{Features: features, Target: classes, Decimal: ';'}, ""},
		`Date "on": First and Last are not given: bounds must be public`:                                                             {Schema{Features: []Feature{Date{Column: "on"}}, Target: classes}, ""},
		`Date "on": Last "x": must be a date in the layout of the column`:                                                            {Schema{Features: []Feature{Date{Column: "on", First: "2001-01-01", Last: "x"}}, Target: classes}, ""},
		`Date "on": First "": must be a date in the layout of the column`:                                                            {Schema{Features: []Feature{Date{Column: "on", Last: "2001-01-01"}}, Target: classes}, ""},
		`Date "on": First 2002-01-01, Last 2001-01-01: must be First before Last`:                                                    {Schema{Features: []Feature{Date{Column: "on", First: "2002-01-01", Last: "2001-01-01"}}, Target: classes}, ""},
	} {
		if d, err := c.schema.Read("p.csv", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), want) || d.Len() > 0 {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
