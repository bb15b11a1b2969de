package accounting

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

// search returns the private end of the boundary between meeting and missing the target.
// Multiplying by toPrivate improves privacy. parameter names x in errors.
//
// If the whole range meets the target, the answer is an end of it. Then the event must depend on x.
func (c Calibration) search(toPrivate float64, parameter string) (float64, error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	x, err := c.checkedSearch(toPrivate)
	if err == nil && (toPrivate > 1 && x == c.Low || toPrivate < 1 && x == c.High) {
		err = c.mustDepend(parameter)
	}
	if err != nil {
		return 0, err
	}
	return x, nil
}

// mustDepend returns an error if the event does not depend on x: it is the same at both ends of the
// range, or costs the same ε > 0 there. Two different events may both cost 0.
func (c Calibration) mustDepend(parameter string) error {
	same := reflect.DeepEqual(c.Event(c.Low), c.Event(c.High))
	if !same {
		low, err := c.epsilon(c.Low)
		if err != nil {
			return err
		}
		high, err := c.epsilon(c.High)
		if err != nil {
			return err
		}
		same = low == high && low > 0
	}
	if same {
		return c.allMeet(parameter, "must change the cost of Event, which is the same at both ends of the range")
	}
	return nil
}

// allMeet is the error about a range that meets the target everywhere.
func (c Calibration) allMeet(parameter, rule string) error {
	return check.Worded(ErrNoBracket, "accounting: calibration for %v with %s: %s in [%g, %g]: %s",
		c.Target, c.Accountant.Name(), parameter, c.Low, c.High, rule)
}

// checkedSearch is search for a valid calibration, without a look at the ends of the range.
//
// It searches without checks first. The check of an answer may raise ε slightly. If the answer then
// misses the target, it searches with checks.
func (c Calibration) checkedSearch(toPrivate float64) (float64, error) {
	unchecked := c
	unchecked.Accountant = Unchecked(c.Accountant)
	x, err := unchecked.plainSearch(toPrivate)
	if err != nil || OptionsOf(unchecked.Accountant) == OptionsOf(c.Accountant) {
		return x, err
	}
	if answer, err := c.at(x); err == nil && answer.meets() {
		return x, nil
	}
	private, _, err := c.searchBy(c.at, toPrivate)
	return private.x, err
}

// plainSearch is search by the answers of one accountant.
func (c Calibration) plainSearch(toPrivate float64) (float64, error) {
	quick := c
	quick.Accountant = WithOptions(c.Accountant, Options{Unchecked: true, Quick: true})
	if OptionsOf(quick.Accountant).Quick {
		if x, ok := c.quickSearch(quick, toPrivate); ok {
			return x, nil
		}
	}
	private, _, err := c.searchBy(c.at, toPrivate)
	return private.x, err
}

// searchBy returns both ends of the boundary from an accountant's answers.
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
	upper, err := c.epsilon(x)
	if err != nil {
		return end{}, err
	}
	return c.end(x, upper), nil
}

// epsilon returns the accountant's upper end of ε at x.
func (c Calibration) epsilon(x float64) (float64, error) {
	guarantee, err := c.Accountant.EpsilonAt(c.Event(x), c.Target.Delta)
	if err != nil {
		return math.Inf(1), check.Errorf("accounting: calibration at %g: %w", x, err)
	}
	return guarantee.Epsilon.Upper, nil
}

// end returns x with its distance from the target.
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

// overshoot is the distance of the next point beyond the root of the secant, as a share of the
// step. With it both ends of the bracket close in.
const overshoot = 0.05

// closeIn narrows a bracket to CalibrationTolerance and returns its ends. It uses secants of log ε
// against log x, which is nearly straight, and parabolas through the last three points. It bisects
// the bracket if two steps in a row do not halve it, or if a step leaves it.
//
// Invariant: private meets the target. public does not, or equals private. It assumes nothing else
// about the accountant.
func closeIn(at func(float64) (end, error), private, public end) (end, end, error) {
	last := []end{private, public} // at most three, nearest to the target first
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

// beyond estimates the root, the log x at which the miss is 0, and returns a log x a little beyond
// it as seen from the first point. ok is false if the points have no root.
//
// With two points it is the root of the secant, and the extra step is a share of the step. A third
// point, at a distance m3 in log ε, makes a parabola (log x as a polynomial of the miss). Its root
// is nearer than that of the secant by about a factor m3. So the extra step is twice m3 times the
// distance of the two roots.
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

// quickSearch is search by quick answers. ok is false if they do not decide it. Then search uses
// those of c.
//
// The private end meets the target by the answers of c too, as their ε is not above the quick one.
// The public end is asked again, and must miss the target. Then the boundary by the answers of c is
// between the two, as without quick answers.
func (c Calibration) quickSearch(quick Calibration, toPrivate float64) (x float64, ok bool) {
	private, public, err := quick.searchBy(quick.at, toPrivate)
	if err != nil {
		return 0, false // the search by c finds the answer or the error
	}
	if !public.meets() {
		if public, err = c.at(public.x); err != nil || public.meets() {
			return 0, false
		}
	}
	return private.x, true
}
