package dptune

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
)

// firstDraws records the first number of each run's root, and a hash of the hyper-parameters.
func firstDraws(draws *[]uint64) Candidate[float64, float64] {
	return recording{CandidateFunc(gaussian, func(context.Context, float64, streams.Root) (Outcome[float64], error) { return Outcome[float64]{}, nil }), draws}
}

type recording struct {
	Candidate[float64, float64]
	draws *[]uint64
}

func (r recording) RunAll(ctx context.Context, hs []float64, roots []streams.Root) ([]Outcome[float64], error) {
	var bits []int
	for i, root := range roots {
		bits = append(bits, int(math.Float64bits(hs[i])))
		*r.draws = append(*r.draws, root.Rand("x").Uint64())
	}
	*r.draws = append(*r.draws, hashOfInts(bits))
	return r.Candidate.RunAll(ctx, hs, roots)
}

// identified is a candidate with an identity of its data.
type identified struct {
	Candidate[float64, float64]
	data string
}

func (c identified) Identity([]float64) ([]byte, error) { return []byte(c.data), nil }

// differently is a candidate with another event.
type differently struct {
	Candidate[float64, float64]
	event accounting.Event
}

func (d differently) Event(float64) (accounting.Event, error) { return d.event, nil }

// Two searches from one secret root draw the same if they are the same, and otherwise not one
// number in common: neither K nor hyper-parameters nor what the runs draw, their scores' noise
// with it.
func TestSearchesOfOneSecretRoot(t *testing.T) {
	root, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	run := func(root streams.Root, change func(s *Search[float64, float64])) []uint64 {
		var draws []uint64
		s := search(t)
		s.Prior, s.Law = LogGrid(1e-3, 1, 100), law.Truncated{Law: law.Fixed{Count: 40}, Max: 40}
		s.Candidate = identified{firstDraws(&draws), "the data"}
		change(&s)
		if c, ok := s.Candidate.(identified); ok {
			s.Candidate = identified{firstDraws(&draws), c.data}
		}
		if _, err := s.Run(t.Context(), root); err != nil {
			t.Fatal(err)
		}
		return draws
	}
	nothing := func(*Search[float64, float64]) {}
	anonymous := func(s *Search[float64, float64]) { s.Candidate = s.Candidate.(identified).Candidate }
	first := run(root, nothing)
	if again := run(root, nothing); !slices.Equal(again, first) {
		t.Error("the same search from the same secret root draws other numbers: it could not be resumed")
	}
	named := func(name string) func(s *Search[float64, float64]) {
		return func(s *Search[float64, float64]) { anonymous(s); s.Identity = []byte(name) }
	}
	if !slices.Equal(run(root, named("a")), run(root, named("a"))) {
		t.Error("searches of one Identity draw other numbers")
	}
	of := func(change func(s *Search[float64, float64])) func(s *Search[float64, float64]) {
		return func(s *Search[float64, float64]) { named("a")(s); change(s) }
	}
	first = append(first, run(root, named("a"))...)
	if !slices.Equal(run(root, of(func(s *Search[float64, float64]) { s.Delta /= 10 })), run(root, named("a"))) {
		t.Error("at another δ the same search draws other numbers, so it would be a second release")
	}
	for name, change := range map[string]func(s *Search[float64, float64]){
		"Identity, another law":   of(func(s *Search[float64, float64]) { s.Law = law.Fixed{Count: 40} }),
		"Identity, another count": of(func(s *Search[float64, float64]) { s.Law = law.Truncated{Law: law.Fixed{Count: 41}, Max: 41} }),
		"Identity, another grid":  of(func(s *Search[float64, float64]) { s.Prior = LogGrid(1e-3, 1, 101) }),
		"Identity, another prior": of(func(s *Search[float64, float64]) { s.Prior = lying{LogGrid(1e-3, 1, 100), 0.5} }),
		"Identity, another event": of(func(s *Search[float64, float64]) {
			s.Candidate = differently{s.Candidate, accounting.Gaussian{NoiseMultiplier: 3}}
		}),
		"other data":      func(s *Search[float64, float64]) { s.Candidate = identified{nil, "other data"} },
		"another law":     func(s *Search[float64, float64]) { s.Law = law.Fixed{Count: 40} },
		"another prior":   func(s *Search[float64, float64]) { s.Prior = lying{LogGrid(1e-3, 1, 100), 0.5} },
		"code":            anonymous,
		"Identity":        named("b"),
		"another of code": anonymous,
	} {
		draws := run(root, change)
		if slices.ContainsFunc(draws, func(x uint64) bool { return slices.Contains(first, x) }) {
			t.Errorf("%s: draws in common", name)
		}
	}
	if !slices.Equal(run(streams.Fixed("x"), nothing), run(streams.Fixed("x"), anonymous)) {
		t.Error("from a fixed root a search draws other numbers")
	}
}

