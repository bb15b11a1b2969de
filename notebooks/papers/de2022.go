package papers

// De2022 holds the published numbers of De et al., "Unlocking High-Accuracy Differentially Private
// Image Classification through Scale" (2022), that our trainings can be compared with.
//
// We have only the abstract and the settings that the authors published with their code. Averages
// and Views are claims in words: the paper lists both techniques among those that raise the
// accuracy.
var De2022 = De2022Numbers{
	Epsilon: 8, Delta: 1e-5,
	CIFAR:    Value{"test accuracy on CIFAR-10 without other data, %", 81.4, de2022("abstract: \"81.4% under (8, 10^-5)-DP using a 40-layer Wide-ResNet\"", Printed, 0.05)},
	Averages: Value{"averaged weights are more accurate than the last ones (1: yes)", 1, de2022("parameter averaging, a technique of Section 3", Stated, 0)},
	Views:    Value{"several views are more accurate than one (1: yes)", 1, de2022("augmentation multiplicity, a technique of Section 3", Stated, 0)},
}

// De2022Numbers is the type of De2022.
type De2022Numbers struct {
	Epsilon, Delta  float64 // of CIFAR
	CIFAR           Value
	Averages, Views Value
}

func de2022(where string, read Read, absErr float64) Source {
	return Source{Paper: "De et al. (2022), arXiv:2204.13650v2", Where: where, Read: read, AbsErr: absErr}
}
