package accounting

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

var (
	// ErrNoBracket is returned, wrapped, when nothing in the range searched meets the target.
	ErrNoBracket = errors.New("no value in the range meets the target")
	// ErrNotConverged is returned, wrapped, when the answer was not found to
	// CalibrationTolerance within 200 calls of the accountant.
	ErrNotConverged = errors.New("search did not converge")
)

const (
	// CalibrationTolerance is the relative width to which a calibrated value is known; the
	// private end of it is returned.
	CalibrationTolerance = 1e-7
	// maxCalibrationEvaluations caps the calls of the accountant in one calibration.
	maxCalibrationEvaluations = 200

	calibrationStep = 4 // factor between values while looking for a bracket
)

// Calibration asks for a value x of one parameter such that the event of x has
// EpsilonAt(Event(x), Target.Delta).Epsilon.Upper <= Target.Epsilon. Privacy must improve, or
// worsen, with x over the whole range.
//
// It is what the calibrations of package auto run. They need no accountant.
type Calibration struct {
	Accountant Accountant            // Required.
	Event      func(x float64) Event // what runs at x; must be valid on [Low, High]
	Target     Target                // what must not be exceeded
	Low, High  float64               // the range searched, 0 < Low < High, finite
}

// NoiseMultiplier returns [Calibration.Least] for a noise multiplier σ: where Low and High are 0,
// the range is [1e-6, 1e12]. If no σ in the range is enough, the error wraps ErrNoBracket.
// Cost: some ten calls of the accountant.
func (c Calibration) NoiseMultiplier() (float64, error) { return c.over(1e-6, 1e12).Least() }

// SamplingRate returns [Calibration.Most] for a sampling rate q: where Low and High are 0, the
// range is [1e-9, 1]. If no rate in the range is low enough, the error wraps ErrNoBracket.
func (c Calibration) SamplingRate() (float64, error) { return c.over(1e-9, 1).Most() }

func (c Calibration) over(low, high float64) Calibration {
	if c.Low == 0 && c.High == 0 {
		c.Low, c.High = low, high
	}
	return c
}

// Least returns the least x that meets the target, where privacy improves with x (a noise
// multiplier), rounded up by at most CalibrationTolerance. It is Low if Low meets it, and +Inf
// with an error.
func (c Calibration) Least() (float64, error) {
	x, err := c.search(calibrationStep)
	if err != nil {
		return math.Inf(1), err
	}
	return x, nil
}

// Most returns the largest x that meets the target, where privacy worsens with x (a
// sampling rate), rounded down by at most CalibrationTolerance. It is High if High meets it, and 0
// with an error.
func (c Calibration) Most() (float64, error) {
	return c.search(1 / float64(calibrationStep))
}

// Validate returns an error that names every field that is not usable.
func (c Calibration) Validate() error {
	f := check.In("accounting: Calibration.")
	f.That(c.Accountant != nil, "Accountant", "is nil", "must be an accountant")
	f.That(c.Event != nil, "Event", "is nil", "must be a function")
	f.That(c.Low > 0 && c.Low < c.High && !math.IsInf(c.High, 1), "Low", fmt.Sprintf("%g, High %g", c.Low, c.High), "must be 0 < Low < High, finite")
	f.Add(c.Target.Validate())
	return f.Err()
}

// search returns the private end of the boundary between meeting and missing the target.
// Multiplying by toPrivate improves privacy.
func (c Calibration) search(toPrivate float64) (float64, error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	if quick, ok := c.Accountant.(Quick); ok {
		if x, ok := c.quickSearch(quick, toPrivate); ok {
			return x, nil
		}
	}
	private, _, err := c.searchBy(c.at, toPrivate)
	return private.x, err
}

// searchBy returns both ends of the boundary by an accountant's answers.
func (c Calibration) searchBy(ask func(x float64) (end, error), toPrivate float64) (private, public end, err error) {
	evaluations := 0
	at := func(x float64) (end, error) {
		if evaluations++; evaluations > maxCalibrationEvaluations {
			return end{}, fmt.Errorf("accounting: calibration for %v: %w after %d evaluations, at %g",
				c.Target, ErrNotConverged, maxCalibrationEvaluations, x)
		}
		return ask(x)
	}
	if private, public, err = c.bracket(at, toPrivate); err != nil {
		return end{}, end{}, err
	}
	return closeIn(at, private, public)
}

