package audit

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
)

// Values from the project's reference data (reference/audit.json and the section "auditing"
// of reference/vectors.json): mpmath and scipy evaluations made apart from this code.
// testdata/scores_n1000_mu1.csv is a seeded draw, members N(1,1), non-members N(0,1).

func near(t *testing.T, what string, got, want, tol float64, source string) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.12g, want %.12g within %g (%s)", what, got, want, tol, source)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func referenceScores(t testing.TB) Scores {
	t.Helper()
	file, err := os.Open("testdata/scores_n1000_mu1.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil || len(rows) < 2 || !slices.Equal(rows[0], []string{"score", "member"}) {
		t.Fatalf("%d rows, error %v: want a header and scores", len(rows), err)
	}
	var scores Scores
	for _, row := range rows[1:] {
		x := must(strconv.ParseFloat(row[0], 64))
		if row[1] == "1" {
			scores.Member = append(scores.Member, x)
		} else {
			scores.NonMember = append(scores.NonMember, x)
		}
	}
	return scores
}

var level95 = Config{Delta: 1e-5, Confidence: 0.95}

func TestClopperPearsonReference(t *testing.T) {
	const source = "reference/audit.json clopper_pearson_fixed_threshold, mpmath betainc"
	for _, c := range []struct {
		n1, n0, fn, fp int
		fnr, fpr, eps  float64
	}{
		{1000, 1000, 0, 0, 0.003682083896865672, 0.003682083896865672, 5.6005774942916355},
		{1000, 1000, 930, 5, 0.9450284750808301, 0.01162947055981215, 1.5530909516787226},
		{100, 200, 40, 0, 0.5027908495776652, 0.018275340355136244, 3.303438021364432},
	} {
		counts := Counts{Members: c.n1, NonMembers: c.n0, FalseNegatives: c.fn, FalsePositives: c.fp}
		near(t, "FNR upper", RateUpper(c.fn, c.n1, 0.025), c.fnr, 1e-12, source)
		near(t, "FPR upper", RateUpper(c.fp, c.n0, 0.025), c.fpr, 1e-12, source)
		near(t, "ε", must(ClopperPearson(counts, level95)).Epsilon, c.eps, 1e-6, source)
	}
	const vectors = "reference/vectors.json auditing gdp_audit, computed from Nasr et al. 2023"
	for _, c := range []struct {
		n, fn, fp int
		eps       float64
	}{{1000, 100, 100, 1.9896949462833387}, {1000, 10, 10, 3.9816376237437194}, {5000, 250, 2, 6.482138681231042}} {
		counts := Counts{Members: c.n, NonMembers: c.n, FalseNegatives: c.fn, FalsePositives: c.fp}
		near(t, "ε", must(ClopperPearson(counts, level95)).Epsilon, c.eps, 1e-6, vectors)
	}
}

func TestClopperPearsonCeilings(t *testing.T) {
	for _, c := range []struct {
		n   int
		eps float64
	}{{100, 3.2813359732686562}, {1000, 5.6005774942916355}, {5000, 7.21149153239725}} {
		counts := Counts{Members: c.n, NonMembers: c.n, FalseNegatives: c.n / 3, FalsePositives: c.n / 5}
		near(t, "ceiling", must(ClopperPearson(counts, level95)).Ceiling, c.eps, 1e-9, "reference/audit.json ceilings")
	}
}

func TestGDPClopperPearsonCeilings(t *testing.T) {
	for _, c := range []struct {
		n   int
		eps float64
	}{{100, 21.12033866182499}, {5000, 46.57682931827767}} {
		counts := Counts{Members: c.n, NonMembers: c.n, FalseNegatives: c.n / 3, FalsePositives: c.n / 5}
		near(t, "ceiling", must(GDPClopperPearson(counts, level95)).Ceiling, c.eps, 1e-6, "reference/audit.json ceilings gdp_cp_eps")
	}
}

func TestGDPClopperPearsonReference(t *testing.T) {
	const source = "reference/audit.json gdp_clopper_pearson_fixed_threshold"
	for _, c := range []struct {
		n, fn, fp int
		mu, eps   float64
	}{
		{1000, 0, 0, 5.359822537549039, 36.48948789301774},
		{1000, 159, 159, 1.8067584216121713, 8.827162555358216},
		{1000, 500, 159, 0.8244618393911409, 3.505514333468134},
		{1000, 100, 100, 2.3470972323259196, 12.197562752672404},
		{5000, 250, 2, 4.5650294905743305, 29.185471151851278},
	} {
		counts := Counts{Members: c.n, NonMembers: c.n, FalseNegatives: c.fn, FalsePositives: c.fp}
		b := must(GDPClopperPearson(counts, level95))
		near(t, "µ", b.Mu, c.mu, 1e-9, source)
		near(t, "ε", b.Epsilon, c.eps, 1e-6, source)
	}
}

