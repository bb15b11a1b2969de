// Package kernel has the graph functions of models, mainly products and sums. On the go backend
// they use the layouts with fast kernels. On other backends they use few wide operations.
//
// Arrays are [R, ...], one for each of R replicas, or [1, ...] if all share one. The result for one
// replica has the same bits for every R: products are cut where the backend would use another
// kernel for more of them. Functions panic on shapes that do not fit, as graph functions do.
package kernel
