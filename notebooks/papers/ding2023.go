package papers

// Ding2023 holds the published numbers of Ding, Wu, Xu and Pan, "Constant-overhead Differentially
// Private Hyperparameter Tuning" (2023), that our figures can be compared with.
//
// The figures were not digitized: we have only the paper's text. It lacks the granularity g and the
// start u0 of the experiments.
var Ding2023 = Ding2023Numbers{
	Candidates: 100,
	Fidelity: Ding2023Fidelity{
		PrivacyTimesParts: []float64{0.5, 5, 10},
		Seeds:             8,
		LeastProduct:      Value{"least kε for a reasonable fidelity", 5, ding2023Stated(`Section 4.2: "choose k >= 5/ε"`, 0.5)},
		Rapidly:           Value{"share of the kε from 5 on whose mean fidelity reaches 0.9", 1, ding2023Stated(`Section 4.2: "converges towards 1 rapidly"`, 0)},
		Unlikely:          Value{"share of the smaller kε whose mean fidelity stays below 0.9", 1, ding2023Stated(`Section 4.2: "unlikely to achieve a reasonable fidelity score"`, 0)},
		Source:            ding2023Printed("Figure 3 and Section 4.2", 0),
	},
	Iterations: Ding2023Iterations{
		Repeats:     10,
		Multipliers: []float64{1, 3, 5},
		Multiplier:  Value{"iterations T over log n", 3, ding2023Stated(`Section 4.2: "approximately equal to 3"`, 0.5)},
		Between:     Value{"iterations T over log n at n", 3, ding2023Stated(`Section 4.2: "sandwiched between 1 and 5"`, 2)},
		Variance:    Value{"T varies more at the largest kε than at the least (1: yes)", 1, ding2023Stated(`Section 4.2: "the larger kε is, the larger of the variance will be, resulting from the increase amount of noise"`, 0)},
		Source:      ding2023Printed("Figure 4 and Section 4.2", 0),
	},
	StepBound: Value{"share of runs whose step at the first test of the convergence phase is at most 2(n+1)", 1, ding2023Stated("Equation (11)", 0)},
	Methods: []TuningMethod{
		{"naive", "support", "compatible", "required", "Õ(|S|^0.5 ε)", ding2023Printed("Table 1", 0)},
		{"RandTune", "N/A", "incompatible", "required", "2ε or 3ε", ding2023Printed("Table 1", 0)},
		{"Algorithm 1", "support", "compatible", "optional", "ε + O(log((u*-u0)/g)) ε", ding2023Printed("Table 1", 0)},
	},
	RandTuneFactors: [2]Value{
		{"ε of RandTune over that of one run, at the least", 2, ding2023Printed("Table 1", 0)},
		{"ε of RandTune over that of one run, at the most", 3, ding2023Printed("Table 1", 0)},
	},
}

// Ding2023Numbers is the type of Ding2023.
type Ding2023Numbers struct {
	Candidates      int // |S|, with scores drawn uniformly from (0, 1); Section 4.2
	Fidelity        Ding2023Fidelity
	Iterations      Ding2023Iterations
	StepBound       Value
	Methods         []TuningMethod // the rows of Table 1
	RandTuneFactors [2]Value       // from Table 1
}

// Ding2023Fidelity has the claims of the text and the caption on Figure 3.
type Ding2023Fidelity struct {
	PrivacyTimesParts []float64 // kε
	Seeds             int
	LeastProduct      Value
	Rapidly, Unlikely Value
	Source            Source
}

// Ding2023Iterations has the claims of the text and the caption on Figure 4.
type Ding2023Iterations struct {
	Repeats     int
	Multipliers []float64 // c of the lines c·log n; the base of the logarithm is not printed
	Multiplier  Value
	Between     Value // the middle of the interval, with half of its width
	Variance    Value // whether T varies more where kε is larger
	Source      Source
}

// TuningMethod is a row of Table 1.
type TuningMethod struct {
	Name, GridSearch, Adaptive, PrivateTraining, Budget string
	Source                                              Source
}

// ding2023Stated returns the source of a claim in words. We chose what is reasonable, what log n
// is, and how near is near.
func ding2023Stated(where string, absErr float64) Source {
	s := ding2023Printed(where, absErr)
	s.Read = Stated
	return s
}

func ding2023Printed(where string, absErr float64) Source {
	return Source{Paper: "Ding, Wu, Xu and Pan (2023)", Where: where, Read: Printed, AbsErr: absErr}
}

// ExponentialIsBetter is the claim of Lyu, Su and Li on the exponential mechanism and the sparse
// vector technique if the candidates are known beforehand.
var ExponentialIsBetter = Value{"share of cases in which the exponential mechanism finds better candidates", 1,
	Source{Paper: "Lyu, Su and Li (2017)", Where: "conclusion on the non-interactive setting", Read: Stated}}
