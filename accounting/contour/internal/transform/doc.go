// Package transform holds the moment generating function M(z) = E e^{zL} of the loss L of composed
// steps, and δ as an integral over it:
//
//   - on the real line, with Chernoff's bounds: [Law] is one phase, [MGF] one direction of many;
//   - on a line Re z = c: [Integral], with all its errors, and its [Integral.Root] in ε;
//   - of parts of the law, where the whole decays too slowly: [Participations] and [Trim].
//
// What is proved is listed in package contour, which asks the questions and chooses the lines.
package transform
