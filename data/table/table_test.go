package table

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
)

func people() Schema {
	return Schema{
		Features: []Feature{
			Number{Column: "age", Low: 0, High: 100},
			Number{Column: "income", Low: 1e2, High: 1e6, Log: true, Empty: new(1e4)},
			Category{Column: "sector", Values: []string{"private", "public"}, Other: true},
		},
		Target: Classes{Column: "vote", Values: []string{"no", "yes"}},
		Ignore: []string{"name"},
	}
}

func read(t *testing.T, s Schema, text string) data.Dataset {
	t.Helper()
	d, err := s.Read("people.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every number here is the formula in the comment of Number, by hand. The file has all that CSV
// allows: a byte order mark, CRLF, quotes, a quoted end of line, an empty last line, columns in
// another order.
func TestRead(t *testing.T) {
	d := read(t, people(), "\xEF\xBB\xBFvote,name, age ,income,sector\r\n"+
		"no,\"Ada \"\"A.\"\", of\r\nTown\",25,1e4,private\r\n"+
		"yes,,150, 1000 ,\"public\"\r\n"+
		"yes,x,-3,,farm\r\n\r\n")
	want := []float32{
		-0.5, 0, 1, 0, 0, // ln 1e4 is in the middle of ln 1e2 and ln 1e6
		1, -0.5, 0, 1, 0, // 150 is moved to 100
		-1, 0, 0, 0, 1, // nothing counts as 1e4, and a farm is neither
	}
	for i := range want {
		if math.Abs(float64(d.Features[i]-want[i])) > 1e-7 {
			t.Errorf("feature %d of record %d is %g, want %g", i%5, i/5, d.Features[i], want[i])
		}
	}
	if len(d.Features) != len(want) || !slices.Equal(d.Labels, []int32{0, 1, 1}) || d.Classes != 2 || d.Name != "people.csv" {
		t.Errorf("read %+v", d)
	}
	names := []string{"age", "income", "sector=private", "sector=public", "sector (other)"}
	if got := people().FeatureNames(); !slices.Equal(got, names) {
		t.Errorf("features %q, want %q", got, names)
	}
}

// A record's features do not depend on other records: they come from the schema only.
func TestScalesKnowNoData(t *testing.T) {
	const header, record = "vote,name,age,income,sector\n", "no,a,25,1e4,private\n"
	alone := read(t, people(), header+record)
	among := read(t, people(), header+"yes,b,99,1e6,public\n"+record)
	if !slices.Equal(alone.Row(0), among.Row(1)) {
		t.Errorf("a record alone is %v, and beside another %v", alone.Row(0), among.Row(1))
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.csv")
	if err := os.WriteFile(path, []byte("vote;name;age;income;sector\nno;a;25;1e4;private\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := people()
	s.Comma, s.Name = ';', "votes"
	d, err := s.Load(path)
	if err != nil || d.Len() != 1 || d.Name != "votes" {
		t.Errorf("read %+v, error %v", d, err)
	}
	if _, err := s.Load(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
	if _, err := (Schema{}).Load(path); err == nil || !strings.Contains(err.Error(), "Schema.Features is empty") {
		t.Errorf("no schema: error %v", err)
	}
}

func TestReal(t *testing.T) {
	s := people()
	r := Real{Column: "vote", Low: -10, High: 30, Levels: 5}
	s.Target = r
	d := read(t, s, "vote,name,age,income,sector\n-10,a,1,1,\n-4,a,1,1,\n11,a,1,1,\n1e9,a,1,1,\n")
	if want := []int32{0, 1, 2, 4}; !slices.Equal(d.Labels, want) || d.Classes != 5 {
		t.Errorf("labels %v, want %v", d.Labels, want)
	}
	for k, want := range []float64{-10, 0, 10, 20, 30} {
		if got := r.Unscaled(r.Targets()[k]); got != want {
			t.Errorf("label %d means %g, want %g", k, got, want)
		}
	}
	if n := len((Real{Column: "vote", High: 1}).Targets()); n != 1001 {
		t.Errorf("%d levels by default, want 1001", n)
	}
}

func TestLabels(t *testing.T) {
	s := Schema{Features: []Feature{Number{Column: "x", High: 1}}, Target: Labels{Columns: []string{"a", "b", "c"}}}
	d := read(t, s, "x,c,b,a\n0,1,0,0\n0,0,1,1\n0,1,1,1\n0,0,0,0\n")
	if want := []int32{4, 3, 7, 0}; !slices.Equal(d.Labels, want) || d.Classes != 8 {
		t.Errorf("labels %v of %d, want %v of 8", d.Labels, d.Classes, want)
	}
	s.Target = Labels{Columns: []string{"a", "b", "c"}, No: "no", Yes: "yes"}
	if d := read(t, s, "x,c,b,a\n0,yes,no,no\n"); d.Labels[0] != 4 {
		t.Errorf("label %d, want 4", d.Labels[0])
	}
}

// Each error names file, line, column and rule.
func TestBadFiles(t *testing.T) {
	const header, good = "vote,name,age,income,sector\n", "no,a,25,1e4,private\n"
	for name, c := range map[string]struct{ text, want string }{
		"nothing":              {"", "people.csv: is empty: must begin with a line of column names"},
		"no record":            {header, "people.csv: holds no record: must have at least one line of them"},
		"UTF-16":               {"\xFF\xFEv\x00", "people.csv: begins as UTF-16 does: must be UTF-8"},
		"missing value":        {header + good + "no,a,,1e4,private\n", `people.csv: line 3: column "age" is empty: must be a number`},
		"missing word":         {header + ",a,1,1e4,private\n", `people.csv: line 2: column "vote" is empty: must be one of the declared no, yes`},
		"text":                 {header + good + good + "no,a,old,1e4,private\n", `people.csv: line 4: column "age" "old": must be a finite number`},
		"NaN":                  {header + "no,a,NaN,1e4,private\n", `line 2: column "age" "NaN": must be a finite number`},
		"infinite":             {header + "no,a,1e999,1e4,private\n", `line 2: column "age" "1e999": must be a finite number`},
		"label never declared": {header + "maybe,a,1,1e4,private\n", `people.csv: line 2: column "vote" "maybe": must be one of the declared no, yes`},
		"after a quoted line":  {header + "no,\"a\nb\nc\",25,1e4,private\nno,a,x,1,private\n", `people.csv: line 5: column "age" "x"`},
		"in a quoted line":     {header + "no,\"a\nb\",x,1e4,private\n", `people.csv: line 3: column "age" "x"`},
		"fewer fields":         {header + good + "no,a,25\n", "people.csv: line 3 has 3 fields: must have 5, as line 1"},
		"more fields":          {header + "no,a,25,1e4,private,more\n" + good, "people.csv: line 2 has 6 fields: must have 5, as line 1"},
		"a quote within":       {header + "no,a\"b,25,1e4,private\n", `people.csv: line 2, character 5: bare " in non-quoted-field`},
		"a quote not ended":    {header + "no,\"a,25,1e4,private\n", `people.csv: line 2, character 22: extraneous or missing "`},
		"no such column":       {"vote,name,age,income\nno,a,1,1\n", `people.csv: line 1: has no column "sector": must have all of the schema`},
		"a column too many":    {"vote,name,age,income,sector,town\n", `people.csv: line 1: column "town": must be in the schema`},
		"a column twice":       {"vote,name,age,age,income,sector\n", `people.csv: line 1: column "age": must occur once`},
		"another separator":    {strings.ReplaceAll(header, ",", ";"), `line 1: column "vote;name;age;income;sector": must be in the schema (as a feature, the target or in Ignore); it holds ';': Schema.Comma may be wrong`},
		"packed":               {"\x1f\x8b\x08\x00\x00", `line 1: "\x1f\x8b\b\x00\x00": must be text in UTF-8`},
	} {
		_, err := people().Read("people.csv", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

// A number is in decimal digits, as Python, R and spreadsheets write it; Go reads the others too,
// as 10 times and 16 times what people mean.
func TestNumbersAreDecimal(t *testing.T) {
	s := Schema{Features: []Feature{Number{Column: "x", Low: -100, High: 100}}, Target: Real{Column: "y", Low: 0, High: 10, Levels: 11}}
	for _, field := range []string{"3_0", "1_000", "0x1p-2", "0x1e", "0b1", "inf", "-Infinity", "nan", "1e999", "1e-400", "1,5", "½", "٣", "--1", "1e", "."} {
		for column, line := range map[string]string{"x": fmt.Sprintf("%q,1\n", field), "y": fmt.Sprintf("1,%q\n", field)} {
			_, err := s.Read("x.csv", strings.NewReader("x,y\n"+line))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("x.csv: line 2: column %q %q: ", column, field)) {
				t.Errorf("%s in %s: error %v, want one that names the field", field, column, err)
			}
		}
	}
	d, err := s.Read("x.csv", strings.NewReader("x,y\n+3.E1,1.\n-.5,2e0\n1E+2,007\n5e-324,0\n"))
	if want := []float32{0.3, -0.005, 1, 0}; err != nil || !slices.Equal(d.Features, want) || !slices.Equal(d.Labels, []int32{1, 2, 7, 0}) {
		t.Errorf("features %v, labels %v, error %v, want %v", d.Features, d.Labels, err, want)
	}
}

// A column without a name is refused, with the way out, which works: pandas' to_csv writes its
// index so, and a comma at the end of each line makes one, or both.
func TestColumnsWithoutName(t *testing.T) {
	s := Schema{Features: []Feature{Number{Column: "age", Low: 0, High: 100}}, Target: Classes{Column: "y", Values: []string{"0", "1"}}}
	for text, want := range map[string]string{
		",age,y\n0,30,1\n1,75,0\n":       `line 1: column 1 has no name: must be ignored, by "" in Schema.Ignore`,
		"age,y,\n30,1,\n75,0,\n":         `line 1: column 3 has no name: must be ignored, by "" in Schema.Ignore`,
		",age, ,y,\n0,30,,1,\n1,75,x,0,": `line 1: column 1 has no name: must be ignored, by "" in Schema.Ignore`,
	} {
		if _, err := s.Read("p.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one fault, %q", text, err, want)
		}
		out := s
		out.Ignore = []string{""}
		if d := read(t, out, text); !slices.Equal(d.Features, []float32{float32(2*0.3 - 1), 0.5}) || !slices.Equal(d.Labels, []int32{1, 0}) {
			t.Errorf("%q: features %v, labels %v", text, d.Features, d.Labels)
		}
	}
	const comma = `line 2 has 3 fields: must have 2, as line 1 (where each line ends with a comma, so must the first; "" in Schema.Ignore ignores the column)`
	if _, err := s.Read("p.csv", strings.NewReader("age,y\n30,1,\n")); err == nil || !strings.Contains(err.Error(), comma) {
		t.Errorf("a comma that the first line lacks: error %v, want %q", err, comma)
	}
	s.Ignore = []string{""}
	if _, err := s.Read("p.csv", strings.NewReader("age,y\n30,1\n")); err == nil || !strings.Contains(err.Error(), `has no column ""`) {
		t.Errorf("no such column: error %v", err)
	}
}

// What pandas wrote (testdata/make.py) is read as it is: an index, 1.0 for 1, True for 1, and empty
// fields.
func TestPandas(t *testing.T) {
	s := Schema{
		Features: []Feature{
			Number{Column: "age", Low: 0, High: 100, Empty: new(50.)},
			Category{Column: "rooms", Values: []string{"2", "3", ""}},
			Category{Column: "smoker", Values: []string{"1"}, Other: true},
		},
		Target: Classes{Column: "grade", Values: []string{"-1", "0", "1"}},
		Ignore: []string{"", "vote"},
	}
	d, err := s.Load("testdata/pandas.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{float32(2*0.3 - 1), 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0.5, 0, 0, 1, 1, 0}
	if !slices.Equal(d.Features, want) || !slices.Equal(d.Labels, []int32{2, 0, 1}) {
		t.Errorf("features %v, labels %v, want %v", d.Features, d.Labels, want)
	}
	s.Target, s.Ignore = Labels{Columns: []string{"vote", "smoker"}}, []string{"", "grade"}
	s.Features = s.Features[:2]
	if d, err := s.Load("testdata/pandas.csv"); err != nil || !slices.Equal(d.Labels, []int32{3, 0, 2}) {
		t.Errorf("labels %v, error %v", d.Labels, err)
	}
}

// A declared word is found before another form of it, and only pandas' forms are.
func TestFind(t *testing.T) {
	for field, want := range map[string]int{
		"1": 0, "1.0": 1, "True": 2, "0.0": 3, "False": 3, "-2.0": 4, "10.0": 5,
		"true": -1, "1.00": -1, "01.0": -1, "+1.0": -1, "007.0": -1, "-0.0": -1, "1.5": -1, ".0": -1, "": -1,
	} {
		if at := find([]string{"1", "1.0", "True", "0", "-2", "10", "007"}, field); at != want {
			t.Errorf("%q: word %d, want %d", field, at, want)
		}
	}
}

// A file in another encoding than UTF-8 is an error, also where any word will do: privé in Latin-1
// would be another word than the declared one.
func TestLatin1IsRefused(t *testing.T) {
	const header = "vote,name,age,income,sector\n"
	s := people()
	s.Features[2] = Category{Column: "sector", Values: []string{"privé", "public"}, Other: true}
	for text, want := range map[string]string{
		header + "no,a,1,1,privé\nno,a,1,1,priv\xe9\n": `people.csv: line 3: column "sector" "priv\xe9": must be text in UTF-8`,
		header + "non\xa0,a,1,1,public\n":              `people.csv: line 2: column "vote" "non\xa0": must be text in UTF-8`,
	} {
		if _, err := s.Read("people.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if d := read(t, s, header+"no,Andr\xe9,1,1,privé\n"); d.Row(0)[2] != 1 { // names are not read
		t.Errorf("features %v, want privé", d.Row(0))
	}
}

// Several faults are told at once, and no more than ten.
func TestManyFaults(t *testing.T) {
	_, err := people().Read("people.csv", strings.NewReader("vote,name,age,income,sector\n"+strings.Repeat("no,a,x,1,private\nno\n", 20)))
	if err == nil || strings.Count(err.Error(), "\n") != 10 || !strings.Contains(err.Error(), "reading ended after 10 faults") {
		t.Errorf("error %v, want 10 faults and a last line", err)
	}
	var good data.Dataset
	if good, err = people().Read("people.csv", strings.NewReader("vote,name,age,income,sector\nno,a,x,1,private\nno,a,1,1,private\n")); err == nil || good.Len() != 0 {
		t.Errorf("a file with a fault gave %d records, error %v", good.Len(), err)
	}
}

// A file of another kind gets an error that fits a screen.
func TestErrorsAreShort(t *testing.T) {
	const header = "vote,name,age,income,sector\n"
	for name, file := range map[string]string{
		"a line without end":  strings.Repeat("<p>x</p>", 1<<17),
		"a thousand columns":  strings.Repeat("x,", 1000) + "y\n",
		"bytes":               strings.Repeat("\x00\xff", 1<<17),
		"an enormous number":  header + "yes,a," + strings.Repeat("7x", 1<<17) + ",1,public\n",
		"an enormous word":    header + strings.Repeat("é", 1<<17) + ",a,1,1,public\n",
		"many lines at fault": header + strings.Repeat(strings.Repeat("z,", 4)+"z\n", 1000),
	} {
		if _, err := people().Read("people.csv", strings.NewReader(file)); err == nil || len(err.Error()) > 2500 {
			t.Errorf("%s: error %.200q", name, fmt.Sprint(err))
		}
	}
}

func TestBadSchemas(t *testing.T) {
	one := []Feature{Number{Column: "x", High: 1}}
	target := Classes{Column: "y", Values: []string{"a", "b"}}
	for want, s := range map[string]Schema{
		"Schema.Features is empty: must name at least one column":                             {Target: target},
		"Schema.Features[0] is nil: must be a Number, a Date, a Category or a Text":           {Features: []Feature{nil}, Target: target},
		"Schema.Target is nil: must be Classes, Real or Labels":                               {Features: one},
		`Number "x": Low and High are not given: bounds must be public`:                       {Features: []Feature{Number{Column: "x"}}, Target: target},
		`Number "x": Low 2, High 1: must be Low < High: the ends are exchanged`:               {Features: []Feature{Number{Column: "x", Low: 2, High: 1}}, Target: target},
		`Number "x": Low NaN, High 1: must be Low < High, finite`:                             {Features: []Feature{Number{Column: "x", Low: math.NaN(), High: 1}}, Target: target},
		`Number "x": Low 0, High +Inf: must be Low < High, finite`:                            {Features: []Feature{Number{Column: "x", High: math.Inf(1)}}, Target: target},
		`Number "x": Low -1.7976931348623157e+308, High 1.7976931348623157e+308: must be Low`: {Features: []Feature{Number{Column: "x", Low: -math.MaxFloat64, High: math.MaxFloat64}}, Target: target},
		`Number "x": Low 0: must be > 0 with Log`:                                             {Features: []Feature{Number{Column: "x", High: 1, Log: true}}, Target: target},
		`Number "x": Empty`: {Features: []Feature{Number{Column: "x", High: 1, Empty: new(math.NaN())}}, Target: target},
		`Category "x": Values has 0 words: must have at least 1: declare all that the column may hold`: {Features: []Feature{Category{Column: "x"}}, Target: target},
		`Category "x": Values has "a" twice: must have each word once`:                                 {Features: []Feature{Category{Column: "x", Values: []string{"a", "a"}}}, Target: target},
		`Category "x": Values has " a": must have no spaces around a word`:                             {Features: []Feature{Category{Column: "x", Values: []string{" a"}}}, Target: target},
		`Classes "y": Values has 1 words: must have at least 2`:                                        {Features: one, Target: Classes{Column: "y", Values: []string{"a"}}},
		`Real "y": Low and High are not given: bounds must be public`:                                  {Features: one, Target: Real{Column: "y"}},
		`Real "y": Levels 1: must be in [2, 1048576]`:                                                  {Features: one, Target: Real{Column: "y", High: 1, Levels: 1}},
		"Labels.Columns has 0 names: must have from 1 to 20":                                           {Features: one, Target: Labels{}},
		`Labels.No and Yes has "x" twice`:                                                              {Features: one, Target: Labels{Columns: []string{"y"}, No: "x", Yes: "x"}},
		`Category "x": Values has "priv\xe9": must be text in UTF-8`:                                   {Features: []Feature{Category{Column: "x", Values: []string{"priv\xe9"}}}, Target: target},
		`Schema: column " x": must have no spaces around it`:                                           {Features: one, Target: target, Ignore: []string{" x"}},
		`Schema: column "": must be named once`:                                                        {Features: one, Target: target, Ignore: []string{"", ""}},
		`Schema: column "x": must be named once`:                                                       {Features: one, Target: target, Ignore: []string{"x"}},
		"Schema: a column's name is empty":                                                             {Features: []Feature{Number{High: 1}}, Target: target},
		`Schema.Comma '"': must be one character`:                                                      {Features: one, Target: target, Comma: '"'},
	} {
		if _, err := s.Read("x.csv", strings.NewReader("x,y\n1,a\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

// Bounds may lie nearly as far apart as numbers go, and not so near that their logarithms are one
// number.
func TestExtremeBounds(t *testing.T) {
	s := Schema{Features: []Feature{Number{Column: "x", Low: -5e307, High: 1e308}}, Target: Real{Column: "y", Low: -5e307, High: 1e308}}
	d, err := s.Read("x.csv", strings.NewReader("x,y\n6e307,6e307\n-2e307,-2e307\n"))
	if want := []float32{2*(11./15) - 1, 2*(3./15) - 1}; err != nil || !slices.Equal(d.Features, want) || !slices.Equal(d.Labels, []int32{733, 200}) {
		t.Errorf("features %v, labels %v, error %v, want %v, [733 200]", d.Features, d.Labels, err, want)
	}
	s.Features[0] = Number{Column: "x", Low: 1000, High: math.Nextafter(1000, 2000), Log: true}
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), `Number "x": Low 1000, High 1000.0000000000001: must be further apart with Log`) {
		t.Errorf("error %v", err)
	}
}

// Whatever a file holds, there is an error or a data set that is valid, within the bounds.
func FuzzRead(f *testing.F) {
	f.Add("vote,name,age,income,sector\nno,a,25,1e4,private\n")
	f.Add("vote,name,age,income,sector\r\nyes,\"\n\",-1e-9,,\r\n")
	f.Add("\xEF\xBB\xBFvote,name,age,income,sector\nno,a,0x1p-2,1,x")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := people().Read("people.csv", strings.NewReader(text))
		if err != nil {
			return
		}
		if err := d.Validate(); err != nil || d.Len() == 0 {
			t.Errorf("%d records, error %v", d.Len(), err)
		}
		for _, x := range d.Features {
			if x < -1 || x > 1 {
				t.Errorf("feature %g: must be in [-1, 1]", x)
			}
		}
	})
}
