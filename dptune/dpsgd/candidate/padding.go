package candidate

import "github.com/dplab/dplab/dptune/dpsgd"

// padding returns how many extra runs train with those of a group and are discarded. XLA compiles a
// program for each number of models, and the number of runs of a search is random. With padding
// there are only 12 numbers up to 64: 1, 2, 3, 4, 6, 8, 12, 16 and so on. Padding adds less than
// half of the runs.
//
// It is 0 on the go backend, which compiles nothing, and if the extra runs would take longer than
// compiling.
func padding(runs int, model dpsgd.Model, config dpsgd.Config, backend string) int {
	const compiling = 1e10 // operations in the time of compiling, about a second
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
