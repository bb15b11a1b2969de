package papers

import "testing"

// The text says that the multiplier lies between those of the outer lines of Figure 4, and
// Table 1 has three rows whose budget of the last is the one of Theorem 3.
func TestDing2023(t *testing.T) {
	it := Ding2023.Iterations
	low, high := it.Between.Number-it.Between.Source.AbsErr, it.Between.Number+it.Between.Source.AbsErr
	if !(low == it.Multipliers[0] && high == it.Multipliers[2] && it.Multiplier.Number == it.Multipliers[1]) {
		t.Errorf("multipliers %v, in the text %g, %g, %g: must agree", it.Multipliers, low, it.Multiplier.Number, high)
	}
	if len(Ding2023.Methods) != 3 || Ding2023.Methods[1].Budget != "2ε or 3ε" || Ding2023.RandTuneFactors[0].Number != 2 || Ding2023.RandTuneFactors[1].Number != 3 {
		t.Error("Table 1: want three methods, and 2ε or 3ε for the second")
	}
	for _, m := range Ding2023.Methods {
		if m.Source.Read != Printed || m.Source.Where != "Table 1" {
			t.Errorf("%s: source %v", m.Name, m.Source)
		}
	}
}
