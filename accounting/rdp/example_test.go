package rdp_test

import (
	"fmt"
	"log"

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
