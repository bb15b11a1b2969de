package answer

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/interval"
)

// Person is the price for all records of one person.
type Person struct {
	Records     float64                 `json:"records"`
	Epsilon     accounting.Number       `json:"epsilon"` // an upper end
	Delta       float64                 `json:"delta"`
	Theorem     string                  `json:"theorem"`
	Certificate *accounting.Certificate `json:"certificate,omitempty"` // of this ε, or of one record's
}

// personAt returns the price of event, at delta, for a person with so many records. The event must
// be priced under add-or-remove-one. If nothing better is known, it is that of group privacy.
func personAt(event accounting.Event, records, delta float64, accountant auto.Accountant) (*Person, error) {
	if mu, err := gdp.MuInterval(event); err == nil {
		return gaussianPerson(mu.Upper, records, delta)
	}
	node, err := accounting.Flatten(event)
	if err != nil {
		return nil, err
	}
	fewest, err := among(node, int(records)-1)
	if err != nil {
		return nil, err
	}
	mixture, narrow, err := mixturePerson(node, records, delta, accountant)
	if err == nil && narrow {
		return mixture, nil
	}
	group, errGroup := profilePerson(fewest.Event, records, delta, accountant)
	if err == nil && (errGroup != nil || mixture.Epsilon <= group.Epsilon) {
		return mixture, nil
	}
	if err != nil && errGroup != nil {
		return nil, fmt.Errorf("%w; nor does the law of the records in a step: %w", errGroup, err)
	}
	return group, errGroup
}

// gaussianPerson is the price of a µ-GDP event. It is kµ-GDP for groups of k records (Dong, Roth,
// Su 2019, arXiv:1905.02383v3, Theorem 2.14).
func gaussianPerson(mu, records, delta float64) (*Person, error) {
	noise := interval.Of(1).Div(interval.Of(mu).Mul(interval.Of(records))).Lo
	g, err := gdp.NewAccountant().EpsilonAt(accounting.Gaussian{NoiseMultiplier: noise}, delta)
	if err != nil {
		return nil, err
	}
	return &Person{records, accounting.Number(g.Epsilon.Upper), delta,
		fmt.Sprintf("µ-GDP of one record is %gµ-GDP of all (group privacy; Dong, Roth, Su 2019, Theorem 2.14)", records), g.Certificate}, nil
}

// mostEpsilon is the largest ε of one record that profilePerson looks at.
const mostEpsilon = 700

var errNoGroup = errors.New("group privacy bounds nothing: δ of one record does not fall fast enough")

// profilePerson is the price of any event, stated for the fewest examples of neighbors below (see
// among). If one record has (ε, δ'), then k records have kε at
//
//	δ' (1 + e^ε + ... + e^{(k-1)ε}) = δ' (e^{kε} - 1)/(e^ε - 1).
//
// Proof. Let P_0, ..., P_k be the laws of the output without 0, ..., k of the records. Neighbors
// give P_i(S) <= e^ε P_{i+1}(S) + δ' for every set S, and the same in the other direction. Insert
// the inequalities into each other. (Vadhan 2017, The Complexity of Differential Privacy, Lemma
// 2.2, has the larger k e^{kε} δ'.)
//
// The bisection keeps an ε whose δ for the group is at most delta. So its end is a bound, even if
// the δ of the group does not fall with ε. δ' is checked at that end, which a larger δ' raises.
func profilePerson(event accounting.Event, records, delta float64, accountant auto.Accountant) (*Person, error) {
	fits := func(one accounting.Interval, epsilon float64) bool {
		return interval.Of(one.Upper).Log().Add(logSum(epsilon, records)).Hi <= interval.Of(delta).Log().Lo
	}
	holds := func(epsilon float64) (bool, error) {
		one, err := accountant.DeltaAt(event, epsilon)
		return err == nil && fits(one, epsilon), err
	}
	low, high := 0.0, 0.0
	for {
		ok, err := holds(high)
		if err != nil {
			return nil, err
		}
		if ok {
			break
		}
		if low, high = high, math.Max(1, 2*high); high > mostEpsilon {
			return nil, errNoGroup
		}
	}
	for high-low > accounting.CalibrationTolerance*high && high > 1e-9 {
		middle := low + (high-low)/2
		ok, err := holds(middle)
		if err != nil {
			return nil, err
		}
		if ok {
			high = middle
		} else {
			low = middle
		}
	}
	for step := accounting.CalibrationTolerance; high <= mostEpsilon; step *= 2 {
		one, g, err := accountant.CheckedDeltaAt(event, high)
		if err != nil {
			return nil, err
		}
		if fits(one, high) {
			return &Person{records, accounting.Number(interval.Of(records).Mul(interval.Of(high)).Hi), delta,
				fmt.Sprintf("%g times the ε of one record at a smaller δ (group privacy; Vadhan 2017, Lemma 2.2)", records), g.Certificate}, nil
		}
		high += math.Max(1e-9, step*high)
	}
	return nil, errNoGroup
}

// logSum returns ln(1 + e^ε + ... + e^{(k-1)ε}).
func logSum(epsilon, k float64) interval.I {
	e, count := interval.Of(epsilon), interval.Of(k)
	if epsilon == 0 {
		return count.Log()
	}
	// ln((e^{kε} - 1)/(e^ε - 1)), with e^ε taken out of both
	logLess := func(x interval.I) interval.I { return x.Neg().Expm1().Neg().Log() } // ln(1 - e^-x)
	return count.Sub(interval.Of(1)).Mul(e).Add(logLess(count.Mul(e))).Sub(logLess(e))
}

// MostRecords is the rule of the records of one person.
var MostRecords = check.Rule{Text: "must be a whole number from 2 to 1e6", Holds: func(x float64) bool { return x >= 2 && x <= 1e6 && x == math.Floor(x) }}
