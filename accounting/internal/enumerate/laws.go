package enumerate

import "github.com/dplab/dplab/accounting/selection/law"

// Laws has laws of K of every kind.
var Laws = []law.Law{
	law.TNB{Eta: -0.9, Gamma: 0.2}, law.TNB{Eta: -0.5, Gamma: 0.05}, law.TNB{Eta: 0, Gamma: 0.03},
	law.TNB{Eta: 1e-9, Gamma: 0.5}, law.TNB{Eta: 0.5, Gamma: 0.06}, law.TNB{Eta: 1, Gamma: 0.1},
	law.TNB{Eta: 5, Gamma: 0.33}, law.TNB{Eta: 40, Gamma: 0.7}, law.TNB{Eta: 2, Gamma: 0.999},
	law.Poisson{MeanRepeats: 0.3}, law.Poisson{MeanRepeats: 10}, law.Poisson{MeanRepeats: 60},
	law.Fixed{Count: 1}, law.Fixed{Count: 7},
	law.Binomial{Trials: 1, P: 0.3}, law.Binomial{Trials: 20, P: 0.5}, law.Binomial{Trials: 300, P: 0.02},
	law.TwoPoint{Runs: 2, Single: 0.3}, law.TwoPoint{Runs: 100, Single: 0.01},
	law.Truncated{Law: law.TNB{Eta: 0, Gamma: 0.03}, Max: 20},
	law.Truncated{Law: law.TNB{Eta: -0.5, Gamma: 1e-3}, Max: 300},
	law.Truncated{Law: law.Poisson{MeanRepeats: 3}, Max: 4},
	law.Truncated{Law: law.Binomial{Trials: 9, P: 0.4}, Max: 5},
	law.Withheld{Law: law.TNB{Eta: 0, Gamma: 0.03}, Max: 20}, law.Withheld{Law: law.Poisson{MeanRepeats: 3}, Max: 4},
	law.Capped{Law: law.TNB{Eta: 1, Gamma: 0.1}, Max: 12},
	law.Capped{Law: law.Poisson{MeanRepeats: 10}, Max: 10},
	law.Capped{Law: law.TwoPoint{Runs: 30, Single: 0.2}, Max: 7},
	law.PMF{Weights: []float64{0.1, 0.2, 0, 0.4, 0.3}},
	law.PMF{Weights: []float64{0, 0.5, 0.25, 0.25}},
}
