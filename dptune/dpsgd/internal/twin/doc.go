// Package twin has only tests. They compare whole runs of the engine with DP-SGD that computes one
// example and one number at a time, for randomly drawn settings. The twin shares no code with the
// engine. Its gradients come from a tape of sums and products, the words of its noise from the
// ciphers of the standard library, and its streams follow their doc comments.
//
//	go test ./dptune/dpsgd/internal/twin -twin.runs 3000
package twin
