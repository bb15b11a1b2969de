//go:build !unix

package intersected_test

import "time"

var start = time.Now()

func processorTime() time.Duration { return time.Since(start) }
