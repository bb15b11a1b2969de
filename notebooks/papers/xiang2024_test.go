package papers

import "testing"

// What the text prints must be consistent with itself: chances sum to 1 within their digits,
// and the table grows with ε_B in each column.
func TestXiang2024IsConsistent(t *testing.T) {
	for i, chances := range Xiang2024.Example1.Tuned {
		sum, err := 0.0, 0.0
		for _, v := range chances {
			sum += v.Number
			err += v.Source.AbsErr
		}
		if sum < 1-err || sum > 1+err {
			t.Errorf("Example 1, data set %d: chances sum to %g ± %g (%v)", i, sum, err, chances[0].Source)
		}
	}
	if len(Xiang2024.Table4) != 45 {
		t.Fatalf("%d cells: Table 4 has 9 rows of 5", len(Xiang2024.Table4))
	}
	for i, c := range Xiang2024.Table4[15:] {
		before := Xiang2024.Table4[i]
		if c.G.Number <= before.G.Number || c.O.Number <= before.O.Number || c.Runs != before.Runs || c.SamplingRate != before.SamplingRate {
			t.Errorf("%+v does not exceed %+v (%v)", c, before, c.G.Source)
		}
	}
}
