package rdp_test

import (
	"fmt"
	"log"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
)

// One step at the orders that a published table has. Fractional orders are exact.
func ExampleSampledGaussian() {
	curve := rdp.SampledGaussian(0.01, 2.5)
	for _, order := range []float64{1.5, 5, 50, 100} {
		fmt.Printf("%5.1f %.6e\n", order, curve(order))
	}
	// Output:
	//   1.5 1.300142e-05
	//   5.0 4.361513e-05
	//  50.0 4.769208e-04
	// 100.0 3.348326e+00
}

// Two conversions of the same divergences, the second from 2017.
func ExampleAccountant_EpsilonOf() {
	curve := rdp.Scale(rdp.SampledGaussian(256./60000, 1.1), 14063)
	for _, conversion := range []rdp.Conversion{rdp.CanonneKamathSteinke, rdp.Classic} {
		g, err := rdp.Accountant{Conversion: conversion}.EpsilonOf(curve, 1e-5)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f by %s\n", g.Epsilon.Upper, g.Method)
	}
	// Output:
	// 2.597 by RDP, order 8.122, conversion of Canonne, Kamath, Steinke 2020
	// 3.008 by RDP, order 8.819, conversion of Mironov 2017
}

// A pure mechanism and a concentrated one, composed.
func ExampleSum() {
	g, err := rdp.NewAccountant().EpsilonOf(rdp.Sum(rdp.PureDP(0.5), rdp.ZCDP(0.1)), 1e-6)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Epsilon)
	// Output: <= 2.59701
}

// The divergence that one order may have for (1, 1e-5)-differential privacy, and back.
func ExampleConversion_Divergence() {
	c := rdp.CanonneKamathSteinke
	divergence := c.Divergence(16, accounting.Target{Epsilon: 1, Delta: 1e-5})
	fmt.Printf("%.4f, back to %.4f\n", divergence, c.Epsilon(16, divergence, 1e-5))
	// Output:
	// 0.4818, back to 1.0000
}

// A curve of one's own on a sample of a tenth of the records, without replacement.
func ExampleFixedSize() {
	curve := rdp.FixedSize(rdp.Laplace(2), 0.1)
	logDelta, order, err := rdp.NewAccountant().LogDeltaOf(curve, 0.2)
	fmt.Printf("RDP(2) %.5f of %.5f, log δ at ε = 0.2 is at most %.3f by order %.3g %v\n", curve(2), rdp.Laplace(2)(2), logDelta, order, err)
	// Output:
	// RDP(2) 0.00513 of 0.20030, log δ at ε = 0.2 is at most -32.702 by order 256 <nil>
}

// A choice by the exponential mechanism costs less than pure differential privacy allows. At order
// 2 the curve is log((1+c)²/(4c)) with c = e^-ε.
func ExampleBoundedRange() {
	fmt.Printf("RDP(2) %.5f, of a pure mechanism %.5f\n", rdp.BoundedRange(1)(2), rdp.PureDP(1)(2))
	// Output:
	// RDP(2) 0.24023, of a pure mechanism 0.73533
}
