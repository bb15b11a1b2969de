package papers

// Papernot2022 holds the published numbers of Papernot and Steinke, "Hyperparameter Tuning with
// Rényi Differential Privacy" (ICLR 2022), that our figures can be compared with.
//
// The figures were not digitized: we have only the paper's text. So curves are compared at single
// points with the closed forms that the text prints for them (Recomputed, by
// testdata/papernot2022.py). They are also compared with numbers and sentences in the text that
// describe a figure (Printed, Stated). For Figure 7 the authors' published script and data are a
// third source.
var Papernot2022 = Papernot2022Numbers{
	Rho:   0.1,
	Delta: 1e-6,

	SuccessChance: 0.01,

	Figure1: papernot2022Figure1,
	Figure2: papernot2022Figure2,
	Figure3: papernot2022Figure3,
	Figure4: papernot2022Figure4,
	Figure5: papernot2022Figure5,
	Figure6: papernot2022Figure6,
	Figure7: papernot2022Figure7,
	Figure8: papernot2022Figure8,
}

// Papernot2022Numbers is the type of Papernot2022.
type Papernot2022Numbers struct {
	Rho   float64 // each base run of Figures 2 to 6 is ρ-zCDP; captions of Figures 2 to 6
	Delta float64 // δ of Figures 4 to 6; captions
	// SuccessChance is the chance of one run in Figure 6; caption.
	SuccessChance float64
	Figure1       Papernot2022Figure1
	Figure2       []RDPPoint
	Figure3       []RDPPoint
	Figure4       []EpsilonPoint
	Figure5       Papernot2022Figure5
	Figure6       []LawValue
	Figure7       Papernot2022Figure7
	Figure8       []ConditionalPoint
}

// LawID names a law of the number of runs as a legend does, by its numbers.
type LawID struct {
	Name        string  // "tnb", "poisson" or "fixed"
	Eta         float64 // of "tnb"
	MeanRepeats float64 // E[K]
}

// LawValue is a number that belongs to a law.
type LawValue struct {
	Law LawID
	Value
}

// RDPPoint is a Rényi divergence bound, in nats, at one order.
type RDPPoint struct {
	Law   LawID
	Order float64
	Value
}

// EpsilonPoint is an ε at one δ.
type EpsilonPoint struct {
	Law   LawID
	Delta float64
	Value
}

const papernot2022Paper = "Papernot and Steinke (ICLR 2022)"

func papernot2022Printed(where string, absErr float64) Source {
	return Source{Paper: papernot2022Paper, Where: where, Read: Printed, AbsErr: absErr}
}

func papernot2022Stated(where string, absErr float64) Source {
	return Source{Paper: papernot2022Paper, Where: where, Read: Stated, AbsErr: absErr}
}

func papernot2022Recomputed(where string, absErr float64) Source {
	return Source{Paper: papernot2022Paper, Where: where, Read: Recomputed, AbsErr: absErr}
}

func tnbLaw(eta, mean float64) LawID { return LawID{Name: "tnb", Eta: eta, MeanRepeats: mean} }

func poissonLaw(mean float64) LawID { return LawID{Name: "poisson", MeanRepeats: mean} }

func fixedLaw(count float64) LawID { return LawID{Name: "fixed", MeanRepeats: count} }
