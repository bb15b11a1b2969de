package kernel

import (
	"time"
)

// poll is how often it is looked whether processes have ended.
const poll = 20 * time.Millisecond

// EndGroup ends the process group that pid leads and returns when no process of it runs: it asks first, as Ctrl-C in
// a terminal does not for a program that asks back (SIGTERM), and kills what is left after patience.
func EndGroup(pid int, patience time.Duration) {
	terminateGroup(pid)
	for deadline := time.Now().Add(patience); groupRuns(pid) && time.Now().Before(deadline); {
		time.Sleep(poll)
	}
	KillGroup(pid)
}
