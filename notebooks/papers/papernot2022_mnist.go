package papers

import "math"

// Papernot2022Figure7 is the experiment of Section 3.6, with what its authors published of it: the
// text, and the script and data in tensorflow/privacy, research/hyperparameters_2022.
type Papernot2022Figure7 struct {
	LearningRates   [2]float64 // ends of the searched range
	Epochs          int
	BatchSize       int
	ClipNorm        float64
	NoiseMultiplier float64
	TrainingImages  int    // of MNIST
	Setup           Source // of the fields above

	NonPrivate Value // accuracy of the line "baseline (non-private search)"

	// Budgets are the script's horizontal axis, by the script's own formulas: the least
	// Rényi divergence bound over its orders, without any δ.
	Budgets []Papernot2022Budget
	Script  Papernot2022Script // the script's inputs for them
	// Accuracies are exact expected accuracies, over the published accuracies of 400 learning rates.
	// The script estimates them from 1,000 draws.
	Accuracies []Papernot2022Accuracy
}

// Papernot2022Budget is the script's "privacy budget" at one γ. It is NaN if the script has no
// value.
//
// Two of its formulas are not those of Theorem 2. For η = 0 and η = 0.5 they have ln(1/γ - 1),
// where the theorem has ln(1/γ). That is smaller and falls without limit as γ approaches 1, so the
// result is not an upper bound. The ln E[K] for η = 0.5 lacks ln(1-γ), which is on the safe side.
type Papernot2022Budget struct {
	Gamma                          float64
	Logarithmic, Geometric, NBHalf float64 // η = 0, 1, 0.5
	Poisson                        float64 // of mean 100γ
	Source                         Source
}

// Papernot2022Accuracy is the expected accuracy of the best of K runs at one γ.
type Papernot2022Accuracy struct {
	Gamma                          float64
	Logarithmic, Geometric, NBHalf float64 // η = 0, 1, 0.5
	Source                         Source
}

var papernot2022Figure7 = Papernot2022Figure7{
	LearningRates:   [2]float64{0.025, 1},
	Epochs:          60,
	BatchSize:       256,
	ClipNorm:        1,
	NoiseMultiplier: 1.1,
	TrainingImages:  60000,
	Setup:           papernot2022Printed("Section 3.6, Experimental Evaluation", 0),
	NonPrivate: Value{
		Quantity: "test accuracy, non-private search",
		Number:   0.9594,
		Source:   papernot2022Printed("Figure 7, authors' figure7_default_values.py (tensorflow/privacy 158aba7)", 0.00005),
	},
	Budgets: []Papernot2022Budget{
		budget(1e-7, 6.423904550799472, 9.925227321430551, 8.254976117179156, math.NaN()),
		budget(8e-6, 5.38484761823811, 8.391319483606663, 6.9664747987233, math.NaN()),
		budget(1e-4, 4.708327173002646, 7.386498732275507, 6.116950671104787, math.NaN()),
		budget(0.00024, 4.453951862104686, 7.011297844838122, 5.8038682957628, math.NaN()),
		budget(0.0035, 3.5945140127988022, 5.725887618576718, 4.710976925521483, math.NaN()),
		budget(0.05, 2.5203083952348933, 4.091895238165494, 3.337507893985818, 2.1923182447691083),
		budget(0.1, 2.1667589798873887, 3.5609543071377536, 2.889364900358457, 3.3900810774970314),
		budget(0.2, 1.7404160990237423, 2.9410673811007673, 2.362009443090233, 5.193640347472471),
		budget(0.5, 0.6980964392544429, 1.8661115198399179, 1.1350870612198063, 8.587200106008138),
	},
	Script: papernot2022Script,
	Accuracies: []Papernot2022Accuracy{
		accuracy(1e-7, 0.9501, 0.9594, 0.95937),
		accuracy(8e-6, 0.94662, 0.9594, 0.95914),
		accuracy(1e-4, 0.94312, 0.95937, 0.95847),
		accuracy(0.00024, 0.94142, 0.95933, 0.95795),
		accuracy(0.0035, 0.93306, 0.95845, 0.9537),
		accuracy(0.05, 0.91317, 0.94919, 0.93643),
		accuracy(0.1, 0.90348, 0.94072, 0.92585),
		accuracy(0.2, 0.89041, 0.92551, 0.91008),
		accuracy(0.5, 0.86612, 0.88802, 0.87748),
	},
}

