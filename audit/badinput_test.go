package audit

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestBadScoresAreNamed(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ok := []float64{1, 2, 3, 4}
	for _, c := range []struct {
		scores Scores
		want   string
	}{
		{Scores{}, "empty"},
		{Scores{Member: ok}, "NonMember is empty: all scores are of one class"},
		{Scores{NonMember: ok}, "Member is empty"},
		{Scores{Member: []float64{1, nan}, NonMember: ok}, "Member[1] is NaN"},
		{Scores{Member: ok, NonMember: []float64{1, 2, inf}}, "NonMember[2] is +Inf"},
		{Scores{Member: ok[:2], NonMember: ok[:2]}, "3 of each would do"},
	} {
		if _, err := Bounds(c.scores, Config{Delta: 1e-5}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Bounds(%v): error %v, want one with %q", c.scores, err, c.want)
		}
	}
}

func TestBadConfigIsNamed(t *testing.T) {
	ok := Scores{Member: []float64{1, 2, 3, 4}, NonMember: []float64{1, 2, 3, 4}}
	nan := math.NaN()
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Delta: -1}, "delta -1"}, {Config{Delta: 1}, "delta 1"}, {Config{Delta: nan}, "delta NaN"},
		{Config{Confidence: 1}, "confidence 1"}, {Config{Confidence: -0.5}, "confidence -0.5"}, {Config{Confidence: nan}, "confidence NaN"},
		{Config{Threshold: &nan}, "Threshold NaN"},
	} {
		if _, err := Bounds(ok, c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Bounds(%+v): error %v, want one with %q", c.cfg, err, c.want)
		}
	}
}

func TestReadRowsNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "empty",
		"\n":                          "line 1",
		"1,0\n2,1\n":                  "must be the header score,member",
		"score\n1\n":                  "header",
		"member,score\n1,2\n":         "header",
		"score,member,x\n":            "header",
		"score,member\n":              "no scores",
		"score,member\n1,0\nnan,1\n":  `line 3: score "nan"`,
		"score,member\n1,0\n+Inf,1\n": `line 3: score "+Inf"`,
		"score,member\n1e999,1\n":     `line 2: score "1e999"`,
		"score,member\nx,1\n":         `line 2: score "x"`,
		"score,member\n1,2\n":         `line 2: member "2"`,
		"score,member\n1,true\n":      `line 2: member "true"`,
		"score,member\n1\n":           "line 2",
		"score,member\n1,0,3\n":       "line 2",
		"score,member\n1,0\n\n2,1\n":  "line 3 is empty",
		"score,member\n" + strings.Repeat("1", 2<<20): "line 2",
	} {
		if _, err := ReadRows(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadRows(%.40q): error %v, want one with %q", text, err, want)
		}
	}
	rows, err := ReadRows(strings.NewReader("\xef\xbb\xbf\"score\",\"member\"\r\n 1.5 , 1\r\n-2e3,0\r\n\r\n"))
	if err != nil || len(rows) != 2 || rows[0] != (Row{1.5, true}) || rows[1] != (Row{-2000, false}) {
		t.Errorf("ReadRows = %v, %v", rows, err)
	}
}

func FuzzReadRows(f *testing.F) {
	f.Add([]byte("score,member\n1,0\n2,1\n"))
	f.Add([]byte("score,member\r\n\"1\",\"0\"\r\n"))
	f.Add([]byte("\xef\xbb\xbfscore,member\n0x1p-2,1\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := ReadRows(bytes.NewReader(text))
		if (err == nil) == (len(rows) == 0) {
			t.Fatalf("ReadRows gave %d rows and error %v", len(rows), err)
		}
		for i, row := range rows {
			if math.IsNaN(row.Score) || math.IsInf(row.Score, 0) {
				t.Fatalf("row %d has score %g", i, row.Score)
			}
		}
		if lines := bytes.Count(text, []byte("\n")); len(rows) > lines {
			t.Fatalf("%d rows from %d line ends", len(rows), lines)
		}
	})
}

func TestEqualScoresGiveZero(t *testing.T) {
	same := make([]float64, 50)
	r, err := Bounds(Scores{same, same}, Config{Delta: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range r.Bounds {
		if b.Epsilon != 0 || b.Mu != 0 {
			t.Errorf("%s = %g (µ %g) on equal scores, want 0", b.Name, b.Epsilon, b.Mu)
		}
	}
	if len(r.Warnings) == 0 {
		t.Error("no warning about equal scores")
	}
}
