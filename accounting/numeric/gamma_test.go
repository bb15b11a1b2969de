package numeric_test

import (
	_ "embed"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/internal/reference"
	"github.com/dplab/dplab/accounting/numeric"
)

//go:embed testdata/gamma.csv
var gammaCSV string

func TestGamma(t *testing.T) {
	source, rows := reference.Rows(t, gammaCSV)
	for _, row := range rows {
		x, a, ratio, n, k, choose := row[0], row[1], row[2], row[3], row[4], row[5]
		// x < 16 takes two values of log Γ, of at most 30, and x = 1e-6 is known to eps alone.
		if got := numeric.LogGammaRatio(x, a); !(math.Abs(got-ratio) <= 8*eps*(8+a*math.Abs(math.Log(x+a)))) {
			t.Errorf("log Γ(%g+%g)/Γ(%g) = %.17g, want %.17g; %s", x, a, x, got, ratio, source)
		}
		j := math.Min(k, n-k)
		if got := numeric.LogChoose(n, k); !(math.Abs(got-choose) <= 8*eps*(1+j*math.Log(n+1))) {
			t.Errorf("log C(%g, %g) = %.17g, want %.17g; %s", n, k, got, choose, source)
		}
	}
	if got := numeric.LogChoose(5, 5); got != 0 {
		t.Errorf("log C(5, 5) = %g, want 0", got)
	}
}
