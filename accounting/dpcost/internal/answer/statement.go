package answer

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
)

// Statement returns the guarantee of a price with what it rests on. unit is what one record is. The
// event must not be a tuning. The list of assumptions is for a program that this one did not see.
func Statement(r Report, unit string) accounting.Statement {
	s := accounting.Statement{
		Guarantee: r.Guarantee, Subject: "the output of the Gaussian mechanism", Unit: unit, Theorem: r.Bounds[0].Theorem, Mechanism: r.Mechanism,
		Assumptions: []string{
			fmt.Sprintf("adding or removing %s changes each released vector by at most its sensitivity, in L2 norm", unit),
			"the noise has standard deviation noise multiplier x sensitivity and is drawn anew for each release",
		},
	}
	if r.Batches != nil {
		s.Subject = "the model and all noisy gradient sums of one DP-SGD run"
		s.Assumptions = append([]string{
			fmt.Sprintf("the gradient of %s is clipped to the clipping norm, and reads no other record (so there is no batch normalization)", unit),
			"each step adds new Gaussian noise, with standard deviation noise multiplier x clipping norm, to the sum of the clipped gradients",
		}, batchAssumptions(r.Batches)...)
	}
	s.Assumptions = append(s.Assumptions,
		"all parameters of the mechanism were chosen without looking at the data",
		"noise and samples are drawn without rounding errors", "the seed of all random draws is secret")
	s.NotCovered = []string{
		"other releases from the same data, such as other runs of a tuning and scores on the training data",
		"several records together: anyone who contributed several is protected less",
		"rounding and truncation of the noise by the program that draws it",
		"the running time",
	}
	s.Assumptions = append([]string{unit + " is exactly one record of the data"}, s.Assumptions...)
	for _, w := range r.Warnings {
		s.Warnings = append(s.Warnings, errors.New(w))
	}
	if r.LargeDelta != nil {
		s.Warnings = append(s.Warnings, r.LargeDelta)
	}
	return s
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
