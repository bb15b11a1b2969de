package record

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// Mechanism runs on data of type D and makes all its releases through the session.
type Mechanism[D any] func(data D, session *Session) error

// Neighbor is a data set that differs from the recorded one by one example.
type Neighbor[D any] struct {
	Name string // for faults, for instance "example 7 removed"
	Data D
	// Replace means that an example was replaced, which is one removed and one added: answers may
	// move by twice the sensitivity.
	Replace bool
}

// Config sets the claim and the level of a check.
type Config struct {
	Claim accounting.Event // what the mechanism claims to spend in all. Required.
	Seed  uint64           // of the noise that sessions add; equal seeds give equal reports

	// Significance bounds the chance that the tests that depend on chance, all together, accuse a
	// mechanism that is as declared. 0 is 1e-6.
	Significance float64
}

func (c Config) validate() error {
	f := check.In("record: Config.")
	f.That(c.Claim != nil, "Claim", "is nil", "must be the event that the mechanism claims")
	if c.Claim != nil {
		f.Below("Claim", c.Claim.Validate())
	}
	f.Number("Significance", c.Significance, check.BelowOne.With(fmt.Sprintf("(0 for %g)", defaultSignificance)))
	return f.Err()
}

// Run records the mechanism on d, replays it on d and on every neighbor, and reports what is not as
// declared. It returns an error if the check could not run: a wrong argument, a neighbor that
// differs by more than one example or by none, or a mechanism that fails on d itself.
//
// Run sees the examples of a data.Dataset, of a slice of plain values, and of data with a method
// Examples() []string. That method lists the examples, each by a text that describes all of it.
func Run[D any](mechanism Mechanism[D], d D, neighbors []Neighbor[D], cfg Config) (Report, error) {
	if mechanism == nil {
		return Report{}, errors.New("record: Mechanism is nil: must be a function")
	}
	if len(neighbors) == 0 {
		return Report{}, errors.New("record: no neighbors: must be at least one data set that differs by one example")
	}
	if err := cfg.validate(); err != nil {
		return Report{}, err
	}
	seen, err := validateNeighbors(d, neighbors)
	if err != nil {
		return Report{}, err
	}
	if cfg.Significance == 0 {
		cfg.Significance = defaultSignificance
	}
	noise, moves := share(cfg.Significance, len(neighbors))
	first := &Session{rng: rand.New(rand.NewPCG(cfg.Seed, 1)), noiseLevel: noise}
	if err := call(mechanism, d, first); err != nil && len(first.faults) == 0 {
		return Report{}, fmt.Errorf("record: the mechanism fails on the recorded data: %w", err)
	}
	if len(first.queries) == 0 && len(first.faults) == 0 {
		return Report{}, errors.New("record: the mechanism made no query: must make at least one")
	}
	first.checkDrawnNoise()
	first.checkSpends(cfg.Claim)
	report := Report{Queries: len(first.queries), Faults: first.faults, NeighborsSeen: seen}
	first.faults = nil
	replay(&report, mechanism, &Session{before: first, neighbor: "the same data", noiseLevel: noise}, d, cfg)
	for _, n := range neighbors {
		s := &Session{before: first, neighbor: n.Name, allowed: 1, noiseLevel: noise, moveLevel: moves}
		if n.Replace {
			s.allowed = 2
		}
		replay(&report, mechanism, s, n.Data, cfg)
		report.Replays++
	}
	return report, nil
}

// replay runs the mechanism on other data and adds the findings to the report.
func replay[D any](r *Report, mechanism Mechanism[D], s *Session, d D, cfg Config) {
	s.rng, s.moved = rand.New(rand.NewPCG(cfg.Seed, 1)), map[int]bool{}
	if err := call(mechanism, d, s); err != nil && len(s.faults) == 0 {
		s.fault(Dependence, -1, "", fmt.Sprintf("the mechanism fails, and did not in the recording: %v", err))
	}
	if asked, then := len(s.queries), len(s.before.queries); asked < then {
		s.fault(Dependence, -1, "", fmt.Sprintf("only %d queries, in the recording %d", asked, then))
	}
	if noted, then := len(s.facts), len(s.before.facts); noted < then {
		s.fault(Dependence, -1, "", fmt.Sprintf("only %d public facts, in the recording %d", noted, then))
	}
	s.checkDrawnNoise()
	if s.allowed > 0 {
		s.checkMoves()
	}
	r.Largest = max(r.Largest, s.largest)
	r.Faults = append(r.Faults, s.faults...)
}

// call runs the mechanism; a panic in it is an error.
func call[D any](mechanism Mechanism[D], d D, s *Session) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the mechanism panics: %v", p)
		}
	}()
	return mechanism(d, s)
}
