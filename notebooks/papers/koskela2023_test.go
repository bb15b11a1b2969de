package papers

import "testing"

// Section 5 says that the learning-rate grids have 9 or 10 values, in half powers of ten.
func TestKoskela2023Grids(t *testing.T) {
	for i, row := range Koskela2023.Table2 {
		if n := len(row.LearningRatePower); n != 9 && n != 10 {
			t.Errorf("%s: %d learning rates: Section 5 says 9 or 10", row.Dataset, n)
		}
		for j := 1; j < len(row.LearningRatePower); j++ {
			if got := row.LearningRatePower[j-1] - row.LearningRatePower[j]; got != 0.5 {
				t.Errorf("%s: step %g between learning rates: Table 2 has 0.5", row.Dataset, got)
			}
		}
		if Koskela2023.Table1[i].Dataset != row.Dataset {
			t.Errorf("row %d: Table 1 has %s, Table 2 %s: same order in the paper", i, Koskela2023.Table1[i].Dataset, row.Dataset)
		}
	}
}

// Every value of the paper that can be reached names its source.
func TestKoskela2023Sources(t *testing.T) {
	values := []Value{Koskela2023.Table1Header, Koskela2023.Noise.LessThanBaseline, Koskela2023.Noise.Variant1Lower,
		Koskela2023.Figure9.LargerNoise, Koskela2023.Figure9.SmallerRate, Koskela2023.Figure1.Base, Koskela2023.Figure1.Crossing, Koskela2023.Batches.Variant1, Koskela2023.Batches.Variant2,
		Koskela2023.Times.CIFARSGD, Koskela2023.Times.FashionAdam, Koskela2023.Times.Slower}
	for _, p := range Koskela2023.Figure1.Points {
		values = append(values, p.Baseline, p.Variant1, p.Variant2)
	}
	for _, c := range Koskela2023.Costs {
		values = append(values, c.Ratio)
	}
	for i := range Koskela2023.Table1 {
		values = append(values, Koskela2023.Table1[i].SamplingRate, Koskela2023.Table2[i].Parameters)
	}
	for _, v := range values {
		if v.Quantity == "" || v.Source.Paper == "" || v.Source.Where == "" || v.Source.Read == 0 || !(v.Source.AbsErr >= 0) || !(v.Number > 0) {
			t.Errorf("incomplete value %+v", v)
		}
	}
}
