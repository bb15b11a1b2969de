package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/selection/law"
)

var commands = []string{"sgd", "gaussian", "tune", "advise", "expost", "plan", "ledger", "curve", "verify"}

// helpFor returns the help of one command: its line, its examples, and the sections whose headings
// name it.
func helpFor(command string) ([]byte, error) {
	if !slices.Contains(commands, command) {
		return nil, flags.Usagef("help %q: must be one of %s", command, strings.Join(commands, ", "))
	}
	paragraphs := strings.Split(usage(), "\n\n")
	kept, last := paragraphs[:1], len(paragraphs)-1
	wanted := false
	for _, p := range paragraphs[1:last] {
		lines := strings.Split(p, "\n")
		heading := len(lines) == 1 && !strings.HasPrefix(p, " ")
		switch {
		case heading:
			wanted = strings.Contains(p, "every command") || strings.Contains(p, "no command") || slices.Contains(strings.FieldsFunc(p, notLetter), command)
		case strings.HasPrefix(p, "  dpcost "): // the list of commands, and the examples
			named := slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l+" ", "  dpcost "+command+" ") })
			kept = append(kept, strings.Join(named, "\n"))
			continue
		}
		if wanted {
			kept = append(kept, p)
		}
	}
	return []byte(strings.Join(append(kept, paragraphs[last]), "\n\n")), nil
}

// commandList returns the paragraph of the commands.
func commandList() string { return strings.Split(usage(), "\n\n")[1] }

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// usage returns the whole page.
func usage() string {
	var tune, plan strings.Builder
	for _, f := range input.Laws() {
		fmt.Fprintf(&tune, "                        %-11s %s\n", f.Name, input.Parameters(f, "-"))
	}
	for _, f := range law.Formats() {
		fmt.Fprintf(&plan, "                                 %-10s %s\n", f.Name, input.Parameters(f, ""))
	}
	return strings.NewReplacer("LAWS OF TUNE\n", tune.String(), "LAWS OF A PLAN\n", plan.String()).Replace(page)
}

