package papers

import "testing"

// Table 2 and the text disagree on one number only.
func TestCebere2024Tables(t *testing.T) {
	for _, m := range Cebere2024.Models {
		if differs := m.TextRate != m.LearningRate; differs != (m.Name == "Fully-connected") {
			t.Errorf("%s: learning rate %g in Table 2, %g in the text (%v)", m.Name, m.LearningRate, m.TextRate, m.Source)
		}
	}
	// conv 3-6 5x5, conv 6-16 5x5, 400-120-84-10, each with biases (Appendix D).
	if got, want := Cebere2024.Models[1].Parameters, 6*(75+1)+16*(150+1)+120*401+84*121+10*85; got != want {
		t.Errorf("ConvNet: %d parameters: want %d (layers of Appendix D)", got, want)
	}
	for _, v := range []Value{Cebere2024.TightRatio, Cebere2024.RatioOverNoise, Cebere2024.RatioOverBatch, Cebere2024.Figure6Difference} {
		if v.Source.Paper == "" || v.Source.Read != Stated || v.Source.Where == "" || v.Quantity == "" {
			t.Errorf("%+v: the source is not complete", v)
		}
	}
}
