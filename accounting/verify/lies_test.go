package verify_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/verify"
)

// claim is an event under a relation, and the step that is to show it. Without a step it is that of
// the accountant.
type claim struct {
	event    string
	relation accounting.Neighboring
	step     string
}

const (
	addOrRemove, replaceOne, replaceSpecial = accounting.AddOrRemoveOne, accounting.ReplaceOne, accounting.ReplaceSpecial

	sumOf2         = `{"type":"clipped_sum","noise_multiplier":2}`
	gaussian1      = `{"type":"gaussian","noise_multiplier":0.8}`
	gaussian2      = `{"type":"gaussian","noise_multiplier":2}`
	gaussian4      = `{"type":"gaussian","noise_multiplier":4}`
	laplace3       = `{"type":"laplace","noise_multiplier":3}`
	zcdp           = `{"type":"zcdp","rho":0.01}`
	tenOf100       = `{"type":"sampled_without_replacement","sample_size":10,"population_size":100,"event":` + sumOf2 + `}`
	closed         = `{"rule":"closed form"}`
	atOrder        = `{"rule":"Rényi divergence","witness":{"order":20}}`
	ratios         = `{"rule":"likelihood ratios","witness":{"cells":300,"log_tail":-30}}`
	inPublic       = `{"rule":"public steps"}`
	byLosses       = `{"rule":"threshold tests","witness":{"by":"losses"}}`
	ofARun         = `"run":[{"step":0.05,"end":200,"far":8,"count":240}],"slack":0.0001`
	byWeights      = `{"rule":"best of K by a ratio of weights","witness":{` + ofARun + `},"of":[` + closed + `]}`
	tenRuns        = `{"type":"tnb","eta":1,"gamma":0.1}` // on average
	moreRuns       = `{"type":"tnb","eta":1,"gamma":0.09}`
	choice         = `{"type":"exponential_mechanism","epsilon":0.5}`
	afterIt        = `{"rule":"a choice that comes first","witness":{` + ofARun + `},"of":[` + closed + `]}`
	inPublicNumber = `{"rule":"all runs, as if their number were public","witness":{"counts":[1,2]},"of":[` + closed + `,` + closed + `]}`
	tooLarge       = "the steps show δ"
)

func repeated(n int, event string) string {
	return fmt.Sprintf(`{"type":"self_composed","count":%d,"event":%s}`, n, event)
}

func onSample(rate, event string) string {
	return fmt.Sprintf(`{"type":"poisson_sampled","sampling_rate":%s,"event":%s}`, rate, event)
}

func listed(kind string, events ...string) string {
	return fmt.Sprintf(`{"type":%q,"events":[%s]}`, kind, strings.Join(events, ","))
}

func chosen(kind, law, base string) string {
	return fmt.Sprintf(`{"type":%q,"law":%s,"base":%s}`, kind, law, base)
}

func byDivergence(kind string) string {
	return `{"rule":"` + kind + ` by a Rényi divergence","witness":{` + ofARun + `,"order":20},"of":[` + atOrder + `,` + closed + `]}`
}

func tests(positives int, refresh string) string {
	return fmt.Sprintf(`{"type":"above_threshold","sensitivity":1,"threshold_noise":10,"score_noise":20,"max_tests":9,"max_positives":%d,"refresh":%q}`, positives, refresh)
}

func testsAnd(by string) string {
	return using("threshold tests", fmt.Sprintf(`{"by":%q,"order":20,%s}`, by, ofARun), closed)
}

func allocated(participations int) string {
	return fmt.Sprintf(`{"type":"random_allocation","period":10,"steps":20,"participations":%d,"event":%s}`, participations, sumOf2)
}

func tuned(rate, law, tuning, training, variant string) string {
	return fmt.Sprintf(`{"type":"tune_then_train","tuning_rate":%s,"tuning":%s,"training":%s,"variant":%q}`, rate, chosen("selection", law, tuning), training, variant)
}

