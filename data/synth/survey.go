package synth

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
)

// The words of a Survey.
var (
	SurveySectors  = []string{"private", "public", "own"}
	SurveySchools  = []string{"primary", "secondary", "bachelor", "master"}
	sectorEffects  = []float64{0, 0.3, -0.6}
	schoolEffects  = []float64{-1, -0.3, 0.5, 1.2}
	missingSchools = 0.03 // share of records that have no school
)

// WriteSurvey writes a CSV file of n made-up people, one a line, as an example of user data. Each
// has a number, age, weekly hours and wealth. Each has a sector and a school, which some leave
// empty. The label is whether a loan was approved, with probability
//
//	1/(1+e^-z),  z = 0.04 (age-45) + 0.06 (hours-38) + 1.2 log10(wealth/20,000) + s
//
// s is an effect of sector and school. Age is uniform from 18 to 89. Hours are normal (38, 10), cut
// off at 0 and 80. Wealth is log-normal around 20,000 with a factor of 6 for a standard deviation.
// It returns the share of people whose label is the likelier one: the accuracy of the best rule.
func WriteSurvey(w io.Writer, n int, rng *rand.Rand) (best float64, err error) {
	if rng == nil {
		return 0, errors.New("synth: rng is nil: must be a random stream")
	}
	if n < 1 {
		return 0, fmt.Errorf("synth: WriteSurvey: n %d: must be >= 1", n)
	}
	out, right := bufio.NewWriter(w), 0
	fmt.Fprintln(out, "id,age,hours,wealth,sector,school,approved")
	for id := range n {
		p := drawPerson(rng)
		label := "no"
		if p.approved {
			label = "yes"
		}
		if p.approved == (p.z > 0) {
			right++
		}
		fmt.Fprintf(out, "%d,%d,%.0f,%.0f,%s,%s,%s\n", id+1, p.age, p.hours, p.wealth, p.sector, p.school, label)
	}
	return float64(right) / float64(n), out.Flush()
}

type person struct {
	age            int
	hours, wealth  float64
	sector, school string
	z              float64
	approved       bool
}

func drawPerson(rng *rand.Rand) person {
	sector, school := rng.IntN(len(SurveySectors)), rng.IntN(len(SurveySchools))
	p := person{
		age: 18 + rng.IntN(72), hours: math.Round(min(80, max(0, 38+10*rng.NormFloat64()))),
		wealth: math.Round(20_000 * math.Pow(6, rng.NormFloat64())), sector: SurveySectors[sector], school: SurveySchools[school],
	}
	p.z = 0.04*(float64(p.age)-45) + 0.06*(p.hours-38) + 1.2*math.Log10(max(1, p.wealth)/20_000) + sectorEffects[sector]
	if rng.Float64() < missingSchools {
		p.school = ""
	} else {
		p.z += schoolEffects[school]
	}
	p.approved = rng.Float64() < 1/(1+math.Exp(-p.z))
	return p
}
