package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
)

// profiled runs work and writes its processor profile to a file. With an empty path it writes none.
func profiled(path string, work func() error) error {
	if path == "" {
		return work()
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("-cpuprofile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(fmt.Errorf("-cpuprofile: %w", err), file.Close())
	}
	err = work()
	pprof.StopCPUProfile()
	return errors.Join(err, file.Close())
}
