package papers

// Papernot2022Figure5 has the published numbers of Figure 5.
type Papernot2022Figure5 struct {
	// Crossing is the ε above which the negative binomial law of η = 0.5 gives a better expected
	// quantile than the Poisson law.
	Crossing     Value
	PoissonLeads Value      // whether Poisson has the best expected quantile somewhere
	Quantiles    []LawValue // 1 - E[1/(K+1)]
}

var papernot2022Figure5 = Papernot2022Figure5{
	Crossing: Value{
		Quantity: "ε above which η = 0.5 has a better expected quantile than Poisson",
		Number:   4,
		Source:   papernot2022Printed(`Section 3.6: "at least ε = 4 otherwise Poisson is more advantageous"`, 0.5),
	},
	PoissonLeads: Value{
		Quantity: "Poisson has the best expected quantile at some ε (1: yes)",
		Number:   1,
		Source:   Source{Paper: papernot2022Printed("", 0).Paper, Where: `Section 3.6: "performs very well in an intermediate range"`, Read: Stated},
	},
	Quantiles: []LawValue{
		quantile(fixedLaw(1), 0.5, papernot2022Printed(`Section 3.6: "uniform on [0, 1] and has mean 0.5"`, 0)),
		quantile(tnbLaw(-0.5, 10), 0.65, equation8),
		quantile(tnbLaw(0, 10), 0.75103393, equation8),
		quantile(tnbLaw(0.5, 10), 0.8, equation8),
		quantile(tnbLaw(1, 10), 0.826841347, equation8),
		quantile(tnbLaw(2, 10), 0.854101966, equation8),
		quantile(poissonLaw(10), 0.90000454, equation8),
	},
}

var equation8 = papernot2022Recomputed("Figure 5, equation (8) by Simpson's rule", 1e-8)

func quantile(law LawID, number float64, source Source) LawValue {
	return LawValue{Law: law, Value: Value{Quantity: "expected quantile", Number: number, Source: source}}
}

// The caption of Figure 6: each run succeeds with chance 1/100; β = 1 - f(1 - 1/100).
var papernot2022Figure6 = []LawValue{
	success(tnbLaw(-0.5, 10), 0.0635978366085),
	success(tnbLaw(0, 10), 0.0853631047777),
	success(tnbLaw(0.5, 10), 0.0899935890129),
	success(tnbLaw(1, 10), 0.0917431192661),
	success(poissonLaw(10), 0.095162581964),
}

func success(law LawID, number float64) LawValue {
	return LawValue{Law: law, Value: Value{
		Quantity: "success probability, one run 1/100",
		Number:   number,
		Source:   papernot2022Recomputed("Figure 6, appendix A.2.1 with equation (7)", 1e-11),
	}}
}

// Papernot2022Figure1 is the experiment of Section 2 with the text's claims on its outcome. The
// text lacks the curves of Figure 1, the range of its axis, the class sizes, the number of
// repetitions and the settings of the stochastic gradient descent.
type Papernot2022Figure1 struct {
	Points       int        // training inputs without the outliers
	StdDev       float64    // of each coordinate
	NegativeMean [2]float64 // centre of the negative class
	PositiveMean [2]float64 // centre of the positive class
	Outliers     int        // added to the negative class
	Outlier      [2]float64 // where all of them lie
	Setup        Source     // of the six fields above

	BestHingeWeight Value // with outliers
	// FallsWithoutOutliers is the change of accuracy, without outliers, that the text calls
	// detrimental. Only its sign is printed.
	FallsWithoutOutliers Value
}

var papernot2022Figure1 = Papernot2022Figure1{
	Points:       40,
	StdDev:       1,
	NegativeMean: [2]float64{7.86, 3.36},
	PositiveMean: [2]float64{6.42, 9.17},
	Outliers:     8,
	Outlier:      [2]float64{7.9, 8.0},
	Setup:        papernot2022Printed("Section 2", 0),

	BestHingeWeight: Value{
		Quantity: "hinge weight of the best accuracy, with outliers",
		Number:   8,
		Source:   papernot2022Printed(`Section 2: "around α = 8"`, 2), // around: a quarter either way
	},
	FallsWithoutOutliers: Value{
		Quantity: "sign of the change of accuracy as the hinge weight grows, without outliers",
		Number:   -1,
		Source:   papernot2022Stated(`Section 2: "detrimental to performance without outliers"`, 0),
	},
}
