package verify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/lineintegral"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/interval"
)

// phases returns an event as a line integral takes it: Gaussians, and Gaussians on Poisson samples.
// Under ReplaceOne a sample must hold one sum of clipped vectors, as the outputs of a Gaussian may
// show the sample.
func phases(event accounting.Node, relation accounting.Neighboring) (p lineintegral.Program, err error) {
	for run, count := range event.Runs() {
		inner := run
		if run.Shape == accounting.PoissonSample {
			inner = run.Children[0]
		}
		mu, gaussian := certificate.Mu(inner)
		sum, clipped := inner.Event.(accounting.ClippedSum)
		switch sampled := run.Shape == accounting.PoissonSample; {
		case sampled && clipped && relation == accounting.ReplaceOne:
			p.Replaced = true
			p.Phases = append(p.Phases, lineintegral.Phase{Rate: run.Rate, Noise: sum.NoiseMultiplier, Count: count})
		case sampled && gaussian && relation != accounting.ReplaceOne:
			p.Phases = append(p.Phases, lineintegral.Phase{Rate: run.Rate, Noise: noise(mu), Count: count})
		case !sampled && gaussian:
			p.Gaussians = append(p.Gaussians, lineintegral.Phase{Rate: 1, Noise: noise(mu), Count: count})
		default:
			return p, fmt.Errorf("%v under %v: must be a Gaussian, or one on a Poisson sample", run.Event, relation)
		}
	}
	return p, nil
}

// noise returns 1/µ, rounded down.
func noise(mu interval.I) float64 { return interval.Of(1).Div(mu).Lo }

// factors returns an event as package splitlaw takes it: a product of likelihood ratios. Package
// lratio has the pair of laws, with its proof (lratio/doc.go, program.go, replaced.go).
func factors(event accounting.Node, relation accounting.Neighboring) (splitlaw.Program, error) {
	f := factoring{replaced: relation == accounting.ReplaceOne, counts: map[splitlaw.Factor]int{}}
	for run, count := range event.Runs() {
		if err := f.add(run, count); err != nil {
			return splitlaw.Program{}, err
		}
	}
	return f.program()
}

type factoring struct {
	replaced bool
	revealed interval.Sum // the squared distances of all releases, if each example's steps were public
	gaussian bool         // whether there are plain Gaussians
	squares  interval.Sum // of their distances
	several  bool         // whether a period has several participations
	counts   map[splitlaw.Factor]int
	order    []splitlaw.Factor
}

// mostFactors bounds the number of equal factors.
const mostFactors = 1 << 31

func (f *factoring) add(run accounting.Node, count float64) error {
	if squared, ok := f.distance(run); ok {
		f.gaussian = true
		f.revealed.Add(squared.Mul(interval.Of(count)))
		f.squares.Add(squared.Mul(interval.Of(count)))
		return nil
	}
	var inner accounting.Node
	if len(run.Children) == 1 {
		inner = run.Children[0]
	}
	squared, ok := f.distance(inner)
	if _, clipped := inner.Event.(accounting.ClippedSum); !ok || f.replaced && !clipped {
		return fmt.Errorf("%v: no likelihood ratio is known", run.Event)
	}
	s := squared.Sqrt().Hi
	e, allocated := run.Event.(accounting.RandomAllocation)
	switch {
	case run.Shape == accounting.PoissonSample:
		f.revealed.Add(squared.Mul(interval.Of(count)))
		return f.insert(splitlaw.Factor{Distance: s, Period: 1, Rate: run.Rate}, count)
	case !allocated:
		return fmt.Errorf("%v: no likelihood ratio is known", run.Event)
	}
	// A cut period of several participations costs at most a whole one. A period of k
	// participations costs at most k blocks of its steps with one each.
	whole, rest, k := float64(e.Steps/e.Period), e.Steps%e.Period, e.Participations
	blocks := interval.Of(whole).Mul(interval.Of(float64(k))).Add(interval.Of(float64(min(rest, k))))
	f.revealed.Add(squared.Mul(interval.Of(count)).Mul(blocks))
	if k == 1 {
		err := f.insert(splitlaw.Factor{Distance: s, Period: e.Period, Rate: 1}, count*whole)
		if rest > 0 {
			err = errors.Join(err, f.insert(splitlaw.Factor{Distance: s, Period: rest, Rate: quotient(rest, e.Period)}, count))
		}
		return err
	}
	f.several = f.several || whole > 0
	if rest == 1 {
		if err := f.insert(splitlaw.Factor{Distance: s, Period: 1, Rate: quotient(k, e.Period)}, count); err != nil {
			return err
		}
	} else if rest > 1 {
		whole++
	}
	long := e.Period % k
	return errors.Join(
		f.insert(splitlaw.Factor{Distance: s, Period: e.Period / k, Rate: 1}, count*whole*float64(k-long)),
		f.insert(splitlaw.Factor{Distance: s, Period: e.Period/k + 1, Rate: 1}, count*whole*float64(long)))
}

// public returns µ of all releases as Gaussians, if each example's steps were public. A replaced
// vector moves a sum twice as far as a removed one.
func public(event accounting.Node, relation accounting.Neighboring) (mu interval.I, err error) {
	f := factoring{replaced: relation == accounting.ReplaceOne, counts: map[splitlaw.Factor]int{}}
	for run, count := range event.Runs() {
		if err := f.add(run, count); err != nil {
			return mu, err
		}
	}
	if mu = f.revealed.I().Sqrt(); f.replaced {
		mu = mu.Add(mu)
	}
	return mu, nil
}

// quotient returns a/b, rounded up.
func quotient(a, b int) float64 {
	return min(1, interval.Of(float64(a)).Div(interval.Of(float64(b))).Hi)
}

func (f *factoring) insert(x splitlaw.Factor, count float64) error {
	if count == 0 {
		return nil
	}
	if f.counts[x] == 0 {
		f.order = append(f.order, x)
	}
	if !(float64(f.counts[x])+count < mostFactors) {
		return fmt.Errorf("%g periods or steps of one kind: must be below %d", count, mostFactors)
	}
	f.counts[x] += int(count)
	return nil
}

// distance returns the square of the distance, in standard deviations, that a record moves a
// composition of Gaussians and sums from a zero vector in its place. Under ReplaceOne the noise of
// a Gaussian is relative to twice that distance.
func (f *factoring) distance(event accounting.Node) (squared interval.I, ok bool) {
	if event.Event == nil {
		return squared, false
	}
	var sum interval.Sum
	for run, count := range event.Runs() {
		var noise float64
		switch e := run.Event.(type) {
		case accounting.Gaussian:
			if noise = e.NoiseMultiplier; f.replaced {
				noise *= 2
			}
		case accounting.ClippedSum:
			noise = e.NoiseMultiplier
		default:
			return squared, false
		}
		mu := interval.Of(1).Div(interval.Of(noise))
		sum.Add(mu.Mul(mu).Mul(interval.Of(count)))
	}
	return sum.I(), true
}

func (f *factoring) program() (p splitlaw.Program, err error) {
	if f.replaced && f.several && f.gaussian {
		return p, fmt.Errorf("a period of several participations next to a Gaussian under %v: no theorem covers it", accounting.ReplaceOne)
	}
	slices.SortFunc(f.order, func(a, b splitlaw.Factor) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Period, b.Period), cmp.Compare(a.Rate, b.Rate))
	})
	p.Replaced = f.replaced
	if f.gaussian {
		p.Gaussian = f.squares.I().Sqrt().Hi
	}
	for _, x := range f.order {
		x.Count = f.counts[x]
		p.Factors = append(p.Factors, x)
	}
	return p, nil
}