func shuffled(batches int) string {
	return fmt.Sprintf(`{"type":"shuffled","batches":%d,"epochs":3,"kept":false,"event":%s}`, batches, sumOf2)
}

// using returns a step that uses others.
func using(rule, witness string, of ...string) string {
	return fmt.Sprintf(`{"rule":%q,"witness":%s,"of":[%s]}`, rule, witness, strings.Join(of, ","))
}

func formed(event, of string) string {
	return using("simplest form", `{"event":`+event+`}`, of)
}

// onGrid is a step by grids of one law, in the directions.
func onGrid(added ...bool) string {
	var grids []string
	for _, add := range added {
		grids = append(grids, fmt.Sprintf(`{"add":%v,"step":0.01,"tilt":4,"beyond":40,"first":-1024,"points":4096,"laws":[{"first":-800,"points":1601}]}`, add))
	}
	return `{"rule":"laws on a grid","witness":[` + strings.Join(grids, ",") + `]}`
}

// lies has what accountants with a wrong rule would print: they price one question and answer
// another. EPSILON is that of the answer.
var lies = []struct {
	rule, bug     string
	priced, asked claim // asked has the step of priced if it has none, and its relation if it has no event
	want          string
}{
	{
		"shuffled batches as releases in a known order", "a record that moves one batch",
		claim{repeated(3, gaussian2), addOrRemove, closed}, claim{shuffled(10), addOrRemove, formed(repeated(3, gaussian2), closed)}, "its noise is not that of the rules",
	},
	{
		"shuffled batches as releases in a known order", "an epoch that is forgotten",
		claim{repeated(2, gaussian2), replaceSpecial, closed}, claim{shuffled(10), replaceSpecial, formed(repeated(2, gaussian2), closed)}, "its count is not that of the rules",
	},
	{
		"a sum of clipped vectors as a Gaussian under the relation", "a replaced record that moves a sum as a removed one does",
		claim{repeated(3, gaussian2), replaceOne, closed}, claim{repeated(3, sumOf2), replaceOne, formed(repeated(3, gaussian2), closed)}, "its noise is not that of the rules",
	},
	{
		"batches in other words", "a batch of 10 of 100 records as coins of rate 0.1",
		claim{repeated(5, onSample("0.1", gaussian2)), addOrRemove, atOrder}, claim{repeated(5, tenOf100), addOrRemove, formed(repeated(5, onSample("0.1", gaussian2)), atOrder)}, "its noise is not that of the rules",
	},
	{
		"samples of samples merged", "a rate that is counted twice",
		claim{onSample("0.05", gaussian2), addOrRemove, closed}, claim{onSample("0.5", onSample("0.2", gaussian2)), addOrRemove, formed(onSample("0.05", gaussian2), closed)}, "its rate is not that of the rules",
	},
	{
		"the part that dominates the others", "the best part in the place of the worst",
		claim{gaussian4, addOrRemove, closed}, claim{listed("worst_case", gaussian4, gaussian2), addOrRemove, formed(gaussian4, closed)}, "its noise is not that of the rules",
	},
	{
		"simplest form", "a hidden size that is believed",
		claim{onSample("0.05", gaussian2), addOrRemove, closed}, claim{onSample("0.5", tenOf100), addOrRemove, formed(onSample("0.05", gaussian2), closed)}, "must be public, on a Poisson sample, which hides it",
	},
	{
		"reserve", "a reserve that is dropped from δ",
		claim{gaussian2, addOrRemove, closed}, claim{gaussian2, addOrRemove, using("reserve", `{"delta":4e-6}`, closed)}, tooLarge,
	},
	{
		"worst of several", "a part that is left out",
		claim{listed("worst_case", gaussian4, gaussian4), addOrRemove, using("worst of several", "{}", closed, closed)}, claim{listed("worst_case", gaussian4, gaussian2), addOrRemove, ""}, tooLarge,
	},
	{
		"worst of several", "the worst of what runs one after the other",
		claim{listed("worst_case", gaussian4, gaussian2), addOrRemove, using("worst of several", "{}", closed, closed)}, claim{listed("composed", gaussian4, gaussian2), addOrRemove, ""}, "2 steps for a composed",
	},
	{
		"sampling lemma", "a hidden sample under replace-one",
		claim{onSample("0.1", repeated(3, zcdp)), addOrRemove, using("sampling lemma", "{}", atOrder)}, claim{onSample("0.1", repeated(3, zcdp)), replaceOne, ""}, tooLarge,
	},
	{
		"sampling lemma", "a batch as coins under add-or-remove-one",
		claim{onSample("0.1", repeated(3, zcdp)), addOrRemove, using("sampling lemma", "{}", atOrder)},
		claim{`{"type":"sampled_without_replacement","sample_size":10,"population_size":100,"event":` + repeated(3, zcdp) + `}`, addOrRemove, ""}, "has no sampling lemma",
	},
	{
		"a smaller ε", "a larger ε",
		claim{gaussian4, addOrRemove, closed}, claim{gaussian2, addOrRemove, using("a smaller ε", `{"epsilon":100}`, closed)}, "must be at most",
	},
	{
		"basic composition", "the largest ε in the place of the sum",
		claim{listed("worst_case", gaussian2, laplace3), addOrRemove, using("worst of several", "{}", closed, closed)},
		claim{listed("composed", gaussian2, laplace3), addOrRemove, using("basic composition", `{"epsilons":[EPSILON,EPSILON]}`, closed, closed)}, "the sum of all ε",
	},
	{
		"basic composition", "an event that is free",
		claim{gaussian2, addOrRemove, closed}, claim{listed("composed", gaussian2, laplace3), addOrRemove, using("basic composition", `{"epsilons":[EPSILON,0]}`, closed, closed)}, tooLarge,
	},
	{
		"basic composition", "an event without a step",
		claim{gaussian2, addOrRemove, closed}, claim{listed("composed", gaussian2, laplace3), addOrRemove, using("basic composition", `{"epsilons":[EPSILON]}`, closed)}, "1 ε and 1 steps for 2 events",
	},
	{"threshold tests", "one positive in the place of two", claim{tests(1, "once"), addOrRemove, byLosses}, claim{tests(2, "once"), addOrRemove, ""}, tooLarge},
	{"threshold tests", "a threshold that is not drawn again", claim{tests(2, "once"), addOrRemove, byLosses}, claim{tests(2, "each test"), addOrRemove, ""}, tooLarge},
	{"threshold tests", "a training that costs more", claim{listed("composed", tests(2, "once"), gaussian4), addOrRemove, testsAnd("losses")}, claim{listed("composed", gaussian2, tests(2, "once")), addOrRemove, ""}, tooLarge},
	{"threshold tests", "a training that is left out", claim{tests(2, "once"), addOrRemove, byLosses}, claim{listed("composed", tests(2, "once"), gaussian4), addOrRemove, ""}, "0 profiles of a run"},
	{"threshold tests", "pure parts that are not counted", claim{tests(2, "each positive"), addOrRemove, `{"rule":"threshold tests","witness":{"by":"tests"}}`}, claim{tests(3, "each positive"), addOrRemove, ""}, tooLarge},
	{"threshold tests", "a pure ε that is free", claim{listed("composed", tests(1, "once"), gaussian4), addOrRemove, testsAnd("pure")}, claim{listed("composed", tests(2, "once"), gaussian4), addOrRemove, ""}, tooLarge},
	{"threshold tests", "the divergence of a search as that of all events", claim{tests(2, "once"), addOrRemove, `{"rule":"threshold tests","witness":{"by":"Rényi","order":20}}`}, claim{listed("composed", tests(2, "once"), gaussian4), addOrRemove, testsAnd("Rényi")}, "is not known"},
	{"threshold tests", "two searches as one", claim{listed("composed", tests(2, "once"), gaussian4), addOrRemove, testsAnd("losses")}, claim{listed("composed", tests(2, "once"), tests(2, "once")), addOrRemove, ""}, "only its own rules take it"},
	{"threshold tests", "a step about nothing", claim{tests(2, "once"), addOrRemove, byLosses}, claim{tests(3, "once"), addOrRemove, testsAnd("losses")}, "steps are about no event"},
	{"threshold tests", "a training as a search", claim{tests(1, "once"), addOrRemove, byLosses}, claim{gaussian1, addOrRemove, ""}, "must be an above_threshold"},
	{
		"first above as a post-processing of the best of K", "a smaller mean of K",
		claim{chosen("first_above", tenRuns, gaussian2), addOrRemove, using("first above as a post-processing of the best of K", "{}", byWeights)}, claim{chosen("first_above", moreRuns, gaussian2), addOrRemove, ""}, tooLarge,
	},
	{
		"first above as a post-processing of the best of K", "the best of K as the first above",
		claim{chosen("first_above", moreRuns, gaussian2), addOrRemove, using("first above as a post-processing of the best of K", "{}", byWeights)}, claim{chosen("selection", moreRuns, gaussian2), addOrRemove, ""}, "must be a first_above",
	},
	{
		"best of K by ranks", "a withheld search as one that always answers",
		claim{chosen("selection", `{"type":"withheld","law":{"type":"poisson","mean":1.8},"max":5}`, gaussian2), addOrRemove, ""}, claim{chosen("selection", `{"type":"withheld","law":{"type":"poisson","mean":2},"max":5}`, gaussian2), addOrRemove, ""}, tooLarge,
	},
	{
		"best of K by ranks that are taken", "a smaller mean of K",
		claim{chosen("selection", `{"type":"poisson","mean":38}`, gaussian2), addOrRemove, ""}, claim{chosen("selection", `{"type":"poisson","mean":39}`, gaussian2), addOrRemove, ""}, tooLarge,
	},
	{"best of K by a ratio of weights", "a smaller mean of K", claim{chosen("selection", tenRuns, gaussian2), addOrRemove, byWeights}, claim{chosen("selection", moreRuns, gaussian2), addOrRemove, ""}, tooLarge},
	{"best of K by a ratio of weights", "the first above as the best of K", claim{chosen("selection", moreRuns, gaussian2), addOrRemove, byWeights}, claim{chosen("first_above", moreRuns, gaussian2), addOrRemove, ""}, "must be a selection"},
	{
		"best of K by a Rényi divergence", "the divergence of another run",
		claim{chosen("selection", tenRuns, gaussian4), addOrRemove, byDivergence("best of K")}, claim{chosen("selection", tenRuns, gaussian2), addOrRemove, ""}, tooLarge,
	},
	{
		"first above by a Rényi divergence", "a best of K that costs what a first above does",
		claim{chosen("first_above", tenRuns, gaussian4), addOrRemove, byDivergence("first above")}, claim{chosen("selection", tenRuns, gaussian4), addOrRemove, byDivergence("first above")}, "must be a first_above",
	},
	{
		"first above by shares", "a smaller mean of K",
		claim{chosen("first_above", tenRuns, gaussian2), addOrRemove, using("first above by shares", `{`+ofARun+`}`, closed)}, claim{chosen("first_above", moreRuns, gaussian2), addOrRemove, ""}, tooLarge,
	},
	{
		"first above by a Rényi divergence", "a smaller mean of K",
		claim{chosen("first_above", tenRuns, gaussian4), addOrRemove, byDivergence("first above")}, claim{chosen("first_above", moreRuns, gaussian4), addOrRemove, ""}, tooLarge,
	},
	{
		"a choice that comes first", "a choice that depends on what was released before",
		claim{listed("composed", choice, gaussian2), addOrRemove, afterIt}, claim{listed("composed", gaussian2, choice), addOrRemove, ""}, "must begin with an exponential_mechanism",
	},
	{"a choice that comes first", "an event that is left out", claim{listed("composed", choice, gaussian4), addOrRemove, afterIt}, claim{listed("composed", choice, gaussian4, laplace3), addOrRemove, ""}, tooLarge},
	{"a choice that comes first", "another relation", claim{listed("composed", choice, gaussian4), addOrRemove, afterIt}, claim{listed("composed", choice, gaussian4), replaceOne, ""}, "must begin with"},
	{"a tuning on a sample, then a training", "a smaller sample", claim{tuned("0.1", tenRuns, gaussian2, gaussian4, "all data"), addOrRemove, ""}, claim{tuned("0.11", tenRuns, gaussian2, gaussian4, "all data"), addOrRemove, ""}, tooLarge},
	{"a tuning on a sample, then a training", "a training on the rest", claim{tuned("0.1", tenRuns, gaussian4, gaussian2, "rest of the data"), addOrRemove, ""}, claim{tuned("0.1", tenRuns, gaussian4, gaussian2, "all data"), addOrRemove, ""}, tooLarge},
	{"a tuning on a sample, then a training", "a smaller mean of K", claim{tuned("0.5", tenRuns, gaussian2, gaussian4, "all data"), addOrRemove, ""}, claim{tuned("0.5", moreRuns, gaussian2, gaussian4, "all data"), addOrRemove, ""}, tooLarge},
	{"a tuning on a sample, then a training", "a training that costs more", claim{tuned("0.5", tenRuns, gaussian2, gaussian4, "all data"), addOrRemove, ""}, claim{tuned("0.5", tenRuns, gaussian2, gaussian2, "all data"), addOrRemove, ""}, tooLarge},
	{"a tuning on a sample, then a training", "a tuning on all data", claim{tuned("0.5", tenRuns, gaussian2, gaussian4, "all data"), addOrRemove, ""}, claim{listed("composed", chosen("selection", tenRuns, gaussian2), gaussian4), addOrRemove, ""}, "must be a tune_then_train"},
	{"all runs, as if their number were public", "a run that is not counted", claim{chosen("selection", `{"type":"fixed","count":2}`, gaussian2), addOrRemove, inPublicNumber}, claim{chosen("selection", `{"type":"fixed","count":3}`, gaussian2), addOrRemove, ""}, tooLarge},
	{"all runs, as if their number were public", "the best of several as one", claim{chosen("selection", `{"type":"fixed","count":2}`, gaussian4), addOrRemove, inPublicNumber}, claim{chosen("selection", `{"type":"fixed","count":2}`, gaussian2), addOrRemove, ""}, tooLarge},
	{"all runs, as if their number were public", "a selection of selections", claim{chosen("selection", `{"type":"fixed","count":2}`, gaussian2), addOrRemove, inPublicNumber}, claim{listed("composed", chosen("selection", `{"type":"fixed","count":2}`, gaussian2), gaussian4), addOrRemove, ""}, "must be a selection of events"},
	{"values of a profile", "a smaller mean of K", claim{listed("composed", chosen("selection", tenRuns, gaussian2), gaussian4), addOrRemove, ""}, claim{listed("composed", chosen("selection", moreRuns, gaussian2), gaussian4), addOrRemove, ""}, "the laws on the grid show δ"},
	{"values of a profile", "a training that costs more", claim{listed("composed", chosen("selection", tenRuns, gaussian2), gaussian4), addOrRemove, ""}, claim{listed("composed", chosen("selection", tenRuns, gaussian2), gaussian2), addOrRemove, ""}, "the laws on the grid show δ"},
	{"values of a profile", "a selection that is left out", claim{listed("composed", chosen("selection", tenRuns, gaussian2), gaussian4), addOrRemove, ""}, claim{listed("composed", chosen("selection", tenRuns, gaussian2), chosen("selection", tenRuns, gaussian2)), addOrRemove, ""}, "a selection without a step"},
	{"values of a profile", "a part that costs more", claim{listed("composed", repeated(9, onSample("0.001", gaussian1)), zcdp), addOrRemove, ""}, claim{listed("composed", repeated(9, onSample("0.001", gaussian1)), `{"type":"zcdp","rho":0.0101}`), addOrRemove, ""}, "the laws on the grid show δ"},
	{"values of a profile", "a step about nothing", claim{listed("composed", chosen("selection", tenRuns, gaussian2), gaussian4), addOrRemove, ""}, claim{listed("composed", gaussian2, gaussian4), addOrRemove, ""}, "steps are about no event"},
	{"public steps", "a replaced record that moves a sum as a removed one does", claim{allocated(1), replaceSpecial, inPublic}, claim{allocated(1), replaceOne, ""}, tooLarge},
	{"public steps", "one participation in the place of two", claim{allocated(1), addOrRemove, inPublic}, claim{allocated(2), addOrRemove, ""}, tooLarge},
	{"closed form", "a replaced record that moves a sum as a removed one does", claim{onSample("0.1", gaussian2), addOrRemove, closed}, claim{onSample("0.1", sumOf2), replaceOne, ""}, tooLarge},
	{"closed form", "a shown sample as a hidden one", claim{onSample("0.1", laplace3), addOrRemove, closed}, claim{onSample("0.1", laplace3), replaceOne, ""}, tooLarge},
	{"closed form", "a sample of fixed size as coins", claim{onSample("0.1", gaussian2), addOrRemove, closed}, claim{tenOf100, addOrRemove, ""}, "closed"},
	{"Rényi divergence", "a shown sample as a hidden one", claim{repeated(5, onSample("0.1", gaussian2)), addOrRemove, atOrder}, claim{repeated(5, onSample("0.1", gaussian2)), replaceOne, ""}, tooLarge},
	{"line integral", "a step that is not counted", claim{repeated(53, onSample("0.1", gaussian2)), addOrRemove, ""}, claim{repeated(54, onSample("0.1", gaussian2)), addOrRemove, ""}, "line integral"},
	{"line integral", "a replaced record as a removed one", claim{repeated(53, onSample("0.1", gaussian2)), addOrRemove, ""}, claim{repeated(53, onSample("0.1", sumOf2)), replaceOne, ""}, "line integral"},
	{"line integral", "a shown sample as a hidden one", claim{repeated(53, onSample("0.1", gaussian2)), addOrRemove, ""}, claim{repeated(53, onSample("0.1", gaussian2)), replaceOne, ""}, "must be a Gaussian, or one on a Poisson sample"},
	{"laws on a grid", "a run that is not counted", claim{repeated(4, laplace3), addOrRemove, onGrid(false)}, claim{repeated(5, laplace3), addOrRemove, ""}, "the laws on the grid show δ"},
	{"laws on a grid", "one of two directions", claim{repeated(4, onSample("0.1", laplace3)), addOrRemove, onGrid(false, true)}, claim{repeated(4, onSample("0.1", laplace3)), addOrRemove, onGrid(true)}, "a direction has no grid"},
	{"laws on a grid", "an event that is left out", claim{repeated(4, laplace3), addOrRemove, onGrid(false)}, claim{listed("composed", repeated(4, laplace3), gaussian4), addOrRemove, ""}, "a grid of 1 laws: must have 2"},
	{"laws on a grid", "a shown sample as a hidden one", claim{repeated(4, onSample("0.1", laplace3)), addOrRemove, onGrid(false, true)}, claim{repeated(4, onSample("0.1", laplace3)), replaceOne, ""}, "the laws on the grid show δ"},
	{"likelihood ratios", "one participation in the place of two", claim{allocated(1), addOrRemove, ratios}, claim{allocated(2), addOrRemove, ""}, "the laws of likelihood ratios show δ"},
	{"likelihood ratios", "a replaced record that is removed and not added", claim{allocated(1), replaceSpecial, ratios}, claim{allocated(1), replaceOne, ""}, "the laws of likelihood ratios show δ"},
	{
		"line integrals of a profile", "steps that are not counted",
		claim{chosen("selection", `{"type":"poisson","mean":10}`, repeated(53, onSample("0.1", gaussian2))), addOrRemove, ""}, claim{chosen("selection", `{"type":"poisson","mean":10}`, repeated(55, onSample("0.1", gaussian2))), addOrRemove, ""}, tooLarge,
	},
	{
		"Rényi divergences of a profile", "a run that costs more",
		claim{chosen("selection", tenRuns, zcdp), addOrRemove, using("best of K by a ratio of weights", `{`+ofARun+`}`, `{"rule":"Rényi divergences of a profile","witness":[2,5,10,20,50]}`)}, claim{chosen("selection", tenRuns, `{"type":"zcdp","rho":0.0101}`), addOrRemove, ""}, tooLarge,
	},
}

