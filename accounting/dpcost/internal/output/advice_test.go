package output

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/advise"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
)

// Ends of coarse intervals are rounded to the outside. One end is printed if they are 2 % apart or
// less, and no lower end is made up. A single way needs no table.
func TestDrawingsAreWritten(t *testing.T) {
	one := advise.Way{Name: "one run, drawn", NoiseMultiplier: 0.9591234, Noise: 1}
	a := advise.Advice{Question: advise.Question{MeanCost: 2, Quantile: 0.9}, OneRun: one, Ways: []advise.Way{one}}
	drawings := []advise.Drawing{
		{Name: "allocation", Scheme: "RandomAllocation", Epsilon: accounting.Certified(1.7, 1.71, 1.72345)},
		{Name: "shuffled", Epsilon: accounting.Certified(6.78999, 7, 20.6781)},
		{Name: "fixed", Scheme: "FixedBatches", Epsilon: accounting.UpperBound(7.5)},
		{Name: "capped", Epsilon: accounting.UpperBound(math.Inf(1))},
	}
	text := strings.Join(strings.Fields(string(adviceText(a, drawings, &input.Batches{}))), " ")
	for _, want := range []string{
		"one run with noise multiplier 0.959124, its batches drawn in other ways", "allocation 1.724 RandomAllocation",
		"shuffled 6.789 to 20.68 -", "fixed about 7.5 FixedBatches", "capped <= +Inf -",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if text := string(adviceText(a, drawings[:1], &input.Batches{})); strings.Contains(text, "drawn in other ways") {
		t.Errorf("a table of one way: %s", text)
	}
	out, err := adviceJSON(a, drawings, &input.Batches{})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Drawings []struct {
			Batches, Engine string
			Epsilon         any
			Lower           *float64 `json:"epsilon_lower"`
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if d := got.Drawings; len(d) != 4 || d[1].Batches != "shuffled" || d[1].Engine != "" || d[1].Epsilon != 20.6781 || *d[1].Lower != 6.78999 || d[2].Lower != nil || d[3].Epsilon != "Infinity" {
		t.Errorf("%s", out)
	}
}
