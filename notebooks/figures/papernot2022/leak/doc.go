// Package leak reproduces Section 2 and Figure 1 of Papernot and Steinke (ICLR 2022): the best
// hinge weight of a support vector machine tells whether outliers are in its data. Figure1 trains
// it in two ways, by the exact minimum (svm.go) and by stochastic gradient descent (sgd.go), and
// measures what the chosen weight gives away (leak.go).
package leak