// page is the help. usage fills in the laws of the number of runs.
const page = `dpcost prints the privacy cost of a computation: ε at a δ, or the least noise for an ε.

  dpcost sgd       DP-SGD: Gaussian steps on Poisson samples, or on other batches
  dpcost gaussian  Gaussian releases
  dpcost tune      the best of a random or fixed number of runs (hyper-parameter tuning)
  dpcost advise    ways to tune, compared before any data is touched
  dpcost expost    a search among candidates of different ε, priced by the released one
  dpcost plan      any list of events, from a JSON file
  dpcost ledger    a file of the releases on one data set: what is spent, left, and still fits
  dpcost curve     δ at ε, the trade-off function, or ε along a run, as CSV and as a figure
  dpcost verify    an answer of -json, checked once more from its proof, without a search
  dpcost version   the source that this program was built from
  dpcost help C    the help of command C only, as dpcost C -h

Examples

  dpcost sgd -rate 0.01 -noise 2 -steps 5000 -delta 1e-5
  dpcost sgd -rate 0.01 -steps 5000 -delta 1e-5 -target-epsilon 1
  dpcost sgd -examples 60000 -batch 256 -epochs 10 -noise 1.1
  dpcost sgd -examples 60000 -batch 256 -epochs 10 -target-epsilon 2
  dpcost sgd -examples 60000 -batch 256 -noise 1.1 -target-epsilon 2 -solve steps
  dpcost sgd -batches shuffled -epochs 10 -noise 1.1
  dpcost sgd -batches allocation -examples 60000 -batch 256 -epochs 10 -noise 1.1
  dpcost sgd -rate 0.01 -noise 2 -steps 5000 -at-epsilon 1 -at-fpr 0.001
  dpcost sgd -rate 0.01 -steps 5000 -at-fpr 0.001 -target-tpr 0.01
  dpcost sgd -rate 0.01 -noise 1,2,4 -steps 5000
  dpcost sgd -rate 0.01 -noise 4 -steps 1000 -records-per-person 3
  dpcost sgd -rate 0.01 -noise 2 -steps 5000 -statement -unit "one labelled image"
  dpcost gaussian -noise 1 -count 3 -delta 1e-5
  dpcost tune -law logarithmic -mean 10 -base sgd -rate 0.01 -noise 2 -steps 5000 -delta 1e-5
  dpcost tune -law poisson -mean 10 -base gaussian -noise 2 -delta 1e-5
  dpcost tune -law fixed -count 5 -base gaussian -noise 2 -base-count 3 -delta 1e-5 -json
  dpcost tune -law poisson -mean 15 -tuning-rate 0.1 -base sgd -rate 0.01 -noise 2 -steps 5000
  dpcost advise -target-epsilon 2 -examples 60000 -rate 0.0213 -steps 1878 -candidates 10 -cost 15
  dpcost tune -law logarithmic -mean 10 -base gaussian -noise 2 -statement
  dpcost tune -release first -law geometric -mean 20 -base gaussian -noise 2
  dpcost expost candidates.json
  dpcost plan events.json -delta 1e-6
  dpcost ledger survey.ledger new -data "survey 2026" -epsilon 3 -delta 1e-6 -plan adaptive
  dpcost ledger survey.ledger add gaussian -noise 8 -note "table 1"
  dpcost ledger survey.ledger left
  dpcost ledger survey.ledger fits sgd -rate 0.01 -noise 2 -solve steps
  dpcost ledger survey.ledger show -unit "one household"
  dpcost verify answer.json
  dpcost plan - < events.json
  dpcost curve -base sgd -rate 0.01 -noise 2 -steps 5000 -figure profile.png
  dpcost curve -base sgd -examples 60000 -batch 256 -epochs 10 -noise 1.1 -over epochs -figure e.png
  dpcost curve -plan events.json -kind tradeoff -out tradeoff.csv

Flags of every command

  -delta D            δ of the guarantee, in (0, 1), default 1e-5; choose it well below
                      1 / number of examples
  -target-epsilon E   print the least noise multiplier that costs at most E (then no -noise,
                      unless -solve asks for something else); not in expost, plan, ledger and
                      curve; required in advise
  -json               print one JSON object; an error is {"error": ..., "exit_code": ...}.
                      epsilon has lower, estimate and upper; an uncertified value, such as
                      the lower end of a tuning, is null. bounds lists upper ends only,
                      least first; the first one is epsilon's upper. A bound has the name of
                      an accountant (contour, PLD, RDP), "sampling lemma" for a sample,
                      "dominating pairs" for a composition, or that of a selection's
                      theorem. +Inf is "Infinity"

Several settings in one table: sgd, gaussian and tune

  -noise 0.8,1,1.2    one row for each noise multiplier; likewise -target-epsilon 1,2,4. With
                      -json the answer is {"rows": [...]}. At most 100 values

Flags of sgd, and of tune and curve with -base sgd

  -rate Q             chance that an example joins a step, in (0, 1], such as 0.01 or 256/60000;
                      required, unless -examples and -batch give it
  -noise S            noise standard deviation / clipping norm, > 0
  -steps T            number of steps, >= 1; required, unless -epochs gives it. If a rule that
                      looks at outputs may stop a run early, T is the most that it allows. A
                      run that stops earlier still costs that
  -examples N         number of examples, a public fact. The answer warns of a δ that is
                      not below 1/N
  -batch B            with -examples, instead of -rate: mean batch size, at most N. The rate
                      is B/N
  -epochs E           with -batch, instead of -steps: passes over the data, > 0. The number of
                      steps is E x N/B, rounded up
  -batches B          how batches are drawn
                        poisson     each example joins each step by its own coin (the default)
                        capped      the same, and a random -cap examples stay if more join
                        without-replacement, with-replacement
                                    each step draws B of the N examples anew
                        allocation  each example joins one step of each epoch, by its own coin.
                                    An epoch has N/B steps, rounded down, and at least 2
                        shuffled    a loader shuffles all examples in every epoch; the price is
                                    far higher, because the order is priced as if it were known
                        shuffled-once  the same, and the first order is kept for all epochs
                        fixed       each example is in one batch of every epoch, by a rule that
                                    reads no data; a missing one leaves its place empty
                      shuffled, shuffled-once and fixed need only -epochs, a whole number. With a
                      rate and -steps an epoch has 1/rate steps, rounded down, and the number of
                      epochs is rounded up. If B divides N, a shuffled run has a lower end of ε
                      too: an attack that the price cannot be below
  -cap M              with -batches capped: the largest batch, >= B. capped, and batches drawn
                      without or with replacement, need -examples and -batch

Flags of sgd, gaussian, tune and plan

  -statement          print a statement for a paper instead: one sentence that may be quoted,
                      the mechanism, what must hold, and what is not covered. With -json the
                      answer has both
  -unit U             what one record is, in the statement; default "one example"

Flags of sgd and gaussian

  -at-epsilon E       print δ at this ε too, >= 0
  -at-fpr A           print the largest true positive rate at this false positive rate too, in
                      (0, 1), of any test for one example. It also prints the least µ: at false
                      positive rates from A to 1-A no test does better than on one Gaussian
                      release with noise multiplier 1/µ
  -target-tpr T       with -at-fpr: print the least noise multiplier at which no test has a true
                      positive rate above T there (then neither -noise nor -target-epsilon)
  -records-per-person K
                      print an upper end of the ε of a person with at most K records too, >= 2.
                      If each step draws its batch anew, without a cap, it is that of the law of
                      the number of these records in a step. Otherwise it is by group privacy

Flags of sgd only

  -solve X            what to find for -target-epsilon: noise (the default), steps or rate.
                      steps is the most steps; it needs -noise, and a rate or -examples and
                      -batch. rate is the largest rate; it needs -noise and -steps. Both need
                      Poisson batches

Flags of gaussian, and of tune and curve with -base gaussian

  -noise S            noise standard deviation / L2 sensitivity, > 0
  -count N            number of releases, >= 1, default 1 (in tune use -base-count if the law
                      is fixed, as -count is then the number of runs)

Flags of tune

  -law L              law of the number of runs, required; the laws and their flags are
LAWS OF TUNE
                      tnb is the truncated negative binomial law; -eta 0 is the logarithmic
                      law, and -eta 1 the geometric law
  -mean M             poisson: mean, > 0; geometric, logarithmic and tnb: mean, > 1
  -eta H              tnb: shape, in (-1, 1e12], default 0
  -gamma G            tnb: instead of -mean, in (0, 1)
  -trials N, -p P     binomial: N possible runs, each made with chance P in (0, 1)
  -runs N, -single P  two_point: one run with chance P in (0, 1), else N
  -count K            fixed: number of runs, >= 1. Of a grid search that runs each point once,
                      and draws none, only the bound "composition" in -json is proved
  -max M              what happens if the law draws more than M runs. capped: M runs;
                      truncated: the number is drawn again; withheld: nothing is released
  -of L               capped, truncated and withheld: the law to limit, with its flags
  -weights W          chances of 0, 1, 2, ... runs, with commas between them
  -base B             one run: sgd or gaussian; required
  -base-count N       releases in one gaussian run, >= 1, default 1
  -release R          the run to release: best (the default), or first: the first run whose
                      score is at least a public threshold
  -densities C,D      the candidate of each run is drawn by a law that may depend on earlier runs.
                      Its density relative to a public prior is from C to D everywhere, with
                      C in (0, 1] and D >= 1
  -tuning-rate Q      tune on a random sample that an example joins with chance Q, in (0, 1],
                      and then train once more
  -variant V          the data of that last training: rest (outside the sample, the default)
                      or all

Flags of advise

  -target-epsilon E   ε of tuning and training together, > 0; required
  -examples N         number of examples, a public fact; required
  -rate Q, -steps T   of each training, as in sgd; required
  -batches B          poisson (the default) or fixed, as in sgd
  -candidates M       points of the grid, >= 2; required
  -cost B             largest mean cost, in trainings on all data, > 1; required
  -quantile P         wanted expected quantile of the winner, in (0.5, 1), default 0.9
  -tuning-rate Q      chance that an example joins the sample of a tuning, in (0, 1),
                      default 0.1
  -parts K            parts of the data for noisy scores, >= 2, default 10
  -score-share S      share of ε for a choice by noisy scores, in (0, 1), default 0.5
  -seconds S          time of one training on all data; costs are then printed as times

The ways of advise

  one run, drawn      one point of the grid, drawn at random: no tuning
  best of K, LAW      the best of a random number of runs on all data. With the law fixed it is
                      a fixed number
  sample+rest, LAW    the best of a random number of runs on a random sample, then one training
                      on the rest of the data. sample+all trains on all data
  exponential on parts
                      every point is scored on each part of the data. One is chosen by the
                      exponential mechanism, then trained on all data
  thresholds on parts the same scores; the choice is by noisy thresholds

  A second table has the epsilon of one run at the same noise, batch size and steps, with its
  batches drawn in other ways.

Flags of curve

  -base B, -plan FILE the mechanism: sgd or gaussian with their flags, or a plan
  -over X             with -base sgd: ε at -delta along the run, over its steps or epochs. Over
                      epochs, x is steps x rate for Poisson batches
  -kind K             profile (δ at ε, the default) or tradeoff (type II at type I error)
  -points N           points, from 2 to 10000, default 101
  -max-epsilon E      profile: largest ε; the default is the ε at -delta
  -out FILE           write the points there, not to standard output: .csv or .json gives the
                      format. With -json they are printed too
  -figure FILE        also draw a figure, .png, .svg or .pdf

Words and flags of ledger

  new                 make the file, which is never changed and only gets longer
  add R               add a release before it runs; if it does not fit, it is refused
  fits R              whether a release fits; nothing is added
  left                what is spent and left
  show                the releases, and a statement for a paper. With -json it is an answer for
                      dpcost verify
  R                   sgd or gaussian with their flags, or the file of a plan (- is standard
                      input)
  -data N             name or fingerprint of the data set; required in new. In any other command
                      a ledger of other data is refused
  -epsilon E, -delta D
                      new: the budget
  -neighboring N      new: the relation, as in a plan
  -plan P             new: fixed, if neither a parameter of a release nor their number depends
                      on an answer: the price is that of the composition. Otherwise adaptive: a
                      filter bounds all releases that fit, whatever the answers
  -filter F           new: renyi (the default; no events with a δ), gaussian (Gaussian releases
                      only, and more of them) or zcdp (all events). Other filters are not proved
  -order A            new, renyi: order, > 1; the default is that at which the most Gaussian
                      noise fits
  -note T, -date D    add: any text; the day, as 2026-11-29, default today
  -released           add: the release is out already, so it is kept even if it does not fit
  -solve X            fits: noise, the least; steps, the most of sgd; or count, the most of R
                      in one release
  -delta D            add and fits, with the filter zcdp: the δ that the release takes, default
                      a hundredth of that of the budget. Half of the budget's is for all of them
  -unit U             show: what one record is; default "one record"

The file of expost

  {"law": {"type": "tnb", "eta": 1, "mean": 10}, "delta": 1e-5, "candidates": [
    {"name": "much noise", "weight": 0.5, "type": "gaussian", "noise_multiplier": 4},
    {"name": "little noise", "weight": 0.5, "type": "gaussian", "noise_multiplier": 1}]}

  delta, name and weight are optional. weight is the chance that a run draws the candidate. Give it
  for all candidates or for none; without it the price holds for all chances. Laws and events are
  those of a plan. There may be at most 200 candidates.

The file of a plan

  {"neighboring": "add-or-remove-one", "delta": 1e-5, "events": [
    {"name": "pre-training", "type": "dp_sgd",
     "sampling_rate": 0.01, "noise_multiplier": 2, "steps": 5000},
    {"name": "counts", "repeat": 10, "type": "laplace", "noise_multiplier": 30}]}

  Events are listed in the order in which they run. neighboring, delta, name and repeat are
  optional. neighboring is add-or-remove-one, replace-special (an example becomes zero) or
  replace-one. The noise multiplier of clipped_sum and dp_sgd is relative to the clip norm, under
  every relation. That of any other type is relative to the largest change of a release by one
  record; under replace-one the record is replaced. Types and their fields:

  gaussian, laplace            noise_multiplier
  clipped_sum                  noise_multiplier: Gaussian noise on a sum of clipped vectors
  randomized_response          truth
  pure_dp; approx_dp; zcdp     epsilon; epsilon, delta; rho
  exponential_mechanism        epsilon: a choice with chances ~ exp(epsilon score/(2 sensitivity));
                               it costs less if it is the first of the events
  permute_and_flip             epsilon: in the exponent, as above
  mixture_of_gaussians         chances, distances, noise_multiplier: a record moves the release by
                               distances[i] with chance chances[i] (not replace-one)
  dp_sgd                       sampling_rate, noise_multiplier, steps: self_composed of
                               poisson_sampled of clipped_sum
  poisson_sampled              sampling_rate, event
  sampled_without_replacement  sample_size, population_size, event (replace-one only)
  self_composed                count, event
  composed, parallel, worst_case   events
  discrete_pair                with, without (lists of probabilities); bound "above" if the
                               mechanism may cost less (the price then has no lower end)
  profile_bound                epsilons, deltas (lists): an upper bound on a privacy profile
  renyi_bound                  orders, divergences (lists): one on a Rényi curve
  selection                    law, base; law: {"type": "tnb", "eta": 0, "mean": 10} or another of
LAWS OF A PLAN
  first_above                  law, base: the first of at most K runs above a threshold
  adaptive_selection           law, base, least, most: candidates proposed by earlier runs
  tune_then_train              tuning_rate, tuning (a selection), training, variant
                               ("rest of the data" or "all data")
  above_threshold              sensitivity, threshold_noise, score_noise, max_tests,
                               max_positives, refresh ("each test", "each positive", "once");
                               noise ("laplace", the default, or "exponential")
  non_private                  none

If another tool prints another ε for sgd or gaussian

  The RDP accountants of Opacus and dp_accounting have a looser bound: the row RDP of the answer
  is near theirs. PRV and PLD accountants are above the exact value by the error of their grid
  (Opacus PRV: by 0.01). If the difference is larger, compare how batches are drawn (-batches),
  the number of steps, and the relation of neighbors.

What no command prices

  Noise that is correlated between steps (DP-FTRL, BandMF and other matrix mechanisms; the Go
  library prices its own runs with dpsgd.Config.Noise), a better upper end for a secret shuffled
  order, the shuffle model of privacy, and PATE. User-level DP-SGD is dpcost sgd with persons for
  examples, if persons join by coins and the sum of a person's gradients is clipped.

Neighbors differ by one added or removed example. A plan may have another relation: for
replace-one, see dpcost plan -h. ε is in nats. Printed upper bounds are rounded up, lower bounds
down, and were checked (in JSON: certificate, lower_checked). Other ends are "about" a number. The
exit code is 2 for a wrong command line, and 1 for a question without an answer.
`
