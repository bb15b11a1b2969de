// Package check compares the outputs of an executed notebook with those that are committed in it.
//
// Text is compared word by word, numbers in it within a relative tolerance. A figure or table that
// carries its numbers (a MIME type application/vnd.dplab...+json) is compared by them. An image needs only be
// there: its pixels depend on fonts and compression. Spaces, and how streams are cut into pieces, do not count.
//
// Cells tagged "nondeterministic" are compared by the kinds of their outputs, cells tagged "raises-exception" by
// whether they fail, and a tag "tolerance:0.02" sets the relative tolerance of a cell.
package check
