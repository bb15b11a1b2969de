// Package hidden plays the audits of cebere2024 that train models: thousands of them in each of two worlds, with and without
// a canary, of which the adversary sees the final weights alone.
//
// A [Config] names a network, its data, and [Setting]s that differ in learning rate, clip norm and how often the canary
// takes part. One shard trains the models of one setting and repetition, or some games of them, for all its adversaries, who
// share the models without a canary: each audit by itself is as valid as if it had models of its own, but two are not
// independent of each other. What a shard stores is scores, so that any bound can be taken of them later.
//
// The experiments themselves are in experiments.go, one for each network and question; figures of several items read one.
package hidden
