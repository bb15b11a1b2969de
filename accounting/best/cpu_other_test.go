//go:build !unix

package best_test

import "time"

var start = time.Now()

func processorTime() time.Duration { return time.Since(start) }
