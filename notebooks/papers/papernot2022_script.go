package papers

// Papernot2022Script is what the authors' script for Figure 7 computes its horizontal axis from: one training run, known
// by its Rényi divergence at a list of orders.
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

// scriptOrders returns the 72 orders of the file: ten from 1.25 to 4.5, the integers from 5 to 63, and three more.
func scriptOrders() []float64 {
	orders := []float64{1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 4.5}
	for order := 5; order < 64; order++ {
		orders = append(orders, float64(order))
	}
	return append(orders, 128, 256, 512)
}
