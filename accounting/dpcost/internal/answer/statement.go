package answer

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// Statement returns the guarantee of a price with what it rests on. unit is what one record is. The
// list of assumptions is for programs that this one did not see.
func Statement(r Report, unit string) accounting.Statement {
	s := accounting.Statement{
		Guarantee: r.Guarantee, Unit: unit, Theorem: r.Bounds[0].Theorem, Published: r.Published, Mechanism: r.Mechanism,
		Assumptions: []string{unit + " is exactly one record of the data"},
		NotCovered: []string{
			"other releases from the same data, such as other runs of a tuning and scores on the training data",
			"several records together: anyone who contributed several is protected less",
			"rounding and truncation of the noise by the program that draws it",
			"the running time",
		},
	}
	assume := func(list ...string) { s.Assumptions = append(s.Assumptions, list...) }
	s.Subject = "the output of the Gaussian mechanism"
	switch {
	case r.Planned:
		s.Subject = "the outputs of all entries of the plan"
		assume("each entry is as private as its mechanism states, whatever the others returned")
		if r.Batches != nil {
			assume("batches are drawn as the mechanism states, and stay secret")
		}
		if tunes(r.Event) {
			assume("without looking at the data, the hyper-parameters of each tuning were drawn from one law, or proposed within the stated densities, and its number of runs from the stated law",
				"a run of a tuning starts from no model of another run", "of a tuning, the number of runs, the losing runs and their scores stay secret")
		}
	case r.Batches != nil:
		s.Subject = "the model and all noisy gradient sums of one DP-SGD run"
		assume(fmt.Sprintf("the gradient of %s is clipped to the clipping norm, and reads no other record (so there is no batch normalization)", unit),
			"each step adds new Gaussian noise, with standard deviation noise multiplier x clipping norm, to the sum of the clipped gradients")
	default:
		assume(fmt.Sprintf("adding or removing %s changes each released vector by at most its sensitivity, in L2 norm", unit),
			"the noise has standard deviation noise multiplier x sensitivity and is drawn anew for each release")
	}
	if r.Batches != nil && !r.Planned {
		assume(batchAssumptions(r.Batches)...)
	}
	if r.Base != nil {
		var own []string
		s.Subject, own, s.NotCovered[0] = tuned(r.Event)
		assume(own...)
	}
	assume("all parameters of the mechanism were chosen without looking at the data",
		"noise and samples are drawn without rounding errors", "the seed of all random draws is secret")
	for _, w := range r.Warnings {
		s.Warnings = append(s.Warnings, errors.New(w))
	}
	if r.LargeDelta != nil {
		s.Warnings = append(s.Warnings, r.LargeDelta)
	}
	return s
}

// tunes reports whether a plan has a tuning.
func tunes(plan accounting.Event) bool {
	tree, err := accounting.Flatten(plan)
	return err != nil || tree.Contains(func(n accounting.Node) bool {
		switch n.Event.(type) {
		case selection.BestOf, firstabove.Event, adaptive.Event, subsample.Event:
			return true
		}
		return false
	})
}

// tuned returns what a tuning releases, what must hold beyond its runs, and what stays secret.
func tuned(event accounting.Event) (subject string, assumptions []string, secret string) {
	assumptions = []string{
		"the hyper-parameters of all runs were drawn from one law, without looking at the data or at other runs (not in a fixed order)",
		"each run, including its score, is as private as the mechanism states, and starts from no model of another run",
	}
	secret = "the losing runs, their scores, and other releases from the same data"
	runs, hidden := "a random number of runs", true
	count := func(l law.Law) {
		if k, ok := l.(law.Fixed); ok {
			runs, hidden = fmt.Sprintf("%d runs", k.Count), false
		}
	}
	switch e := event.(type) {
	case selection.BestOf:
		count(e.Law)
		subject = "the best of " + runs + " with its hyper-parameters"
	case firstabove.Event:
		subject = "the first of " + runs + " that scores at least a threshold, with its hyper-parameters (or that none does)"
		assumptions = append(assumptions, "the threshold was chosen without looking at the data")
		secret = "the runs that missed the threshold, their scores, and other releases from the same data"
	case adaptive.Event:
		count(e.Law)
		subject = "the best of " + runs + " with its hyper-parameters"
		assumptions[0] = fmt.Sprintf("the hyper-parameters of each run were drawn by a law that was computed from earlier runs only, and whose density relative to a public prior is from %g to %g everywhere", e.Least, e.Most)
		assumptions = append(assumptions, "each run used earlier runs for its hyper-parameters only", "the prior and the limits of the density were chosen without looking at the data")
		secret = "the losing runs, their scores, the laws that proposed candidates, and other releases from the same data"
	case subsample.Event:
		count(e.Tuning.Law)
		subject = "the best of " + runs + " with its hyper-parameters and the output of the last training"
		assumptions = append(assumptions, "each record joined the tuning sample by its own coin, and the sample stays secret",
			"the last training costs no more than the mechanism states, whatever its hyper-parameters")
	}
	if hidden {
		assumptions = append(assumptions, "the number of runs was drawn from its law without looking at the data, and stays secret")
	}
	return subject, assumptions, secret
}

// batchAssumptions returns how the batches must be drawn.
func batchAssumptions(b *input.Batches) []string {
	const divisor = "the sums are divided by a public number, not by the size of the batch"
	switch b.Scheme {
	case input.Fixed:
		return []string{"each record is in one batch of every epoch, by a rule that reads no data; a missing record leaves its place empty", divisor}
	case input.Capped:
		return []string{
			"each record joins each step by its own coin; if more join than the cap, a random subset of that size stays",
			"the batches and their sizes stay secret", divisor,
		}
	case input.WithoutReplacement, input.WithReplacement:
		how := map[string]string{input.WithoutReplacement: "without", input.WithReplacement: "with"}[b.Scheme]
		return []string{
			"each step draws a batch of fixed size, evenly and " + how + " replacement, anew at each step (not shuffled batches)",
			"the batches stay secret, and their size does not depend on the number of records", divisor,
		}
	case input.Allocation:
		return []string{
			"each record joins one step of every epoch, drawn evenly, by its own coin and anew in every epoch (random allocation, not shuffled batches)",
			"the batches and their sizes stay secret", divisor,
		}
	case input.Shuffled, input.ShuffledOnce:
		return []string{
			"each record is in one batch of every epoch, in an order that is drawn evenly and reads no data",
			"the number of steps, and the public number that divides the sums, do not depend on the number of records",
		}
	}
	return []string{
		"each record joins each step by its own coin (Poisson sampling, not shuffled batches)", "the batches stay secret", divisor,
	}
}
