package attach_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
)

func guarantee(upper float64) accounting.Guarantee {
	return accounting.Guarantee{Epsilon: accounting.Certified(upper/2, upper, upper), Delta: 1e-5}
}

// from holds from an ε on.
func from(least float64, asked *[]float64) certificate.Check {
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		*asked = append(*asked, epsilon)
		c := accounting.Certificate{Claim: "test", Epsilon: epsilon, DeltaUpper: delta}
		if epsilon < least {
			c.DeltaUpper = 2 * delta
		}
		return c, nil
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		least, upper float64
		questions    int
	}{
		{1, 1, 1}, {0.5, 1, 1}, {1 + 1e-14, 1 + 1e-13, 2}, {1 + 1e-10, 1 + 1e-9, 3}, {1 + 1e-8, 1 + 1e-6, 4}, {1 + 1e-5, 1 + 1e-4, 5},
	} {
		var asked []float64
		g := attach.Of(guarantee(1), from(c.least, &asked))
		if g.Epsilon.Upper != c.upper || g.Certificate == nil || g.Certificate.Epsilon != c.upper || len(asked) != c.questions || len(g.Warnings) > 0 {
			t.Errorf("check from %g on: %v, %v, asked at %v; want ε <= %v", c.least, g, g.Certificate, asked, c.upper)
		}
		if g.Epsilon.Lower != 0.5 || g.Epsilon.Estimate != 1 {
			t.Errorf("check from %g on: interval %v", c.least, g.Epsilon)
		}
	}
}

// A lower end is lowered until δ is above that of the guarantee, by at most a share of 1e-4.
func TestLower(t *testing.T) {
	for _, c := range []struct{ most, want float64 }{
		{2, 0.5}, {0.5 - 1e-15, 0.5 * (1 - 1e-13)}, {0.5 - 4e-9, 0.5 * (1 - 1e-8)}, {0.5 - 4e-5, 0.5 * (1 - 1e-4)}, {0.4, 0},
	} {
		g := attach.Lower(guarantee(1), func(epsilon float64) float64 {
			if epsilon <= c.most {
				return 1.001e-5
			}
			return 1e-5 // is not above
		})
		want := accounting.Certified(0.5, 1, 1)
		if c.want > 0 {
			want = want.WithLower(c.want)
		}
		if g.Epsilon != want {
			t.Errorf("checked up to %g: %+v, want %+v", c.most, g.Epsilon, want)
		}
	}
	never := func(float64) float64 { t.Error("asked"); return 1 }
	zero, one := guarantee(1), guarantee(1)
	zero.Epsilon, one.Epsilon = accounting.Exact(0), accounting.UpperBound(1)
	if g := attach.Lower(zero, never); !g.Epsilon.LowerChecked {
		t.Error("ε is at least 0")
	}
	if g := attach.Lower(one, never); g.Epsilon != one.Epsilon {
		t.Errorf("without a lower end: %v", g)
	}
	if g := attach.Lower(guarantee(1), nil); g.Epsilon != guarantee(1).Epsilon {
		t.Errorf("without a check: %v", g)
	}
}

func TestFailedCheck(t *testing.T) {
	var asked []float64
	before := guarantee(1)
	before.Warnings = slices.Grow([]error{errors.New("doubt")}, 4)
	g := attach.Of(before, from(2, &asked))
	if g.Certificate != nil || g.Epsilon != before.Epsilon || len(g.Warnings) != 2 || !errors.Is(g.Warnings[1], accounting.ErrUncertified) {
		t.Errorf("%v, %v, warnings %v", g, g.Certificate, g.Warnings)
	}
	if len(before.Warnings) != 1 {
		t.Errorf("warnings of the argument: %v", before.Warnings)
	}
}

// An end that only a raise by 0.1 % lets a check show has a warning, as others may be lower.
func TestRaised(t *testing.T) {
	for above, raised := range map[float64]bool{5e-5: false, 5e-4: true} {
		g := attach.Of(guarantee(1), func(epsilon, delta float64) (accounting.Certificate, error) {
			if epsilon < 1+above {
				delta *= 2
			}
			return accounting.Certificate{Claim: "known", Epsilon: epsilon, DeltaUpper: delta}, nil
		})
		if g.Certificate == nil || attach.Raised(g) != raised || attach.Failed(g) || len(g.Warnings) > 0 != raised || g.Epsilon.Upper > 1.001*(1+1e-12) {
			t.Errorf("holds %g above: %v, certificate %v, warnings %v", above, g, g.Certificate, g.Warnings)
		}
	}
}

func TestUnchecked(t *testing.T) {
	unsupported := func(float64, float64) (accounting.Certificate, error) {
		return accounting.Certificate{}, accounting.ErrUnsupportedEvent
	}
	never := func(float64, float64) (accounting.Certificate, error) {
		t.Error("asked")
		return accounting.Certificate{}, nil
	}
	certified, zero := guarantee(1), guarantee(1)
	certified.Certificate, zero.Delta = &accounting.Certificate{Claim: "known"}, 0
	for _, c := range []struct {
		g     accounting.Guarantee
		check certificate.Check
	}{
		{guarantee(1), unsupported}, {guarantee(math.Inf(1)), never}, {certified, never}, {zero, never}, {accounting.NoGuarantee(), never},
	} {
		g := attach.Of(c.g, c.check)
		if g.Epsilon != c.g.Epsilon || g.Certificate != c.g.Certificate || len(g.Warnings) > 0 {
			t.Errorf("%v became %v, %v, %v", c.g, g, g.Certificate, g.Warnings)
		}
	}
}

func TestSum(t *testing.T) {
	one := &accounting.Certificate{Claim: "one", Epsilon: 1, DeltaUpper: 2e-6, Given: []string{"a"}, Work: 3}
	two := &accounting.Certificate{Claim: "two", Epsilon: 0.5, DeltaUpper: 3e-6, Given: []string{"a", "b"}, Work: 4}
	check := attach.Sum([]*accounting.Certificate{one, two})
	c, err := check(1.5+1e-15, 1e-5)
	if err != nil || c.Epsilon != 1.5+1e-15 || !(c.DeltaUpper >= 5e-6 && c.DeltaUpper <= 5e-6*(1+1e-12)) || len(c.Given) != 2 || c.Work != 7 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := check(1.5*(1-1e-12), 1e-5); err == nil {
		t.Errorf("below the sum: %+v", c)
	}
	for _, parts := range [][]*accounting.Certificate{{one, nil}, {nil, two}} {
		if _, err := attach.Sum(parts)(10, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("a part without a certificate: %v", err)
		}
	}
}

func TestDivergence(t *testing.T) {
	want := math.Exp(2*(0.3-1)) * math.Pow(2./3, 3) / 2 // Canonne, Kamath and Steinke (2020), Proposition 12
	c, err := attach.Divergence(3, 0.3)(1, 1e-5)
	if err != nil || math.Abs(c.DeltaUpper/want-1) > 1e-12 || len(c.Given) != 1 {
		t.Errorf("%+v, %v; want δ %g", c, err, want)
	}
}
