package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/auto"
)

type end struct{ Lower, Upper any }

type atAnswer struct {
	jsonAnswer
	DeltaAt *struct {
		Epsilon float64
		Delta   end
	} `json:"delta_at_epsilon"`
	Attack *struct {
		FPR, From, To float64
		TPR, Mu       end
	}
}

func askAt(t *testing.T, line string) atAnswer {
	t.Helper()
	stdout, stderr, code := call(t, line+" -json")
	var a atAnswer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || code != 0 || stderr != "" {
		t.Fatalf("%s: code %d, %s, %v in %s", line, code, stderr, err, stdout)
	}
	return a
}

// phi is the distribution function of the normal law.
func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// quantile inverts an increasing f on [-40, 40].
func quantile(f func(float64) float64, y float64) float64 {
	low, high := -40.0, 40.0
	for range 200 {
		if x := (low + high) / 2; f(x) < y {
			low = x
		} else {
			high = x
		}
	}
	return high
}

// The numbers of a Gaussian are closed forms: δ by Balle and Wang (2018), Theorem 8, the true
// positive rate Φ(Φ⁻¹(FPR)+µ), and µ = √count/σ.
func TestAtOfGaussians(t *testing.T) {
	for line, mu := range map[string]float64{
		"gaussian -noise 1": 1, "gaussian -noise 4 -count 4": 0.5, "sgd -rate 1 -steps 100 -noise 10": 1, "sgd -batches fixed -epochs 16 -noise 4": 1,
		"gaussian -target-epsilon 4.377178095681234": 1,
	} {
		for _, c := range []struct{ epsilon, fpr float64 }{{1, 0.001}, {0, 0.5}, {2, 0.9}} {
			a := askAt(t, line+" -at-epsilon "+flagText(c.epsilon)+" -at-fpr "+flagText(c.fpr))
			delta := phi(mu/2-c.epsilon/mu) - math.Exp(c.epsilon)*phi(-mu/2-c.epsilon/mu)
			if a.DeltaAt == nil || a.Attack == nil {
				t.Fatalf("%s: answer %+v", line, a)
			}
			if d := a.DeltaAt.Delta; !near(d.Upper, delta, 1e-5) || !near(d.Lower, delta, 1e-5) {
				t.Errorf("%s: δ at %g %+v, want %g", line, c.epsilon, d, delta)
			}
			if tpr := phi(quantile(phi, c.fpr) + mu); !near(a.Attack.TPR.Upper, tpr, 1e-5) || !near(a.Attack.TPR.Lower, tpr, 1e-5) {
				t.Errorf("%s: TPR at %g %+v, want %g", line, c.fpr, a.Attack.TPR, tpr)
			}
			if !near(a.Attack.Mu.Upper, mu, 1e-5) {
				t.Errorf("%s: µ %+v, want %g", line, a.Attack.Mu, mu)
			}
		}
	}
}

// The noise for a true positive rate has closed forms too: of Gaussians 1/σ = (Φ⁻¹(TPR) -
// Φ⁻¹(FPR))/√count, and of one sampled step the best test above is at most as good at that noise,
// and better at less.
func TestNoiseForATruePositiveRate(t *testing.T) {
	const fpr, tpr = 0.001, 0.01
	noise := func(line string) float64 {
		var got struct {
			Noise float64 `json:"noise_multiplier"`
		}
		text, stderr, code := call(t, line+" -json -at-fpr 0.001 -target-tpr 0.01")
		if err := json.Unmarshal([]byte(text), &got); err != nil || code != 0 {
			t.Fatalf("%s: code %d, %v, %s", line, code, err, stderr)
		}
		return got.Noise
	}
	one := 1 / (quantile(phi, tpr) - quantile(phi, fpr))
	for line, want := range map[string]float64{
		"gaussian": one, "gaussian -count 4": 2 * one, "sgd -rate 1 -steps 9": 3 * one, "sgd -batches shuffled -epochs 2": math.Sqrt(10) * one,
	} {
		if got := noise(line); !(got >= want*(1-1e-9) && got <= want*(1+1e-5)) {
			t.Errorf("%s: noise %.9g, want %.9g", line, got, want)
		}
	}
	const q = 0.2
	best := func(noise float64) float64 { return (1-q)*fpr + q*phi(1/noise+quantile(phi, fpr)) }
	if got := noise("sgd -rate 0.2 -steps 1"); best(got) > tpr*(1+1e-9) || best(got*0.999) < tpr {
		t.Errorf("one sampled step: noise %.9g, where the best test has %.9g, and %.9g at less", got, best(got), best(got*0.999))
	}
}