func TestEpsilonOfMu(t *testing.T) {
	const source = "mpmath bisection of the profile at 40 digits, testdata/tails.py"
	for _, c := range []struct{ mu, delta, eps float64 }{
		{0.01, 1e-5, 0.027219419814577136}, {0.1, 1e-5, 0.34066936468432641}, {1, 1e-5, 4.3771780956812246},
		{1, 1e-12, 7.2384944201788584}, {5.359822537549039, 1e-5, 36.489487893017731}, {10, 1e-5, 91.817289624663745},
		{1, 0.3, 0.27661739889684951}, {30, 1e-5, 577.01197368801701}, {100, 0.5, 4999.0000333240047},
	} {
		got := must(EpsilonOfMu(c.mu, c.delta))
		near(t, "ε of µ", got, c.eps, 1e-9*math.Max(1, c.eps), source)
	}
	if got := must(EpsilonOfMu(0, 0.1)); got != 0 {
		t.Errorf("EpsilonOfMu(0) = %g, want 0", got)
	}
	if got := must(EpsilonOfMu(0.1, 0.2)); got != 0 {
		t.Errorf("EpsilonOfMu(0.1, 0.2) = %g, want 0: δ is above 2Φ(µ/2)-1", got)
	}
}

func TestAUCReference(t *testing.T) {
	auc := must(AUC(referenceScores(t), Config{Confidence: 0.95}))
	const source = "reference/audit.json tpr_auc_ci, logit-DeLong"
	near(t, "AUC", auc.Estimate, 0.787377, 1e-6, source)
	near(t, "AUC lower", auc.Lower, 0.7670934560283346, 1e-6, source)
	near(t, "AUC upper", auc.Upper, 0.8063400368058927, 1e-6, source)
}

func TestTPRAtFPRReference(t *testing.T) {
	const source = "reference/audit.json tpr_auc_ci"
	for _, c := range []struct{ fpr, lower, estimate, upper float64 }{
		{0.01, 0.0547991632817461, 0.137, 0.20468567470141386},
		{0.001, 0, 0.022, 0.10353991263066901},
	} {
		r := must(TPRAtFPR(referenceScores(t), c.fpr, Config{Confidence: 0.95}))
		near(t, "TPR lower", r.TPR.Lower, c.lower, 1e-9, source)
		near(t, "TPR", r.TPR.Estimate, c.estimate, 1e-12, source)
		near(t, "TPR upper", r.TPR.Upper, c.upper, 1e-9, source)
		if wantWarning := c.fpr == 0.001; (len(r.Warnings) > 0) != wantWarning {
			t.Errorf("TPR at %g: warnings %v, want some: %v", c.fpr, r.Warnings, wantWarning)
		}
	}
	in, out := make([]float64, 100), make([]float64, 100)
	for i := range in {
		in[i], out[i] = float64(i)+9.5, float64(i)
	}
	// That library's AUC is the area under the hull; ours counts pairs: 5905 of 10000.
	near(t, "hull area", must(NewROC(Scores{in, out})).Hull().Area(), 0.595, 1e-12, "vectors.json auditing roc")
	near(t, "AUC", must(AUC(Scores{in, out}, Config{Confidence: 0.95})).Estimate, 0.5905, 1e-12, "Σ min(100, i+10)/100² over i = 0..99")
}

func TestROCReference(t *testing.T) {
	const source = "vectors.json auditing roc, library test"
	roc := must(NewROC(Scores{Member: []float64{0, 4, 6, 7}, NonMember: []float64{1, 2, 3, 5}}))
	near(t, "hull area", roc.Hull().Area(), 0.8125, 1e-12, source)
	hull := must(NewROC(Scores{Member: []float64{1, 3}, NonMember: []float64{0, 2}})).Hull()
	for i, fpr := range []float64{0, 0.25, 0.5, 0.75, 1} {
		near(t, "hull", hull.At(fpr), []float64{0.5, 0.75, 1, 1, 1}[i], 1e-12, source)
	}
	stairs := must(NewROC(Scores{Member: []float64{1.5, 2.5, 0.5, 3.5}, NonMember: []float64{0, 3, 2, 1}}))
	if want := []float64{0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1, 1}; !slices.Equal(stairs.TPR, want) {
		t.Errorf("TPR = %v, want %v (counted by hand)", stairs.TPR, want)
	}
}

