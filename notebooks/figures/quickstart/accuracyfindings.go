package quickstart

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// Findings says how the privately tuned model fares beside each other arm. All intervals are over seeds, which the
// arms share; the images are the same for all seeds.
func (r Accuracies) Findings() []string {
	tuned := r.Arms[0]
	list := []string{fmt.Sprintf("Private tuning (ε <= %.3f) gives %s test accuracy on average over %d seeds, with a standard deviation of %s points.",
		tuned.Epsilon, percent(stat.Mean(tuned.Accuracies, nil)), r.seeds(), points(stat.StdDev(tuned.Accuracies, nil)))}
	for _, arm := range r.Arms[1:] {
		if math.IsInf(arm.Epsilon, 1) {
			list = append(list, fmt.Sprintf("“%s” reaches %s: %s", arm.Name, percent(stat.Mean(arm.Accuracies, nil)), levels(arm, tuned)))
			continue
		}
		list = append(list, fmt.Sprintf("Against “%s” (ε %.3f): %s %s", arm.Name, arm.Epsilon, levels(tuned, arm), spreads(tuned, arm)))
	}
	return append(list, "Each 95 % interval holds by itself. It counts what another seed would change (samples, noise, initial weights, what is drawn from the grid), not what other images would.")
}

// levels says which of two arms is more accurate on average, if the seeds can tell.
func levels(a, b Arm) string {
	d := pairedDifference(a.Accuracies, b.Accuracies)
	text := fmt.Sprintf("(95 %% interval of the paired difference %s to %s points)", signed(d.Low), signed(d.High))
	switch {
	case d.Low > 0:
		return fmt.Sprintf("“%s” is %s points better on average %s.", a.Name, points(d.Estimate), text)
	case d.High < 0:
		return fmt.Sprintf("“%s” is %s points worse on average %s.", a.Name, points(-d.Estimate), text)
	}
	return fmt.Sprintf("which is better on average is not resolved by %d seeds, the difference is %s points %s.", len(a.Accuracies), signed(d.Estimate), text)
}

// spreads says which of two arms varies less from seed to seed, if the seeds can tell.
func spreads(a, b Arm) string {
	ratio := spreadRatio(a.Accuracies, b.Accuracies)
	text := fmt.Sprintf("standard deviation %s against %s points, ratio %.2f", points(stat.StdDev(a.Accuracies, nil)), points(stat.StdDev(b.Accuracies, nil)), ratio.Estimate)
	if !math.IsInf(ratio.High, 1) {
		text += fmt.Sprintf(", 95 %% interval %.2f to %.2f", ratio.Low, ratio.High)
	}
	switch {
	case ratio.High < 1:
		return fmt.Sprintf("The spread of “%s” is smaller: %s.", a.Name, text)
	case ratio.Low > 1:
		return fmt.Sprintf("The spread of “%s” is larger: %s.", a.Name, text)
	}
	return fmt.Sprintf("Which has the smaller spread is not resolved by %d seeds: %s.", len(a.Accuracies), text)
}

// points writes a difference of shares in percentage points.
func points(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

func signed(share float64) string { return fmt.Sprintf("%+.1f", 100*share) }
