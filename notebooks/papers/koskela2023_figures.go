package papers

var koskela2023Figure1 = Koskela2023Figure1{
	SamplingRate:    0.01,
	NoiseMultiplier: 2,
	Epochs:          50,
	MaxOrder:        64,
	Base:            figure1Epsilon("DP-SGD alone", 1.6131, "Lemma 3"),
	Points: []TuneThenTrainPoint{
		{
			MeanRepeats: 15, TuningRate: 0.1,
			Baseline: figure1Epsilon("tuning on all data, µ = 15", 4.6571, "Theorem 5"),
			Variant1: figure1Epsilon("variant 1, µ = 15, q = 0.1", 2.4550, "Theorems 5 and 6"),
			Variant2: figure1Epsilon("variant 2, µ = 15, q = 0.1", 2.9139, "Theorems 4 and 5"),
		},
		{
			MeanRepeats: 45, TuningRate: 0.1,
			Baseline: figure1Epsilon("tuning on all data, µ = 45", 9.2899, "Theorem 5"),
			Variant1: figure1Epsilon("variant 1, µ = 45, q = 0.1", 6.9883, "Theorems 5 and 6"),
			Variant2: figure1Epsilon("variant 2, µ = 45, q = 0.1", 6.9460, "Theorems 4 and 5"),
		},
	},
	Crossing: koskela2023Stated(`Section 3.3: "the bounds for the variants 1 and 2 cross when µ = 45 at small values of q"`,
		"the paper's bounds cross at a q from 0.005 to 0.5, µ = 45 (1: yes)"),
	CrossingMean: 45,
}

func figure1Epsilon(what string, number float64, theorems string) Value {
	return Value{
		Quantity: "ε at δ = 1e-5, " + what,
		Number:   number,
		Source: Source{
			Paper: koskela2023Paper, Where: "Figure 1, " + theorems + " at the integer orders 2 to 64",
			Read: Recomputed, AbsErr: 5e-5,
		},
	}
}

var koskela2023Figure9 = Koskela2023Figure9{
	SamplingRates: []float64{0.01, 0.02},
	MaxOrder:      24,
	Source:        koskela2023Printed("Figure 9, caption", 0),
	LargerNoise:   koskela2023Stated(sectionD1, "share of pairs with equal γ in which the line of the larger σ gives away less"),
	SmallerRate:   koskela2023Stated(sectionD1, "share of pairs with equal σ in which the line of the smaller γ gives away less"),
}

var koskela2023Noise = Koskela2023Noise{
	LessThanBaseline: koskela2023Stated(`Figures 5 and 6: "Our methods inject significantly smaller noise compared to the baseline for all ε regimes"`,
		"share of data sets and ε where both variants have a smaller σ than the baseline"),
	Variant1Lower: koskela2023Stated(`Figures 5 and 6: "σ for variant 1 is consistently lower than for variant 2"`,
		"share of data sets and ε where variant 1 has a smaller σ than variant 2"),
}

var koskela2023Costs = []TuningCost{
	{15, 0.1, Value{"gradients of the baseline over variant 2, µ = 15, q = 0.1", 6, koskela2023Printed(`Section 3.4: "≈ 6 times"`, 0.5)}},
	{45, 0.1, Value{"gradients of the baseline over variant 2, µ = 45, q = 0.1", 8, koskela2023Printed(`Section 3.4: "≈ 8 times"`, 0.5)}},
}

var koskela2023Times = Koskela2023Times{
	CIFARSGD:    Value{"time of the baseline over that of the faster variant, CIFAR-10, DP-SGD", 6.06, koskela2023Printed("Figure 2, caption", 0.005)},
	FashionAdam: Value{"time of the baseline over that of the faster variant, FashionMNIST, DP-Adam", 9.03, koskela2023Printed("Figure 3, caption", 0.005)},
	Slower: koskela2023Stated(`Section 3.4: "Therefore the actual speed ups are slightly smaller"`,
		"share of data sets, optimizers and grids whose ratio of times is below that of gradients"),
}

var koskela2023Batches = Koskela2023Batches{
	Tuning:   128,
	Variant1: Value{"expected batch size of the last training, variant 1", 1152, koskela2023Printed("Section 5", 0.5)},
	Variant2: Value{"expected batch size of the last training, variant 2", 1280, koskela2023Printed("Section 5", 0.5)},
}

const sectionD1 = `Section D.1: "the larger the noise level σ and the smaller the subsampling ratio γ, the better the line approximation"`

var koskela2023Table1 = []Koskela2023Fixed{
	{"MNIST", table1Rate("MNIST", 0.0213), 40},
	{"FashionMNIST", table1Rate("FashionMNIST", 0.0213), 40},
	{"CIFAR-10", table1Rate("CIFAR-10", 0.0256), 40},
	{"IMDB", table1Rate("IMDB", 0.0256), 110},
}

func table1Rate(dataset string, rate float64) Value {
	return Value{"sampling rate γ, " + dataset, rate, koskela2023Printed("Table 1", 5e-5)}
}

// The powers of ten of Table 2's learning rates: 10^-x for x in these.
var (
	powersFrom4 = []float64{4, 3.5, 3, 2.5, 2, 1.5, 1, 0.5, 0}
	powersFrom3 = []float64{3, 2.5, 2, 1.5, 1, 0.5, 0, -0.5, -1, -1.5}
)

var koskela2023Table2 = []Koskela2023Grid{
	{"MNIST", 60000, 10000, table2Parameters("MNIST", 26, 0.5), 1, []int{128, 256}, powersFrom4, []int{10, 20, 30, 40}},
	{"FashionMNIST", 60000, 10000, table2Parameters("FashionMNIST", 109, 1), 3, []int{128, 256}, powersFrom3, []int{10, 20, 30, 40}},
	{"CIFAR-10", 50000, 10000, table2Parameters("CIFAR-10", 0.65, 0.005), 3, []int{64, 128}, powersFrom3, []int{20, 30, 40}},
	{"IMDB", 25000, 25000, table2Parameters("IMDB", 464, 0.5), 1, []int{64, 128}, powersFrom4, []int{70, 90, 110}},
}

func table2Parameters(dataset string, thousands, absErr float64) Value {
	return Value{"trainable parameters in thousands, " + dataset, thousands, koskela2023Printed("Table 2", absErr)}
}
