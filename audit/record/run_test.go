package record_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/record"
)

// examples returns points near a line, the last far away from it.
func examples() []example {
	rng := rand.New(rand.NewPCG(3, 3))
	var list []example
	for range 2 * expected {
		x1, x2 := rng.NormFloat64(), rng.NormFloat64()
		list = append(list, example{x1, x2, x1 - x2 + 0.3*rng.NormFloat64()})
	}
	return append(list, example{1, 1, 9})
}

// neighbors add, remove and replace the last example, so that the coins of the others stay.
func neighbors(data []example) []record.Neighbor[[]example] {
	n := len(data)
	with := func(e example) []example { return append(slices.Clone(data), e) }
	return []record.Neighbor[[]example]{
		{Name: "one added", Data: with(example{2, -1, -8})},
		{Name: "one with NaN added", Data: with(example{math.NaN(), 1, 1})},
		{Name: "last removed", Data: data[:n-1]},
		{Name: "last replaced", Data: append(slices.Clone(data[:n-1]), example{1, 1, -9}), Replace: true},
	}
}

func check(t *testing.T, broken string) record.Report {
	t.Helper()
	report, err := record.Run(toy{broken}.run, examples(), neighbors(examples()), record.Config{Claim: claim()})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// An honest mechanism has no fault, whoever adds its noise, and the neighbors are hard: an
// answer moves by nearly all that it may.
func TestHonestMechanismPasses(t *testing.T) {
	for _, honest := range []string{"", "own noise"} {
		report := check(t, honest)
		if err := report.Err(); err != nil {
			t.Errorf("%q: %v", honest, err)
		}
		if report.Queries != steps || report.Replays != 4 {
			t.Errorf("%q: %d queries, %d replays: want %d and 4", honest, report.Queries, report.Replays, steps)
		}
		if report.Largest < 0.999 || report.Largest > 1+1e-9 {
			t.Errorf("%q: an answer moved by at most %g of what it may: want nearly 1", honest, report.Largest)
		}
	}
}

// Every broken mechanism is caught, by the fault that is its own.
func TestBrokenMechanismsAreCaught(t *testing.T) {
	for broken, want := range map[string]struct {
		kind   record.Kind
		detail string
	}{
		"mean over the drawn batch":     {record.Sensitivity, "moved by"},
		"domain read from the data":     {record.Dependence, "number of values is"},
		"bounds read from the data":     {record.Dependence, "Sensitivity is"},
		"NaN injection":                 {record.NotFinite, "Value[0] is NaN"},
		"unmasked padding":              {record.Sensitivity, "moved by"},
		"noise scaled twice":            {record.Noise, "1.41 times the declared"},
		"noise scaled by the batch":     {record.Noise, "times the declared"},
		"noise reused":                  {record.Noise, "correlation 1"},
		"noise reused every third step": {record.Noise, "queries 3 apart"},
		"half the noise declared":       {record.Noise, "NoiseStdDev 0.525: must be 1.05"},
		"double spend":                  {record.Spend, "is spent 240 times"},
		"example counted twice":         {record.Sensitivity, "moved by 1.4"},
		"no clipping":                   {record.Sensitivity, "moved by"},
		"branch":                        {record.Dependence, "public fact"},
		"stops by itself":               {record.Dependence, "queries"},
		"unseeded":                      {record.Randomness, "though the data are the same"},
		"label statistic":               {record.Sampling, "120 of 120 answers moved where at most 60 are expected"},
		"rate too high":                 {record.Sampling, "answers moved where at most 60 are expected"},
	} {
		report, found := check(t, broken), false
		for _, f := range report.Faults {
			found = found || f.Kind == want.kind && strings.Contains(f.Detail, want.detail)
		}
		if !found || !report.Has(want.kind) {
			t.Errorf("%s: want a fault of kind %q that says %q, found\n%v", broken, want.kind, want.detail, report.Err())
		}
	}
}

// A replacement may move an answer by twice the sensitivity; added or removed, by once. Data behind a pointer do not show what they are.
func TestReplacementMayMoveTwice(t *testing.T) {
	data := examples()
	replaced := neighbors(data)[3].Data
	run := func(d *[]example, s *record.Session) error { return toy{}.run(*d, s) }
	for _, replace := range []bool{true, false} {
		opposite := record.Neighbor[*[]example]{Name: "last replaced", Data: &replaced, Replace: replace}
		report, err := record.Run(run, &data, []record.Neighbor[*[]example]{opposite}, record.Config{Claim: claim()})
		if err != nil {
			t.Fatal(err)
		}
		if report.Has(record.Sensitivity) == replace {
			t.Errorf("replace %v: faults %v", replace, report.Err())
		}
	}
}

// A mechanism that fails, or panics, on the neighbor alone shows it.
func TestFailureOnANeighborIsAFault(t *testing.T) {
	for name, fail := range map[string]func(){"error": nil, "panic": func() { panic("index out of range") }} {
		mechanism := func(d []example, s *record.Session) error {
			if err := (toy{}).run(d, s); err != nil || len(d) == len(examples()) {
				return err
			}
			if fail != nil {
				fail()
			}
			return errors.New("cannot happen")
		}
		report, err := record.Run(mechanism, examples(), neighbors(examples())[:1], record.Config{Claim: claim()})
		if err != nil || !report.Has(record.Dependence) || !strings.Contains(report.Err().Error(), "one added") {
			t.Errorf("%s: report %v, error %v: want a fault on the neighbor", name, report.Err(), err)
		}
	}
}

// Queries that declare nothing are faults, and arguments that make no sense are errors.
func TestBadInput(t *testing.T) {
	good := record.Query{Name: "q", Sensitivity: 1, Value: []float64{1}, NoiseStdDev: 1, Spend: accounting.Gaussian{NoiseMultiplier: 1}}
	for want, spoil := range map[string]func(*record.Query){
		`Name "": must not be empty`:              func(q *record.Query) { q.Name = "" },
		"Sensitivity 0: must be > 0":              func(q *record.Query) { q.Sensitivity = 0 },
		"Sensitivity NaN":                         func(q *record.Query) { q.Sensitivity = math.NaN() },
		"NoiseStdDev -1: must be > 0":             func(q *record.Query) { q.NoiseStdDev = -1 },
		"Value []: must not be empty":             func(q *record.Query) { q.Value = nil },
		"Released of length 2: must have 1":       func(q *record.Query) { q.Released = []float64{1, 2} },
		"nothing is free":                         func(q *record.Query) { q.Spend = nil },
		"NoiseMultiplier":                         func(q *record.Query) { q.Spend = accounting.Gaussian{} },
		"not an event whose noise can be checked": func(q *record.Query) { q.Spend = accounting.PureDP{Epsilon: 1} },
		"Released[0] is NaN":                      func(q *record.Query) { q.Released = []float64{math.NaN()} },
	} {
		mechanism := func(_ int, s *record.Session) error {
			q := good
			spoil(&q)
			_, err := s.Release(q)
			return err
		}
		report, err := record.Run(mechanism, 0, []record.Neighbor[int]{{Name: "other"}}, record.Config{Claim: good.Spend})
		if err != nil || len(report.Faults) == 0 || !strings.Contains(report.Err().Error(), want) {
			t.Errorf("faults %v, error %v: want a fault that says %q", report.Err(), err, want)
		}
	}

	run := toy{}.run
	some := neighbors(examples())
	for want, check := range map[string]func() error{
		"Mechanism is nil": func() error { _, err := record.Run(nil, examples(), some, record.Config{Claim: claim()}); return err },
		"no neighbors":     func() error { _, err := record.Run(run, examples(), nil, record.Config{Claim: claim()}); return err },
		"Claim is nil":     func() error { _, err := record.Run(run, examples(), some, record.Config{}); return err },
		"Config.Claim": func() error {
			_, err := record.Run(run, examples(), some, record.Config{Claim: accounting.Gaussian{}})
			return err
		},
		"made no query": func() error {
			_, err := record.Run(func([]example, *record.Session) error { return nil }, examples(), some, record.Config{Claim: claim()})
			return err
		},
		"fails on the record": func() error {
			_, err := record.Run(func([]example, *record.Session) error { return errors.New("no") }, examples(), some, record.Config{Claim: claim()})
			return err
		},
	} {
		if err := check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
	// What stands beside an error is no clean report.
	if report, err := record.Run(run, examples(), nil, record.Config{Claim: claim()}); err == nil || report.Err() == nil || !strings.Contains(report.Err().Error(), "nothing was checked") {
		t.Errorf("a report beside the error %v finds: %v", err, report.Err())
	}
}

// Equal seeds give equal reports.
func TestSeeded(t *testing.T) {
	if a, b := check(t, "no clipping"), check(t, "no clipping"); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("two checks of the same mechanism differ")
	}
}

func ExampleRun() {
	// The sum of numbers clipped to [-1, 1], divided by how many there are: the divisor is
	// private, and the declared sensitivity, 1/10 for about ten numbers, is not the true one.
	mean := func(numbers []float64, s *record.Session) error {
		sum := 0.0
		for _, x := range numbers {
			sum += min(1, max(-1, x))
		}
		_, err := s.Release(record.Query{Name: "mean", Sensitivity: 0.1, Value: []float64{sum / float64(len(numbers))},
			NoiseStdDev: 0.2, Spend: accounting.Gaussian{NoiseMultiplier: 2}})
		return err
	}
	numbers := []float64{1, 1, 1, 1, 1, 1, 1, 1, -1}
	removed := record.Neighbor[[]float64]{Name: "last removed", Data: numbers[:8]}
	report, err := record.Run(mean, numbers, []record.Neighbor[[]float64]{removed}, record.Config{Claim: accounting.Gaussian{NoiseMultiplier: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Err())
	// Output:
	// record: sensitivity: replay on last removed, query 0 (mean): the answer moved by 0.222222: declared is at most 0.1
}

// A fact that anybody sees, here the number of rounds of a loop, must not depend on the data.
func ExampleSession_Public() {
	sum := func(numbers []float64, s *record.Session) error {
		total := 0.0
		for _, x := range numbers {
			total += min(1, max(-1, x))
		}
		s.Public("rounds of the loop", len(numbers))
		_, err := s.Release(record.Query{Name: "sum", Sensitivity: 1, Value: []float64{total},
			NoiseStdDev: 2, Spend: accounting.Gaussian{NoiseMultiplier: 2}})
		return err
	}
	numbers := []float64{1, 0.5, -1, 0.3}
	removed := record.Neighbor[[]float64]{Name: "last removed", Data: numbers[:3]}
	report, err := record.Run(sum, numbers, []record.Neighbor[[]float64]{removed}, record.Config{Claim: accounting.Gaussian{NoiseMultiplier: 2}})
	fmt.Println(report.Has(record.Dependence), report.Has(record.Sensitivity), err)
	// Output:
	// true false <nil>
}

// What is published must follow from the releases, up to the rounding that was stated.
func TestOutput(t *testing.T) {
	const want = 2.0
	for _, c := range []struct {
		published []float64
		fault     string
	}{
		{[]float64{1, want + 1e-7}, ""},
		{[]float64{1, want + 1e-5}, "weights: value 1 is 2.00001: the releases give 2, up to 1e-06 of rounding"},
		{[]float64{1, math.NaN()}, "weights: value 1 is NaN"},
		{[]float64{1}, "weights: 1 values: must be 2, as many as follow from the releases"},
	} {
		mechanism := func(data []example, s *record.Session) error {
			s.Output("weights", c.published, []float64{1, want}, 1e-6)
			return toy{}.run(data, s)
		}
		report, err := record.Run(mechanism, examples(), neighbors(examples()), record.Config{Claim: claim()})
		if err != nil {
			t.Fatal(err)
		}
		if c.fault == "" && report.Err() != nil || c.fault != "" && (!report.Has(record.Output) || !strings.Contains(report.Err().Error(), c.fault)) {
			t.Errorf("%v: faults %v, want %q", c.published, report.Err(), c.fault)
		}
	}
}

func TestSignificanceIsChecked(t *testing.T) {
	for _, bad := range []float64{-1, 1, math.NaN()} {
		_, err := record.Run(toy{}.run, examples(), neighbors(examples()), record.Config{Claim: claim(), Significance: bad})
		if err == nil || !strings.Contains(err.Error(), "record: Config.Significance") {
			t.Errorf("significance %g: error %v, want one that names the field", bad, err)
		}
	}
}
