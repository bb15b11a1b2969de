// Package kernel has the graph functions that models are made of, products and sums above all, written
// for how the backends compute them: in the layouts whose kernels are fast on the go backend,
// as few wide operations elsewhere.
//
// Arrays are [R, ...], one of each of R replicas, or [1, ...] where all share one. What a function
// computes for one replica has the bits that it has alone, whatever R is: products are cut where
// the backend would take another kernel for more of them. Functions panic on shapes that do not fit, as
// graph functions do.
package kernel
