package closed

import (
	_ "embed"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/internal/reference"
	"github.com/dplab/dplab/accounting/interval"
)

//go:embed testdata/closed.csv
var closedCSV string

func TestClosedForms(t *testing.T) {
	source, rows := reference.Rows(t, closedCSV)
	widest := make([]float64, 5)
	for _, row := range rows {
		kind, q, parameter, epsilon, want := int(row[0]), row[1], row[2], of(row[3]), row[4]
		var got, alone I // alone has the lower end only
		switch kind {
		case 0:
			got, alone = LogGaussian(of(parameter), epsilon), lower.gaussian(of(parameter), epsilon)
		case 1:
			got, alone = both.sampledRemove(q, of(parameter), epsilon), lower.sampledRemove(q, of(parameter), epsilon)
		case 2:
			got, alone = both.sampledAdd(q, of(parameter), epsilon), lower.sampledAdd(q, of(parameter), epsilon)
		case 3:
			got = Laplace(parameter, epsilon).Log()
		case 4:
			got = RandomizedResponse(parameter, epsilon).Log()
		}
		if !(got.Lo <= interval.Up(want) && got.Hi >= interval.Down(want)) { // want has one rounding
			t.Errorf("kind %d, q %g, parameter %g, ε %g: log δ in [%.17g, %.17g], want %.17g; %s", kind, q, parameter, row[3], got.Lo, got.Hi, want, source)
		}
		if kind < 3 && !(alone.Lo <= interval.Up(want) && alone.Lo >= got.Lo-2e-13*(1+math.Abs(want))) {
			t.Errorf("kind %d, q %g, parameter %g, ε %g: log δ >= %.17g by itself, %.17g with the upper end", kind, q, parameter, row[3], alone.Lo, got.Lo)
		}
		widest[kind] = max(widest[kind], (got.Hi-got.Lo)/(1+math.Abs(want)))
	}
	// In the sampled forms ln(1+(e^ε-1)/q) and 1-(1-e^-ε)/q lose digits where ε is small or δ falls
	// steeply.
	for kind, limit := range []float64{2e-12, 1e-10, 1e-9, 1e-9, 1e-9} {
		if !(widest[kind] <= limit) {
			t.Errorf("kind %d: log δ is known to %g, want %g", kind, widest[kind], limit)
		}
	}
	t.Log(widest)
}

func BenchmarkLogGaussian(b *testing.B) {
	for b.Loop() {
		LogGaussian(of(0.5), of(2))
	}
}
