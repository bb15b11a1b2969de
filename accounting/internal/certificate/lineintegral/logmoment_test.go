package lineintegral

import (
	"os"
	"testing"

	"github.com/dplab/dplab/accounting/internal/reference"
	"github.com/dplab/dplab/accounting/interval"
)

// Upper ends of log moments are above values of 40 digits (rdp/testdata/sampled.py) and of ball
// arithmetic (replaced.py), and near them.
func TestLogMoment(t *testing.T) {
	for file, replaced := range map[string]bool{"sampled": false, "replaced": true} {
		text, err := os.ReadFile("../../../rdp/testdata/" + file + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		source, rows := reference.Rows(t, string(text))
		compared := 0
		for _, row := range rows {
			q, sigma, order, want := row[0], row[1], row[2], row[3]
			if !(q > 0 && q < 1) || !(want > 0) {
				continue
			}
			a := interval.Of(order).Sub(one)
			got, nodes, ok := LogMoment(Phase{q, sigma, 1}, replaced, a.Hi)
			if !ok {
				t.Logf("%s: q %g, σ %g, order %g: too many nodes", file, q, sigma, order)
				continue
			}
			compared++
			truth := a.Mul(I{Lo: interval.Down(want), Hi: interval.Up(want)})
			if !(got.Hi >= truth.Lo && got.Lo <= truth.Hi) || got.Hi-truth.Hi > 1e-13+1e-9*truth.Hi {
				t.Errorf("%s: q %g, σ %g, order %g: log M in [%.17g, %.17g] with %d nodes, want %.17g; %s", file, q, sigma, order, got.Lo, got.Hi, nodes, truth.Hi, source)
			}
		}
		if compared < 60 || compared < len(rows)*9/10-10 {
			t.Errorf("%s: only %d of %d values compared", file, compared, len(rows))
		}
	}
}