// answer returns the JSON of a claim at an ε.
func (c claim) answer(epsilon float64) string {
	step := strings.ReplaceAll(c.step, "EPSILON", fmt.Sprint(epsilon))
	return fmt.Sprintf(`{"epsilon":{"upper":%v},"delta":1e-5,"neighboring":%q,"certificate":{"claim":"c","epsilon":%v,"delta_upper":1e-5,"work":1,"proof":{"version":1,"event":%s,%s}}`,
		epsilon, c.relation, epsilon, c.event, strings.TrimPrefix(step, "{"))
}

// priced returns a claim with its step, and the least ε that this shows, up to 1e-8.
func (c claim) priced(t *testing.T) (claim, float64) {
	t.Helper()
	if c.step == "" {
		event, err := eventjson.Unmarshal([]byte(c.event))
		if err != nil {
			t.Fatal(err)
		}
		var g accounting.Guarantee
		if err := json.Unmarshal([]byte(answered(t, event, c.relation)), &g); err != nil || g.Certificate == nil || g.Certificate.Proof == nil {
			t.Fatal(g, err)
		}
		step, err := json.Marshal(g.Certificate.Proof.Step)
		if err != nil {
			t.Fatal(err)
		}
		c.step = string(step)
		return c, g.Epsilon.Upper
	}
	checker, err := verify.NewChecker([]byte(c.event), c.relation)
	if err != nil {
		t.Fatal(err)
	}
	var step accounting.Step
	if err := json.Unmarshal([]byte(c.step), &step); err != nil {
		t.Fatal(err)
	}
	low, high := 0.0, 100.0
	for high-low > 1e-8*high {
		middle := low + (high-low)/2
		if delta, err := checker.Shows(step, middle, 1e-5); err == nil && delta <= 1e-5 {
			high = middle
		} else {
			low = middle
		}
	}
	return c, high
}

// Each rule has at least one planted bug. Its answer is rejected with the name of the step that
// fails, and the true answer by the same steps is verified.
func TestPlantedLies(t *testing.T) {
	planted := map[string]bool{}
	for _, c := range lies {
		t.Run(c.rule+"/"+c.bug, func(t *testing.T) {
			priced, epsilon := c.priced.priced(t)
			if err := verified(priced.answer(epsilon)); err != nil {
				t.Fatalf("the true answer: %v", err)
			}
			if c.asked.step == "" {
				c.asked.step = priced.step
			}
			if used := priced.step + c.asked.step; strings.Contains(used, `"`+c.rule+`"`) || !slices.Contains(verify.StepRules(), c.rule) {
				planted[c.rule] = true
			} else {
				t.Errorf("no step is by the rule: %.300s", used)
			}
			if err := verified(c.asked.answer(epsilon)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	for _, name := range verify.RuleNames() {
		if !planted[name] {
			t.Errorf("rule %q has no planted bug", name)
		}
	}
}