func flagText(x float64) string { text, _ := json.Marshal(x); return string(text) }

// One sampled step: the best test for the example rejects large outputs, so its true positive rate
// is known. The bound is not below it, and hardly above it.
func TestAtOfOneSampledStep(t *testing.T) {
	const q = 0.2
	for _, fpr := range []float64{0.001, 0.01, 0.1} {
		a := askAt(t, "sgd -rate 0.2 -noise 1 -steps 1 -at-fpr "+flagText(fpr))
		threshold := -quantile(phi, fpr)
		tpr := (1-q)*fpr + q*phi(1-threshold)
		if got, ok := a.Attack.TPR.Upper.(float64); !ok || got < tpr*(1-1e-9) || got > tpr*1.001 {
			t.Errorf("TPR at %g is %v, the test above has %g", fpr, a.Attack.TPR.Upper, tpr)
		}
		if mu, ok := a.Attack.Mu.Upper.(float64); !ok || phi(quantile(phi, fpr)+mu) < tpr*(1-1e-9) {
			t.Errorf("µ %v allows less than the true positive rate %g at %g", a.Attack.Mu, tpr, fpr)
		}
		if a.Attack.From != fpr || math.Abs(a.Attack.To-(1-fpr)) > 1e-15 {
			t.Errorf("µ holds from %g to %g, want from %g", a.Attack.From, a.Attack.To, fpr)
		}
	}
	want, err := auto.NewAccountant().DeltaAt(poissonSteps(0.01, 2, 500), 0.3)
	if err != nil {
		t.Fatal(err)
	}
	if d := askAt(t, "sgd -rate 0.01 -noise 2 -steps 500 -at-epsilon 0.3").DeltaAt; d.Delta.Upper.(float64) < want.Upper || d.Delta.Upper.(float64) > want.Upper*(1+1e-7) || d.Epsilon != 0.3 {
		t.Errorf("δ at 0.3 is %+v, want %v", d, want)
	}
}

// Bounds of shuffled batches have no lower ends. Printed upper ends are not below the exact ones.
func TestAtIsOnTheSafeSide(t *testing.T) {
	a := askAt(t, "sgd -batches shuffled -epochs 2 -noise 3 -at-epsilon 1 -at-fpr 0.01")
	if a.DeltaAt.Delta.Lower != nil || a.Attack.TPR.Lower != nil || a.Attack.Mu.Lower != nil {
		t.Errorf("lower ends of shuffled batches: %+v %+v", a.DeltaAt, a.Attack)
	}
	if want := math.Sqrt(10) / 3; !near(a.Attack.Mu.Upper, want, 1e-9) {
		t.Errorf("µ %v, want √10/3", a.Attack.Mu.Upper)
	}
	text, _, code := call(t, "gaussian -noise 1 -at-epsilon 1 -at-fpr 0.001")
	for _, want := range []string{"delta at epsilon 1  <= 0.126937 ", "TPR at FPR 0.001    <= 0.0182985 ", "mu of GDP           <= 1 ", "from 0.001 to 0.999"} {
		if code != 0 || !strings.Contains(text, want) { // 0.12693674 and 0.01829847 by the closed forms
			t.Errorf("code %d, %q is not in\n%s", code, want, text)
		}
	}
	for _, line := range []string{"gaussian -noise 1e-5 -at-epsilon 1 -at-fpr 1e-300", "sgd -rate 0.01 -noise 2 -steps 5000 -at-fpr 1e-200 -at-epsilon 1e300", "gaussian -noise 1 -at-fpr 0.9999999999999999"} {
		if text, stderr, code := call(t, line); strings.Contains(text, "NaN") || code != 0 && (code != 1 || stderr == "") {
			t.Errorf("%s: code %d, %s%s", line, code, text, stderr)
		}
	}
}
