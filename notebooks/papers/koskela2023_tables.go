package papers

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