// The same for the protocols that take functions: without an Identity each run draws anew.
func TestProtocolsOfOneSecretRoot(t *testing.T) {
	root, err := streams.Secret()
	if err != nil {
		t.Fatal(err)
	}
	parts := func(draws *[]uint64) PartScores[float64] {
		return PartScores[float64]{Records: 200, Parts: 1, Score: func(_ context.Context, records []int, _ float64, root streams.Root) (float64, error) {
			*draws = append(*draws, root.Rand("x").Uint64())
			return 0.5, nil
		}}
	}
	train := func(draws *[]uint64) func(context.Context, float64, streams.Root) (float64, error) {
		return func(_ context.Context, _ float64, root streams.Root) (float64, error) {
			*draws = append(*draws, root.Rand("x").Uint64())
			return 0, nil
		}
	}
	scale := 1.0 // of a setting
	for name, run := range map[string]func(identity []byte, draws *[]uint64) error{
		"TuneThenTrain": func(identity []byte, draws *[]uint64) error {
			s := search(t)
			s.Candidate, s.Identity = nil, identity
			s.Prior, s.Law = LogGrid(1e-3, 1, 100), law.Fixed{Count: 40}
			_, err := TuneThenTrain[float64, float64]{
				Search: s, Records: 200, TuningRate: 0.5 * scale, Variant: subsample.AllData, Training: gaussian,
				TuningEvent: func(float64) (accounting.Event, error) { return gaussian, nil },
				On: func(records []int) (Candidate[float64, float64], error) {
					*draws = append(*draws, hashOfInts(records))
					return firstDraws(draws), nil
				},
				Train: func(ctx context.Context, _ []int, h float64, _ float64, root streams.Root) (float64, error) {
					return train(draws)(ctx, h, root)
				},
			}.Run(t.Context(), root)
			return err
		},
		"ExponentialSearch": func(identity []byte, draws *[]uint64) error {
			_, err := ExponentialSearch[float64, float64]{
				Candidates: []float64{1, 2}, Scores: parts(draws), Epsilon: scale, Training: gaussian, Train: train(draws), Delta: 1e-5, Unit: "one number", Identity: identity,
			}.Run(t.Context(), root)
			return err
		},
		"ThresholdSearch": func(identity []byte, draws *[]uint64) error {
			s := ThresholdSearch[float64, float64]{
				Proposer: Grid[float64]{1, 2}, Scores: parts(draws), Granularity: 0.5, MaxTests: 5, ThresholdNoise: scale, ScoreNoise: 1, Refresh: threshold.Once, KeepAtCap: true,
				Training: gaussian, Train: train(draws), Delta: 1e-5, Unit: "one number", Identity: identity,
			}
			_, err := s.Run(t.Context(), root)
			return err
		},
	} {
		draws := func(identity []byte) []uint64 {
			var list []uint64
			if err := run(identity, &list); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return list
		}
		a, b := draws([]byte("a")), draws([]byte("a"))
		if len(a) == 0 || !slices.Equal(a, b) {
			t.Errorf("%s: one Identity, other draws", name)
		}
		anew := draws(nil)
		scale = 0.5
		changed := draws([]byte("a"))
		scale = 1
		for _, other := range [][]uint64{draws([]byte("b")), anew, draws(nil), changed} {
			if &other[0] != &anew[0] && slices.ContainsFunc(other, func(x uint64) bool { return slices.Contains(a, x) || slices.Contains(anew, x) }) {
				t.Errorf("%s: two runs have draws in common", name)
			}
		}
	}
}

// hashOfInts returns the FNV-1a hash of a list.
func hashOfInts(list []int) uint64 {
	sum := uint64(14695981039346656037)
	for _, x := range list {
		sum = (sum ^ uint64(x)) * 1099511628211
	}
	return sum
}
