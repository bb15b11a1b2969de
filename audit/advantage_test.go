package audit

import (
	"math"
	"testing"
)

// The largest TPR - FPR is the one-sided statistic of Kolmogorov and Smirnov: scipy 1.17.1,
// ks_2samp(members, non_members, alternative="less"), for scores of the file and rounded to tenths.
func TestAdvantageIsTheStatisticOfKolmogorovAndSmirnov(t *testing.T) {
	scores := referenceScores(t)
	rounded := Scores{}
	for _, x := range scores.Member {
		rounded.Member = append(rounded.Member, math.RoundToEven(x*10)/10)
	}
	for _, x := range scores.NonMember {
		rounded.NonMember = append(rounded.NonMember, math.RoundToEven(x*10)/10)
	}
	for want, s := range map[float64]Scores{0.439: scores, 0.431: rounded, 0: {Member: []float64{1, 1}, NonMember: []float64{2, 3}}} {
		got, err := Advantage(s, level95)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "largest TPR - FPR", got.Estimate, want, 1e-12, "scipy")
	}
	// By hand: √(ln 80 / 200) for each class below, and ln 80 = 4.382026634673881.
	perfect, err := Advantage(Scores{Member: make([]float64, 100), NonMember: repeated(-1, 100)}, Config{Delta: 1e-5, Confidence: 0.95})
	if err != nil || perfect.Upper != 1 || perfect.Estimate != 1 {
		t.Errorf("perfect scores: %+v, %v", perfect, err)
	}
	none := must(Advantage(Scores{Member: make([]float64, 100), NonMember: make([]float64, 50)}, level95))
	near(t, "upper end", none.Upper, math.Sqrt(3.6888794541139363/2*(0.01+0.02)), 1e-12, "Hoeffding (1963), ln 40")
	near(t, "lower end", perfect.Lower, 1-2*math.Sqrt(4.382026634673881/200), 1e-12, "Massart (1990)")
}

func repeated(x float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = x
	}
	return xs
}

// If scores are 0 or 1, the chance that an end of the interval is wrong is a sum of binomials: exact
// for every law of these scores. It is at most half of 1 - confidence for each end.
func TestAdvantageHolds(t *testing.T) {
	const significance = 0.5
	binomial := func(n int, p float64) []float64 {
		law := []float64{1}
		for range n {
			next := make([]float64, len(law)+1)
			for k, w := range law {
				next[k], next[k+1] = next[k]+w*(1-p), next[k+1]+w*p
			}
			law = next
		}
		return law
	}
	worst := [2]float64{}
	for _, n := range [][2]int{{1, 1}, {7, 3}, {20, 20}, {9, 60}} {
		for tpr := 0.0; tpr <= 1; tpr += 1.0 / 16 {
			for fpr := 0.0; fpr <= 1; fpr += 1.0 / 16 {
				want, wrong := max(0, tpr-fpr), [2]float64{}
				law1, law0 := binomial(n[0], tpr), binomial(n[1], fpr)
				for i, p1 := range law1 {
					for j, p0 := range law0 {
						r := ROC{FPR: []float64{0, float64(j) / float64(n[1]), 1}, TPR: []float64{0, float64(i) / float64(n[0]), 1}}
						got := r.advantage(n[0], n[1], significance)
						if got.Lower > want {
							wrong[0] += p1 * p0
						}
						if got.Upper < want {
							wrong[1] += p1 * p0
						}
					}
				}
				for end := range wrong {
					if worst[end] = max(worst[end], wrong[end]); wrong[end] > significance/2 {
						t.Errorf("%d and %d scores, TPR %g, FPR %g: end %d is wrong with chance %g", n[0], n[1], tpr, fpr, end, wrong[end])
					}
				}
			}
		}
	}
	if worst[1] == 0 || worst[0] == 0 {
		t.Errorf("an end is never wrong: %v, so this test shows nothing", worst)
	}
	t.Log("largest chances of a wrong lower and upper end:", worst)
}