func TestBoundsOnReferenceScores(t *testing.T) {
	r := must(Bounds(referenceScores(t), Config{Seed: 1, Delta: 1e-5}))
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatalf("JSON: %v", err)
	}
	var back map[string]any
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatalf("JSON does not parse: %v\n%s", err, text)
	}
	// The other library's numbers and our own reference for this file, audit.json csv_bounds.
	for name, want := range map[string]float64{"rank-two-tail": 1.885791098115095, "rank-one-tail": 1.456163946307479, "gdp-auc": 4.6138096005618445} {
		b, ok := r.Bound(name)
		if !ok {
			t.Errorf("%s is missing", name)
		}
		near(t, name, b.Epsilon, want, 2e-3, "reference/audit.json csv_bounds")
	}
	for _, b := range r.Ordered() {
		if !(b.Epsilon >= 0 && b.Epsilon <= b.Ceiling) {
			t.Errorf("%s: ε %g is not in [0, ceiling %g]", b.Name, b.Epsilon, b.Ceiling)
		}
	}
}

// Other ranks on the same scores.
func TestRanksOnReferenceScores(t *testing.T) {
	const source = "reference/audit.json csv_bounds n1000_mu1"
	for _, c := range []struct {
		k, top, both     int
		oneTail, twoTail float64
	}{{0, 7, 36, 0.6267143533429513, 1.925537121927245}, {2, 29, 74, 1.456163946307479, 1.885791098115095}, {4, 82, 140, 2.165187421211239, 2.142834764178607}} {
		s := must(newSample(referenceScores(t)))
		if top, both := s.top(c.k).hits, s.top(c.k).hits+s.bottom(c.k).hits; top != c.top || both != c.both {
			t.Errorf("k = %d: %d hits at the top and %d in all, want %d and %d (%s)", c.k, top, both, c.top, c.both, source)
		}
		near(t, "one tail", must(RankOneTail(referenceScores(t), c.k, level95)).Epsilon, c.oneTail, 1e-4, source)
		near(t, "two tails", must(RankTwoTail(referenceScores(t), c.k, level95)).Epsilon, c.twoTail, 2e-3, source)
	}
}

// The search must find what looking at every threshold finds.
func TestBestThresholdAgainstAllThresholds(t *testing.T) {
	s := must(newSample(referenceScores(t)))
	st := s.steps()
	var want, wantMu float64
	for i := range st.len() {
		want = math.Max(want, epsilonTest(1e-5).of(st.counts(i), 0.025))
		wantMu = math.Max(wantMu, muTest.of(st.counts(i), 0.025))
	}
	near(t, "best Clopper-Pearson", epsilonTest(level95.Delta).uncorrected(st, level95).Epsilon, want, 0, "every threshold in turn")
	near(t, "best µ", muTest.uncorrected(st, level95).Mu, wantMu, 1e-12, "every threshold in turn")
}

// The estimate at a rate of two digits, c/100, allows ⌊c n/100⌋ of n non-members. By integers, for
// all rates and n up to 2,000. A rate one step below allows one less where c n/100 is whole.
func TestRatesOfTwoDigitsAllowTheirShare(t *testing.T) {
	for c := 1; c < 100; c++ {
		rate := float64(c) / 100 // the float64 that the decimal 0.c is read as
		for n := 1; n <= 2000; n++ {
			if got, want := countWithin(rate, n), c*n/100; got != want {
				t.Fatalf("rate %g of %d: %d, want %d by integers", rate, n, got, want)
			}
			if c*n%100 == 0 && countWithin(math.Nextafter(rate, 0), n) != c*n/100-1 {
				t.Fatalf("below rate %g of %d: %d, want one less than %d", rate, n, countWithin(math.Nextafter(rate, 0), n), c*n/100)
			}
		}
	}
	// All members are between the 29th and the 30th of 100 non-members: at FPR 29/100 all are seen.
	scores := Scores{Member: []float64{70.5, 70.5}}
	for i := range 100 {
		scores.NonMember = append(scores.NonMember, float64(i))
	}
	if r := must(TPRAtFPR(scores, 0.29, Config{})); r.TPR.Estimate != 1 {
		t.Errorf("TPR at FPR 0.29 is %v, want 1: 29 of 100 non-members are above all members", r.TPR)
	}
}
