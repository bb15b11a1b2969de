package papers

// Papernot2022Figure1 is the experiment of Section 2 and what the text says of its
// outcome. The curves of Figure 1, the range of its axis, the class sizes, the number of
// repetitions and the settings of the stochastic gradient descent are not in the text.
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
	// detrimental: its sign is all that is printed.
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
