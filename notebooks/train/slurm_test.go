package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"

	"github.com/dplab/dplab/notebooks/experiments"
)

// cluster is a Slurm of three nodes with one CPU each, all on this machine, with all that it writes
// in one folder.
type cluster struct {
	Dir, User, Host string
	Ports           []int // of the controller and of the nodes
}

// Without cgroups and systemd; a requeued task waits until its credential has expired, 120 s unless
// told otherwise.
var slurmConf = template.Must(template.New("slurm.conf").Parse(`ClusterName=test
SlurmctldHost={{.Host}}(127.0.0.1)
SlurmctldPort={{index .Ports 0}}
SlurmUser={{.User}}
SlurmdUser={{.User}}
AuthType=auth/munge
AuthInfo=socket={{.Dir}}/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1
MpiDefault=none
ReturnToService=2
JobRequeue=1
StateSaveLocation={{.Dir}}/state
SlurmctldPidFile={{.Dir}}/slurmctld.pid
SlurmdPidFile={{.Dir}}/%n.pid
SlurmdSpoolDir={{.Dir}}/%n
{{range $i, $port := .Ports}}{{if $i}}NodeName=n{{$i}} NodeHostname={{$.Host}} NodeAddr=127.0.0.1 Port={{$port}} CPUs=1
{{end}}{{end}}PartitionName=all Nodes=ALL Default=YES
`))

// needSlurm skips where one of Slurm's programs is not installed.
func needSlurm(t *testing.T) {
	t.Helper()
	needBashOnLinux(t)
	var missing []string
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "sinfo", "squeue", "scontrol", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		t.Skipf("needs Slurm: not in PATH: %s (Debian: slurmctld slurmd slurm-client munge)", strings.Join(missing, ", "))
	}
}

// startCluster starts Slurm until the test ends. It sets SLURM_CONF and reads nothing below /etc.
func startCluster(t *testing.T) {
	t.Helper()
	c := cluster{Dir: t.TempDir()}
	self, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	c.User = self.Username
	if c.Host, err = os.Hostname(); err != nil {
		t.Fatal(err)
	}
	c.Ports = freePorts(t, 4)
	var conf bytes.Buffer
	if err := slurmConf.Execute(&conf, c); err != nil {
		t.Fatal(err)
	}
	key := make([]byte, 128)
	_, _ = rand.Read(key) // never fails
	for name, content := range map[string][]byte{"slurm.conf": conf.Bytes(), "munge.key": key} {
		if err := os.WriteFile(filepath.Join(c.Dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SLURM_CONF", filepath.Join(c.Dir, "slurm.conf"))
	c.start(t, "munged", "--foreground", "--force", "--key-file="+c.Dir+"/munge.key", "--socket="+c.Dir+"/munge.socket",
		"--pid-file="+c.Dir+"/munged.pid", "--seed-file="+c.Dir+"/munged.seed", "--log-file="+c.Dir+"/munged.log")
	waitFor(t, func() bool { _, err := os.Stat(c.Dir + "/munge.socket"); return err == nil })
	c.start(t, "slurmctld", "-D")
	for i := range c.Ports[1:] {
		c.start(t, "slurmd", "-D", "-N", fmt.Sprintf("n%d", i+1))
	}
	waitFor(t, func() bool {
		out, err := exec.Command("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").Output()
		return err == nil && len(strings.Fields(string(out))) == 3
	})
	t.Cleanup(func() { _ = exec.Command("scancel", "--full", "--user="+c.User).Run() }) // nothing is left, unless the test failed
}

// start runs a daemon until the test ends, and shows its output if the test failed.
func (c cluster) start(t *testing.T, name string, args ...string) {
	t.Helper()
	var log bytes.Buffer
	ctx, stop := context.WithCancel(context.Background())
	daemon := exec.CommandContext(ctx, name, args...)
	daemon.Stdout, daemon.Stderr, daemon.Dir, daemon.WaitDelay = &log, &log, c.Dir, 10*time.Second
	daemon.Cancel = func() error { return daemon.Process.Signal(syscall.SIGTERM) }
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = daemon.Wait() // it was told to end
		if t.Failed() {
			t.Logf("%s %s:\n%s", name, strings.Join(args, " "), &log)
		}
	})
}

func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// answers returns what one of Slurm's commands prints.
func answers(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// On a real Slurm, a task that is interrupted in the middle, or loses its node, is run again, and
// the merged result is one run's.
func TestOnSlurm(t *testing.T) {
	needSlurm(t)
	startCluster(t)
	t.Run("interrupted", func(t *testing.T) {
		trainOnSlurm(t, func(t *testing.T, worker int, _ string) {
			process, err := os.FindProcess(worker)
			if err != nil {
				t.Fatal(err)
			}
			if err := process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("node lost", func(t *testing.T) {
		trainOnSlurm(t, func(t *testing.T, _ int, node string) {
			answers(t, "scontrol", "update", "NodeName="+node, "State=DOWN", "Reason=test")
		})
	})
}

// trainOnSlurm disturbs the task that holds shard 2 while it is in it.
func trainOnSlurm(t *testing.T, disturb func(t *testing.T, worker int, node string)) {
	dir := t.TempDir()
	path := script(t, dir, "toy2026/count -profile quick -tasks 3 -out it's -budget 1h -slurm")
	block := filepath.Join(dir, "block")
	if err := os.WriteFile(block, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "bash", path)
	c.Dir, c.Env = dir, append(os.Environ(), asProgram+"=1", "TRAIN="+self)
	printed, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	worker := 0
	waitFor(t, func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "blocked"))
		n, _ := fmt.Sscan(string(text), &worker)
		return err == nil && n == 1
	})
	disturb(t, worker, nodeOf(t, "2"))
	waitFor(t, func() bool { // no process, or one that has ended
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", worker))
		return err != nil || len(line) == 0
	})
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return answers(t, "squeue", "-h") == "" })
	jobs := answers(t, "scontrol", "show", "job", "-o")
	again := slices.DeleteFunc(strings.Split(jobs, "\n"), func(job string) bool {
		return !strings.Contains(job, "WorkDir="+dir+" ") || !strings.Contains(job, " Restarts=1 ")
	})
	if len(again) != 1 || !strings.Contains(again[0], " ArrayTaskId=2 ") {
		t.Errorf("run again: %q, want task 2 alone of\n%s", again, jobs)
	}
	s, err := toy(nil).LoadFrom(os.DirFS(filepath.Join(dir, "notebooks", "results")), "quick")
	one, fault := toy(nil).Compute(t.Context(), "quick", experiments.Env{})
	if err != nil || fault != nil || s.Result != one.Result || s.Account.Done != 4 {
		t.Errorf("%g of %+v, %v, want %g of 4 shards, %v\n%s", s.Result, s.Account, err, one.Result, fault, jobs)
	}
}

// nodeOf names the node that a task of the array runs on.
func nodeOf(t *testing.T, task string) string {
	t.Helper()
	for line := range strings.Lines(answers(t, "squeue", "-h", "-t", "R", "-o", "%K %N")) {
		if index, node, _ := strings.Cut(strings.TrimSpace(line), " "); index == task {
			return node
		}
	}
	t.Fatalf("task %s does not run", task)
	return ""
}
