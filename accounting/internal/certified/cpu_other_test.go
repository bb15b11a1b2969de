//go:build !unix

package certified_test

import "time"

var start = time.Now()

func processorTime() time.Duration { return time.Since(start) }
