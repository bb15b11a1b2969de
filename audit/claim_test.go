package audit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/internal/tails"
)

// gaussianProfile is an accountant with closed forms: one Gaussian with µ = 1.
type gaussianProfile struct{}

func (gaussianProfile) Name() string                        { return "closed form" }
func (gaussianProfile) Neighboring() accounting.Neighboring { return accounting.AddOrRemoveOne }
func (gaussianProfile) EpsilonAt(_ accounting.Event, delta float64) (accounting.Guarantee, error) {
	return accounting.Guarantee{Epsilon: accounting.UpperBound(epsilonOfMu(1, delta))}, nil
}
func (gaussianProfile) DeltaAt(_ accounting.Event, eps float64) (accounting.Interval, error) {
	return accounting.UpperBound(tails.NormalCDF(0.5-eps) - math.Exp(eps)*tails.NormalCDF(-0.5-eps)), nil
}

// The ceiling of the Gaussian's profile is the Gaussian's ceiling (Dong, Roth, Su 2022,
// Proposition 2.12), from above: a grid of ε leaves out constraints.
func TestProfileOfAGaussian(t *testing.T) {
	profile := must(ClaimOf(gaussianProfile{}, accounting.Gaussian{NoiseMultiplier: 1}))
	for _, v := range []float64{1e-6, 1e-4, 0.003, 0.1, 0.3, 0.5, 0.9, 0.999} {
		got, want := profile.TPR(v), GDP{1}.TPR(v)
		if got < want-1e-12 || got > want*1.001 {
			t.Errorf("TPR(%g) = %.9g, want %.9g or up to 0.1 %% more (the Gaussian's own ceiling)", v, got, want)
		}
		if back := profile.FPR(got); math.Abs(back-v) > 1e-9*v+1e-15 {
			t.Errorf("FPR(TPR(%g)) = %.12g", v, back)
		}
	}
}

func TestProfileOfOneGuaranteeIsIt(t *testing.T) {
	want := EpsilonDelta{1.3, 0.02}
	got := must(NewProfile("one", []EpsilonDelta{want}))
	for v := 0.0; v <= 1; v += 1.0 / 128 {
		near(t, "TPR", got.TPR(v), want.TPR(v), 1e-14, "the formula of (ε, δ)")
		near(t, "FPR", got.FPR(v), want.FPR(v), 1e-14, "the formula of (ε, δ)")
	}
	if _, err := NewProfile("bad", []EpsilonDelta{{-1, 0}}); err == nil || !strings.Contains(err.Error(), "epsilon -1") {
		t.Errorf("error %v", err)
	}
}

// Curves are symmetric, and FPR inverts TPR.
func TestCurvesAreSymmetric(t *testing.T) {
	profile := must(NewProfile("two", []EpsilonDelta{{0.5, 0.1}, {2, 1e-3}, {3, 0}}))
	for _, g := range []Curve{EpsilonDelta{0, 0}, EpsilonDelta{2, 0.01}, GDP{1.5}, profile} {
		for v := 0.001; v < 1; v += 0.013 {
			if tpr := g.TPR(v); tpr < 1 {
				near(t, g.String(), g.TPR(1-tpr), 1-v, 1e-9, "symmetry")
				near(t, g.String(), g.FPR(tpr), v, 1e-9, "FPR inverts TPR")
			}
		}
	}
}

// A true claim is contradicted at most at the significance: 200 audits, limit 26 false
// alarms (a binomial with chance 0.05 exceeds it with chance 2e-6; the doubled minimum
// makes them fewer). Every fourth is of µ = 1, whose test solves equations by search, the
// others of the least favorable pair, whose test has closed forms.
func TestTrueClaimsStand(t *testing.T) {
	count := 0
	for i := range 200 {
		rng := rand.New(rand.NewPCG(uint64(i), 19))
		z, claim := nulls[2], Curve(EpsilonDelta{2, 1e-3})
		if i%4 == 0 {
			z, claim = nulls[5], GDP{1}
		}
		if must(TestClaim(z.draw(rng, 30), claim, Config{Seed: uint64(i)})).Contradicted {
			count++
		}
	}
	if count > 26 {
		t.Errorf("a true claim was contradicted in %d of 200 audits, want at most 26", count)
	}
}

func TestLargeClaimUsesTheNormalLaw(t *testing.T) {
	scores := gaussianScores(5000, 1)
	small, large := must(TestClaim(scores, GDP{0.9}, Config{})), must(TestClaim(scores, GDP{1.1}, Config{}))
	if !small.Contradicted || large.Contradicted {
		t.Errorf("µ = 1 against claims .9 and 1.1 (standard error .02): %v\n%v", small, large)
	}
}

func TestClaimMomentsAgainstTheBinormal(t *testing.T) {
	theta, variance := claimMoments(GDP{1.3}, 60, 90)
	wantTheta, want := binormalAUC(1.3, 60, 90)
	near(t, "θ", theta, wantTheta, 1e-8, "closed form")
	near(t, "Var", variance, want, 1e-8, "closed form")
}

func TestOneRunClaimAgreesWithTheBound(t *testing.T) {
	g := Guesses{1000, 200, 190}
	mu := must(OneRunFDP(g, level95)).Mu
	if v := must(TestOneRunClaim(g, GDP{mu - 1e-4}, 0.95)); !v.Contradicted || v.PValue < 0.045 {
		t.Errorf("just below the bound: %v", v)
	}
	if v := must(TestOneRunClaim(g, GDP{mu + 1e-4}, 0.95)); v.Contradicted || v.PValue > 0.055 {
		t.Errorf("just above the bound: %v", v)
	}
}
