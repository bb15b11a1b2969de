package game

import (
	"fmt"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
)

// LiRA returns the scores of the likelihood-ratio attack, of all examples of all targets:
//
//	ln N(φ; µ_in, σ²_in) - ln N(φ; µ_out, σ²_out)
//
// φ is the target's confidence in the example. Means and variances are those of the shadow models
// that had the example, and of those that did not. With fewer than 32 of either the two variances
// are shared by all examples.
//
// Reference: Carlini et al. (2022), arXiv:2112.03570, Algorithm 1.
func (r ShadowsResult) LiRA() (audit.Scores, error) {
	if err := r.validate(); err != nil {
		return audit.Scores{}, err
	}
	n := len(r.Shadows.In[0])
	in, out := make([]moments, n), make([]moments, n)
	var allIn, allOut moments
	for i := range n {
		in[i], out[i] = r.Shadows.of(i, true), r.Shadows.of(i, false)
		allIn, allOut = allIn.pool(in[i]), allOut.pool(out[i])
	}
	const enough = 32
	return r.scores(func(_ []float64, i int, x float64) float64 {
		a, b := in[i], out[i]
		varianceIn, varianceOut := a.variance(), b.variance()
		if min(a.count, b.count) < enough {
			varianceIn, varianceOut = allIn.variance(), allOut.variance()
		}
		return logNormal(x-a.mean, varianceIn) - logNormal(x-b.mean, varianceOut)
	})
}

// RMIA returns the scores of the robust attack, of all examples of all targets: the share of
// examples z with
//
//	(p(x|target) / p(x)) / (p(z|target) / p(z)) >= γ
//
// p(x|model) is the probability of the label of x. p(x) is its mean over the shadow models: half of
// them had x. gamma is γ in [1, 1000]; 2 is a usual choice. Here z are the same examples, since an
// adversary does not know which of them the target had. Scores have few values, so they tie.
//
// Reference: Zarifzadeh, Liu, Shokri (2024), arXiv:2312.03262.
func (r ShadowsResult) RMIA(gamma float64) (audit.Scores, error) {
	if err := r.validate(); err != nil {
		return audit.Scores{}, err
	}
	if err := check.Between(1, 1000).Of("game: RMIA: gamma", gamma); err != nil {
		return audit.Scores{}, err
	}
	n := len(r.Shadows.In[0])
	mean := make([]float64, n) // ln p(x)
	for i := range mean {
		sum := numeric.NewSum()
		for _, row := range r.Shadows.Confidence {
			sum.Add(logProbability(row[i]))
		}
		mean[i] = sum.Log() - numeric.Log(float64(len(r.Shadows.Confidence)))
	}
	ratios, sorted := make([]float64, n), []float64{}
	return r.scores(func(target []float64, i int, x float64) float64 {
		if i == 0 { // of another target
			for j, c := range target {
				ratios[j] = logProbability(c) - mean[j]
			}
			sorted = slices.Sorted(slices.Values(ratios))
		}
		most := ratios[i] - numeric.Log(gamma)
		return float64(sort.Search(n, func(k int) bool { return sorted[k] > most })) / float64(n)
	})
}

// scores gives each example of each target its score, from the confidences of the target, in order.
func (r ShadowsResult) scores(score func(target []float64, example int, confidence float64) float64) (audit.Scores, error) {
	var s audit.Scores
	for t, row := range r.Targets.Confidence {
		for i, confidence := range row {
			if x := score(row, i, confidence); r.Targets.In[t][i] {
				s.Member = append(s.Member, x)
			} else {
				s.NonMember = append(s.NonMember, x)
			}
		}
	}
	if err := s.Validate(); err != nil {
		return audit.Scores{}, fmt.Errorf("game: no usable scores: %w", err)
	}
	return s, nil
}

// validate returns an error unless the result has models of both kinds, of the same examples, and
// each example has shadow models with it and without it.
func (r ShadowsResult) validate() error {
	f := check.In("game: ShadowsResult.")
	n := 0
	if len(r.Shadows.In) > 0 {
		n = len(r.Shadows.In[0])
	}
	for name, models := range map[string]Shadowed{"Shadows": r.Shadows, "Targets": r.Targets} {
		fits := len(models.In) > 0 && len(models.In) == len(models.Confidence) && n > 0
		for m := 0; fits && m < len(models.In); m++ {
			fits = len(models.In[m]) == n && len(models.Confidence[m]) == n
		}
		f.That(fits, name, "of other shapes", "must have a coin and a confidence for each model and example, as Run returns them")
	}
	if err := f.Err(); err != nil {
		return err
	}
	for i := range n {
		with := r.Shadows.of(i, true).count
		f.That(with >= 2 && len(r.Shadows.In)-with >= 2, "Shadows", fmt.Sprintf("with example %d in %d of %d models", i, with, len(r.Shadows.In)), "must have at least 2 with it and 2 without")
	}
	return f.Err()
}

// moments are the mean of numbers and the sum of the squares of their differences from it.
type moments struct {
	count, lost   int // lost are degrees of freedom
	mean, squares float64
}

// of returns the moments of an example's confidences in the models that had it, or had it not.
func (s Shadowed) of(example int, in bool) (m moments) {
	for r, row := range s.Confidence {
		if s.In[r][example] == in {
			m.count++
			m.mean += row[example]
		}
	}
	m.lost, m.mean = 1, m.mean/float64(max(1, m.count))
	for r, row := range s.Confidence {
		if s.In[r][example] == in {
			m.squares += (row[example] - m.mean) * (row[example] - m.mean)
		}
	}
	return m
}

// pool returns moments that have only the variance in common.
func (m moments) pool(other moments) moments {
	return moments{count: m.count + other.count, lost: m.lost + other.lost, squares: m.squares + other.squares}
}

// variance returns the unbiased variance, at least a positive number.
func (m moments) variance() float64 { return max(m.squares/float64(m.count-m.lost), 1e-18) }

// logNormal returns the log density of N(0, variance) at x, up to a constant.
func logNormal(x, variance float64) float64 { return -x*x/(2*variance) - numeric.Log(variance)/2 }

// logProbability returns ln p from ln(p/(1-p)).
func logProbability(confidence float64) float64 { return -numeric.Add(0, -confidence) }
