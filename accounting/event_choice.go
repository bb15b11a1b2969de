package accounting

import "fmt"

// ExponentialMechanism is one choice from a fixed list of candidates. Candidate h is released with
// a chance proportional to
//
//	exp(ε score(h)/(2Δ)),
//
// where Δ is the largest change of any score by one record. It has ε-bounded range: between
// neighboring data the odds of any two candidates change by a factor of at most e^ε. That implies
// (ε, 0)-privacy, and costs less in compositions and for δ > 0. If a record moves all scores in one
// direction, the odds move only by e^(ε/2). Epsilon is then half of the ε in the formula.
//
// Reference: McSherry and Talwar (2007); bounded range: Durfee and Rogers (2019), arXiv:1905.04273,
// and Dong, Durfee and Rogers (2020), arXiv:1909.13830.
type ExponentialMechanism struct {
	Epsilon float64 // ε in nats, > 0
}

// Validate returns an error unless epsilon is > 0 and finite.
func (e ExponentialMechanism) Validate() error {
	return costs.Of("accounting: ExponentialMechanism.Epsilon", e.Epsilon)
}

// String describes the event.
func (e ExponentialMechanism) String() string {
	return fmt.Sprintf("ExponentialMechanism(ε=%g)", e.Epsilon)
}

// PermuteAndFlip is one choice from a fixed list of candidates. It takes the candidates in a random
// order, and releases candidate h with chance
//
//	exp(ε (score(h) - best)/(2Δ)),
//
// where best is the largest score. Otherwise it takes the next one. Δ is the largest change of any
// score by one record. The law of the released candidate is that of the largest score plus
// exponential noise of mean 2Δ/ε.
//
// It is priced as (ε, 0)-private, because its range is not bounded by ε. Of two candidates the
// better one has the odds 2e^d - 1, d = ε gap/(2Δ). They move by a factor up to e^(2ε) while d
// moves by ε. If a record moves all scores in one direction, Epsilon is half of the ε in the
// formula.
//
// Reference: McKenna and Sheldon (2020), arXiv:2010.12603; its law: Ding, Kifer, Sayed Saghaian,
// Steinke, Wang, Xiao, Zhang (2021), arXiv:2105.07260.
type PermuteAndFlip struct {
	Epsilon float64 // ε in nats, > 0
}

// Validate returns an error unless epsilon is > 0 and finite.
func (e PermuteAndFlip) Validate() error {
	return costs.Of("accounting: PermuteAndFlip.Epsilon", e.Epsilon)
}

// String describes the event.
func (e PermuteAndFlip) String() string { return fmt.Sprintf("PermuteAndFlip(ε=%g)", e.Epsilon) }
