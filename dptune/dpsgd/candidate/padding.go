package candidate

import "github.com/dplab/dplab/dptune/dpsgd"

// padding returns how many runs train beside those of a group, to be thrown away. XLA compiles a program for each number of models,
// and searches draw many: up to 64 runs are then 12 numbers, 1, 2, 3, 4, 6, 8, 12, 16 and so on. Fewer than half as many again are added.
//
// It is 0 on the go backend, which compiles nothing, and where the runs more would take longer than compiling does.
func padding(runs int, model dpsgd.Model, config dpsgd.Config, backend string) int {
	const compiling = 1e10 // operations in the second that it takes, about
	if backend == "go" {
		return 0
	}
	more := rounded(runs) - runs
	operations := 6 * float64(config.Steps) * config.ExpectedBatchSize * float64(max(int64(model.Size()), model.ValuesPerExample()))
	if float64(more)*operations > compiling {
		return 0
	}
	return more
}

// rounded returns the least 2^k or 3·2^k that is at least n.
func rounded(n int) int {
	power := 1
	for power < n {
		power *= 2
	}
	if 3*power/4 >= n && power >= 4 {
		return 3 * power / 4
	}
	return power
}
