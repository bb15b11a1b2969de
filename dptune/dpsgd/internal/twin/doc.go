// Package twin has no code but tests: whole runs of the engine against DP-SGD that is written one example and one number
// at a time, with numbers drawn at random for all there is to choose. The twin shares no code with what it is compared with: gradients
// come from a tape of sums and products, words of the noise from the ciphers of the standard library, and streams from their comments.
//
//	go test ./dptune/dpsgd/internal/twin -twin.runs 3000
package twin
