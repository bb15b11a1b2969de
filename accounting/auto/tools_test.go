package auto_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/rdp"
)

// The table of tools in accounting/README has the numbers of testdata/tools.csv, and ours as they
// are computed now. Upper bounds are rounded up, so no row claims too little. Each tool is on the
// private side of the truth, and our Rényi bound is the least of the three.
func TestToolsSideBySide(t *testing.T) {
	in, err := os.Open("testdata/tools.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r := csv.NewReader(in)
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil || len(records) != 6 {
		t.Fatalf("tools.csv: %d rows, %v, want a header and five settings", len(records), err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		var v [8]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(record[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		q, sigma, steps, delta := v[0], v[1], v[2], v[3]
		event := accounting.SelfComposed{Count: int(steps), Event: accounting.PoissonSampled{SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: sigma}}}
		best, err := auto.NewAccountant().EpsilonAt(event, delta)
		if err != nil {
			t.Fatal(err)
		}
		renyi, err := rdp.NewAccountant().EpsilonAt(event, delta)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range records[0][4:] {
			if v[4+i] < best.Epsilon.Lower {
				t.Errorf("%s: %g, below the truth, which is at least %g", name, v[4+i], best.Epsilon.Lower)
			}
			if strings.HasSuffix(name, "_rdp") && renyi.Epsilon.Upper > v[4+i]*(1+1e-9) {
				t.Errorf("%s: %g, and our Rényi bound is %g: must be at most that", name, v[4+i], renyi.Epsilon.Upper)
			}
		}
		rate := record[0]
		if q == 256./60000 {
			rate = "256/60000"
		}
		row := fmt.Sprintf("| %s, %s, %s, %g |", rate, record[1], record[2], delta)
		for _, epsilon := range append(v[4:], renyi.Epsilon.Upper, best.Epsilon.Upper) {
			row += fmt.Sprintf(" %.4f |", math.Ceil(epsilon*1e4)/1e4)
		}
		if !strings.Contains(string(readme), row+"\n") {
			t.Errorf("accounting/README lacks the row\n%s", row)
		}
	}
}