// bracket steps from 1 towards the boundary. The two ends are equal if the whole range
// meets the target.
func (c Calibration) bracket(at func(float64) (end, error), toPrivate float64) (private, public end, err error) {
	clamp := func(x float64) float64 { return math.Min(math.Max(x, c.Low), c.High) }
	here, err := at(clamp(1))
	if err != nil {
		return end{}, end{}, err
	}
	factor := toPrivate
	if here.meets() {
		factor = 1 / toPrivate
	}
	for {
		x := clamp(here.x * factor)
		if x == here.x {
			break
		}
		next, err := at(x)
		switch {
		case err != nil:
			return end{}, end{}, err
		case here.meets() && !next.meets():
			return here, next, nil
		case !here.meets() && next.meets():
			return next, here, nil
		}
		here = next
	}
	if !here.meets() {
		return end{}, end{}, fmt.Errorf("accounting: calibration for %v with %s: %w, [%g, %g]",
			c.Target, c.Accountant.Name(), ErrNoBracket, c.Low, c.High)
	}
	return here, here, nil
}

// at asks the accountant about x.
func (c Calibration) at(x float64) (end, error) {
	guarantee, err := c.Accountant.EpsilonAt(c.Event(x), c.Target.Delta)
	if err != nil {
		return end{}, check.Errorf("accounting: calibration at %g: %w", x, err)
	}
	return c.end(x, guarantee.Epsilon.Upper), nil
}

// end is x with its upper end of ε.
func (c Calibration) end(x, upper float64) end {
	e := end{x: x, miss: numeric.Log(upper) - numeric.Log(c.Target.Epsilon)}
	switch meets := upper <= c.Target.Epsilon; {
	case meets && !(e.miss <= 0): // by rounding, or both are 0
		e.miss = 0
	case !meets && !(e.miss > 0): // by rounding, or upper is NaN
		e.miss = math.SmallestNonzeroFloat64
	}
	return e
}

// end is a value of the parameter, and log(ε/target) there.
type end struct{ x, miss float64 }

func (e end) meets() bool { return e.miss <= 0 }

// overshoot is how far beyond the root of the secant the next point is put, as a share of the
// step: then both ends of the bracket close in.
const overshoot = 0.05

// closeIn narrows a bracket to CalibrationTolerance and returns its ends, by secants of log ε
// against log x, which is nearly straight, and by parabolas through the last three points. Where
// two steps in a row do not halve the bracket, or a step leaves it, it is bisected.
//
// Invariant: private meets the target; public does not, or equals private. Nothing else is
// assumed of the accountant.
func closeIn(at func(float64) (end, error), private, public end) (end, end, error) {
	last := []end{private, public} // at most three, by how little they miss
	sortByMiss(last)
	for slow := 0; math.Abs(private.x-public.x) > CalibrationTolerance*math.Min(private.x, public.x); {
		p, q := numeric.Log(private.x), numeric.Log(public.x)
		u, ok := beyond(last)
		if lo, hi := math.Min(p, q), math.Max(p, q); !ok || slow >= 2 || !(u > lo && u < hi) {
			u, slow = p+(q-p)/2, 0
		}
		middle, err := at(math.Exp(u))
		if err != nil {
			return end{}, end{}, err
		}
		if middle.meets() {
			private = middle
		} else {
			public = middle
		}
		if math.Abs(numeric.Log(private.x)-numeric.Log(public.x)) > math.Abs(p-q)/2 {
			slow++
		}
		last = append([]end{middle}, last[:2]...)
		sortByMiss(last)
	}
	return private, public, nil
}

func sortByMiss(points []end) {
	slices.SortStableFunc(points, func(a, b end) int { return cmp.Compare(math.Abs(a.miss), math.Abs(b.miss)) })
}

// beyond returns log x a little on the far side, seen from the first of the points, of where they
// say that nothing is missed; ok is false if they say nothing.
//
// Of two points that is the root of the secant, and the little a share of the step. A third, m3 off
// in log ε, makes a parabola (log x as a polynomial of the miss). Its root is nearer than that of
// the secant by about a factor m3, so the little is twice m3 times the distance of the two roots.
func beyond(last []end) (u float64, ok bool) {
	x := func(i int) float64 { return numeric.Log(last[i].x) }
	m := func(i int) float64 { return last[i].miss }
	step := -m(0) * (x(1) - x(0)) / (m(1) - m(0))
	little := overshoot * math.Abs(step)
	if len(last) == 3 {
		curve := ((x(2)-x(0))/(m(2)-m(0)) - (x(1)-x(0))/(m(1)-m(0))) / (m(2) - m(1))
		if bend := m(0) * m(1) * curve; math.Abs(bend) < math.Abs(step)/2 { // neither NaN nor wild
			step += bend
			little = math.Min(overshoot*math.Abs(step), 2*math.Abs(m(2)*bend))
		}
	}
	if math.IsNaN(step) || math.IsInf(step, 0) {
		return 0, false
	}
	return x(0) + step + math.Copysign(little+0.4*CalibrationTolerance, step), true
}
