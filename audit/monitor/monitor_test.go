package monitor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit/internal/tails"
)

// Looking after every game must not cost confidence: under randomized response with ε = 1,
// the chance that the bound ever passes 1 within 2,000 pairs is at most 0.05. Over 200
// audits the limit is exceeded by chance at most 1e-8 of the time.
func TestMonitorHoldsAtAllTimes(t *testing.T) {
	const audits = 200
	count := 0
	for i := range audits {
		rng := rand.New(rand.NewPCG(uint64(i), 23))
		m := must(New(Config{Upper: 0.5, Lower: 0.5}))
		keep := tails.Logistic(1)
		for range 2000 {
			for _, member := range []bool{true, false} {
				score := 0.0
				if (rng.Float64() < keep) == member {
					score = 1
				}
				if err := m.Observe(score, member); err != nil {
					t.Fatal(err)
				}
			}
		}
		if eps, _ := m.EpsilonLower(); eps > 1 {
			count++
		}
	}
	limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, 0.05) <= 1e-8 })
	if count > limit {
		t.Errorf("the bound passed the true ε = 1 in %d of %d audits, want at most %d", count, audits, limit)
	}
}

func TestMonitorFindsALeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 29))
	m := must(New(Config{Delta: 1e-5, Upper: 3, Lower: 0}))
	last := 0.0
	for i := range 2000 {
		for _, member := range []bool{i%2 == 0, i%2 == 1} {
			x := rng.NormFloat64()
			if member {
				x += 3
			}
			if err := m.Observe(x, member); err != nil {
				t.Fatal(err)
			}
		}
		eps, _ := m.EpsilonLower()
		if eps < last {
			t.Fatalf("the bound fell from %g to %g", last, eps)
		}
		last = eps
	}
	// ROC at the threshold: TPR 1/2 at FPR 0.00135, so that ε up to 5.9 could be shown.
	if eps, pairs := m.EpsilonLower(); eps < 3.5 || eps > 5.9 || pairs != 2000 {
		t.Errorf("ε >= %g after %d pairs, want between 3.5 and 5.9 after 2000", eps, pairs)
	}
}

// A copied game and a low confidence are doubted. A fair audit is not.
func TestMonitorWarns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	fair, low, copied := must(New(Config{})), must(New(Config{Confidence: 0.6})), must(New(Config{}))
	for i := range 300 {
		must(0, fair.Observe(rng.NormFloat64(), i%2 == 0))
		must(0, copied.Observe([]float64{3, 2.5, 2.75}[i%3], true))
		must(0, copied.Observe([]float64{0, 0.5, 0.25}[i%3], false))
	}
	if got := fair.Warnings(); got != nil {
		t.Errorf("a fair audit: %v", got)
	}
	if got := fmt.Sprint(low.Warnings()); !strings.Contains(got, "confidence 0.6 is low") {
		t.Errorf("confidence 0.6: %s", got)
	}
	if got := fmt.Sprint(copied.Warnings()); !strings.Contains(got, "297 of 300 member scores repeat another") || !strings.Contains(got, "297 of 300 non-member scores") {
		t.Errorf("three games, 100 times: %s", got)
	}
}

func TestMonitorRefusesBadInput(t *testing.T) {
	for _, cfg := range []Config{{Upper: math.NaN()}, {Upper: 0, Lower: 1}, {Delta: 1}, {Confidence: 2}, {Confidence: 0.05}} {
		if _, err := New(cfg); err == nil {
			t.Errorf("New(%+v) is no error", cfg)
		}
	}
	m := must(New(Config{}))
	if m.Observe(math.NaN(), true) == nil || m.Observe(math.Inf(1), false) == nil {
		t.Error("a score that is not finite is no error")
	}
	if m.SetThresholds(2, 1) == nil {
		t.Error("thresholds out of order are no error")
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