// budget is one row. It leaves out the script's Poisson values at means below 1, which are negative
// and not bounds.
func budget(gamma, logarithmic, geometric, nbHalf, poisson float64) Papernot2022Budget {
	return Papernot2022Budget{gamma, logarithmic, geometric, nbHalf, poisson,
		papernot2022Recomputed("Figure 7, authors' figure7.py (tensorflow/privacy 7eea74a) evaluated", 1e-12)}
}

func accuracy(gamma, logarithmic, geometric, nbHalf float64) Papernot2022Accuracy {
	return Papernot2022Accuracy{gamma, logarithmic, geometric, nbHalf,
		papernot2022Recomputed("Figure 7, authors' lr_acc.json, exact expectation by equation (7)", 0.000005)}
}

// Papernot2022Script has the inputs of the horizontal axis in the authors' script for Figure 7: one
// training run, known by its Rényi divergence at a list of orders.
type Papernot2022Script struct {
	Orders      []float64 // λ, increasing
	Divergences []float64 // of one run, nats, one for each order
	Source      Source
}

var papernot2022Script = Papernot2022Script{
	Orders: scriptOrders(),
	Divergences: []float64{
		2.04459751e-01, 2.45818210e-01, 2.87335988e-01, 3.29014798e-01, 3.70856385e-01, 4.12862542e-01,
		4.97375951e-01, 5.82570265e-01, 6.68461534e-01, 7.55066706e-01, 8.42403732e-01, 1.01935100e+00,
		1.19947313e+00, 1.38297035e+00, 1.57009549e+00, 1.76124790e+00, 1.95794503e+00, 2.19017390e+00,
		4.48407479e+00, 3.08305394e+02, 4.98610133e+03, 1.11363692e+04, 1.72590079e+04, 2.33487231e+04,
		2.94091123e+04, 3.54439803e+04, 4.14567914e+04, 4.74505356e+04, 5.34277419e+04, 5.93905358e+04,
		6.53407051e+04, 7.12797586e+04, 7.72089762e+04, 8.31294496e+04, 8.90421151e+04, 9.49477802e+04,
		1.00847145e+05, 1.06740819e+05, 1.12629335e+05, 1.18513163e+05, 1.24392717e+05, 1.30268362e+05,
		1.36140424e+05, 1.42009194e+05, 1.47874932e+05, 1.53737871e+05, 1.59598221e+05, 1.65456171e+05,
		1.71311893e+05, 1.77165542e+05, 1.83017260e+05, 1.88867175e+05, 1.94715404e+05, 2.00562057e+05,
		2.06407230e+05, 2.12251015e+05, 2.18093495e+05, 2.23934746e+05, 2.29774840e+05, 2.35613842e+05,
		2.41451813e+05, 2.47288808e+05, 2.53124881e+05, 2.58960080e+05, 2.64794449e+05, 2.70628032e+05,
		2.76460867e+05, 2.82292992e+05, 2.88124440e+05, 6.66483142e+05, 1.41061455e+06, 2.89842152e+06,
	},
	// Printed to nine digits.
	Source: papernot2022Printed("Figure 7, authors' figure7_default_values.py (tensorflow/privacy 158aba7)", 0),
}

// scriptOrders returns the 72 orders of the file: ten from 1.25 to 4.5, the integers from 5 to 63,
// and three more.
func scriptOrders() []float64 {
	orders := []float64{1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 4.5}
	for order := 5; order < 64; order++ {
		orders = append(orders, float64(order))
	}
	return append(orders, 128, 256, 512)
}
