// Package figures holds what a reproduced figure or table is made of, beyond the charts of package
// accounting/chart.
//
//   - Comparison: our numbers and the published ones, with the difference and how well the
//     published number can be read.
//   - Table: rows of text.
//   - Artifact: what a notebook showed and saved.
//
// Each paper has a package below this one. A figure there is a pure function from a config to a
// typed result. The result has a figure, a table or both ([WithFigure], [WithTable]), and Compare
// returns a Comparison where a paper has printed numbers.
//
// It promises nothing to other modules.
package figures
