package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/experiments"
)

// Every command of the README is one that the program takes, of an experiment that there is.
func TestCommandsOfREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^(?:go run \./notebooks/)?train(?: ([^|>#\n]*))?`).FindAllStringSubmatch(string(text), -1)
	if len(commands) < 8 {
		t.Errorf("%d commands", len(commands))
	}
	mustBeTaken(t, commands)
}

// So is every command in a notebook.
func TestCommandsOfNotebooks(t *testing.T) {
	notebooks, err := filepath.Glob("../*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var commands [][]string
	for _, name := range notebooks {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		commands = append(commands, regexp.MustCompile("go run \\./notebooks/train([^`]*)`").FindAllStringSubmatch(string(text), -1)...)
	}
	if len(commands) < 3 {
		t.Errorf("%d commands", len(commands))
	}
	mustBeTaken(t, commands)
}

// mustBeTaken wants the command lines, the second string of each command, to be lists, those of jobs
// or those of -all, which has its own jobs.
func mustBeTaken(t *testing.T, commands [][]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, folder := range []string{"shards", "notebooks/results"} { // that it reads
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	xla := regexp.MustCompile(`-backend xla:(cpu|cuda)( |$)`)
	for _, c := range commands {
		line := c[1]
		if !slices.Contains(backends(), "xla:cpu") { // a build without cgo
			line = xla.ReplaceAllString(line, "-backend auto$2")
		}
		o, err := parse(strings.Fields(line))
		if err == nil && o.verb != verbList && !o.all {
			_, err = program{experiments: all}.job(o)
		}
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
		}
	}
}

// Tasks share the shards: each is in one of them, and they differ by one shard at most.
func TestTasksShareShards(t *testing.T) {
	for _, c := range []struct{ shards, tasks int }{{1, 1}, {10, 3}, {100, 40}, {100_000, 1000}, {7, 7}} {
		next, least, most := 0, c.shards, 0
		for i := range c.tasks {
			p := part{first: i, count: c.tasks}.shardsOf(c.shards)
			if p.first != next || p.last < p.first {
				t.Fatalf("task %d of %+v: %v begins at %d, want %d", i, c, p, p.first, next)
			}
			least, most, next = min(least, p.last-p.first+1), max(most, p.last-p.first+1), p.last+1
		}
		if next != c.shards || most > least+1 {
			t.Errorf("%+v: tasks end at %d, with %d to %d shards each", c, next, least, most)
		}
	}
}

// scheduler puts programs that pose as Slurm's into a folder: sbatch runs a script at once, once
// for each task of an array, again where scontrol has put the task back, and notes what it was
// asked for. It ends the program of a task that is blocked.
func scheduler(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for name, text := range map[string]string{
		"sbatch": `#!/bin/bash
bin=$(dirname "$0") array=
echo "$DPLAB_STEP $*" >> "$bin/calls"
while [ $# -gt 1 ]; do case "$1" in --array=*) array=${1#--array=0-};; esac; shift; done
export SLURM_ARRAY_JOB_ID=17
if [ -z "$array" ]; then bash "$1" >> "$bin/log" 2>&1; echo 18; exit; fi
for SLURM_ARRAY_TASK_ID in $(seq 0 "$array"); do
	export SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT=0
	rm -f "$bin/requeue"
	bash "$1" >> "$bin/log" 2>&1 &
	pid=$!
	while [ -e block ] && kill -0 $pid 2> /dev/null; do
		if [ -e blocked ]; then kill -TERM $(cat /proc/$pid/task/$pid/children); wait $pid; rm block; fi
		sleep 0.01
	done
	wait $pid
	while [ -e "$bin/requeue" ]; do
		rm "$bin/requeue"; SLURM_RESTART_COUNT=$((SLURM_RESTART_COUNT+1))
		bash "$1" >> "$bin/log" 2>&1
	done
done
echo 17
`,
		"scontrol": "#!/bin/bash\necho \"scontrol $*\" >> \"$(dirname \"$0\")/calls\"\ntouch \"$(dirname \"$0\")/requeue\"\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// script writes what -slurm prints into the folder.
func script(t *testing.T, dir, line string) string {
	t.Helper()
	c, out := process(t, dir, line)
	if err := c.Run(); err != nil {
		t.Fatalf("train %s: %v: %s", line, err, out)
	}
	path := filepath.Join(dir, "job.sh")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func needBashOnLinux(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS != "linux" {
		t.Skip("needs bash, and Linux's list of a process's children")
	}
}

// The script submits an array and its merge. A task that ends with 75, since it was told to end in
// the middle, goes back into the queue, and the store has all shards in the end. Quotes and spaces
// in a folder's name do no harm.
func TestSlurmScript(t *testing.T) {
	needBashOnLinux(t)
	bin, dir := scheduler(t), t.TempDir()
	path := script(t, dir, "toy2026/count -profile quick -tasks 3 -out it's -budget 1h -slurm")
	if err := os.WriteFile(filepath.Join(dir, "block"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "bash", path, "--partition=short")
	c.Dir, c.Env = dir, []string{asProgram + "=1", "HOME=" + dir, "TRAIN=" + self, "PATH=" + bin + ":" + os.Getenv("PATH")}
	printed, err := c.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(bin, "log"))
	calls, _ := os.ReadFile(filepath.Join(bin, "calls"))
	if err != nil {
		t.Fatalf("%v: %s\n%s\n%s", err, printed, calls, log)
	}
	for _, want := range []string{"work ", "--array=0-2", "--partition=short", "--requeue", "scontrol requeue 17_2", "merge ", "--dependency=afterany:17"} {
		if !strings.Contains(string(calls), want) {
			t.Errorf("calls lack %q:\n%s", want, calls)
		}
	}
	s, err := toy(nil).LoadFrom(os.DirFS(filepath.Join(dir, "notebooks", "results")), "quick")
	if err != nil || s.Result != 190 || s.Account.Done != 4 {
		t.Errorf("%g of %+v, %v, want 190 of 4 shards\n%s\n%s", s.Result, s.Account, err, calls, log)
	}
}

// A script for GPUs asks for them.
func TestSlurmScriptForGPUs(t *testing.T) {
	text, err := slurmScript(jobOf(t), options{backend: "xla:cuda", out: "out"})
	if err != nil || !strings.Contains(string(text), "--gres=gpu:1") || !strings.Contains(string(text), "--array=0-3 ") || !strings.Contains(string(text), "'xla:cuda'") {
		t.Errorf("%v:\n%s", err, text)
	}
}

func jobOf(t *testing.T) experiments.Job {
	t.Helper()
	job, err := toy(nil).Job("quick")
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// manifest holds the fields of batch/v1 that the Job uses, by their names in k8s.io/api v0.34.2,
// with which the manifests were decoded strictly when they were written. The evaluator of
// k8s.io/pod-security-admission v0.34.2 admitted their pods at the level restricted.
type manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		CompletionMode       string `json:"completionMode"`
		Completions          int32  `json:"completions"`
		Parallelism          int32  `json:"parallelism"`
		BackoffLimitPerIndex int32  `json:"backoffLimitPerIndex"`
		PodFailurePolicy     struct {
			Rules []struct {
				Action      string `json:"action"`
				OnExitCodes *struct {
					Operator string  `json:"operator"`
					Values   []int32 `json:"values"`
				} `json:"onExitCodes"`
				OnPodConditions []struct {
					Type string `json:"type"`
				} `json:"onPodConditions"`
			} `json:"rules"`
		} `json:"podFailurePolicy"`
		Template struct {
			Spec podSpec `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// podSpec holds the fields of v1 that pods use.
type podSpec struct {
	RestartPolicy   string `json:"restartPolicy"`
	SecurityContext struct {
		RunAsNonRoot   bool  `json:"runAsNonRoot"`
		RunAsUser      int64 `json:"runAsUser"`
		FSGroup        int64 `json:"fsGroup"`
		SeccompProfile struct {
			Type string `json:"type"`
		} `json:"seccompProfile"`
	} `json:"securityContext"`
	Containers []struct {
		Name         string   `json:"name"`
		Image        string   `json:"image"`
		Command      []string `json:"command"`
		Args         []string `json:"args"`
		VolumeMounts []struct {
			Name      string `json:"name"`
			MountPath string `json:"mountPath"`
		} `json:"volumeMounts"`
		SecurityContext struct {
			AllowPrivilegeEscalation *bool `json:"allowPrivilegeEscalation"`
			Capabilities             struct {
				Drop []string `json:"drop"`
			} `json:"capabilities"`
		} `json:"securityContext"`
		Resources struct {
			Requests map[string]string `json:"requests"`
			Limits   map[string]string `json:"limits"`
		} `json:"resources"`
	} `json:"containers"`
	Volumes []struct {
		Name                  string `json:"name"`
		PersistentVolumeClaim struct {
			ClaimName string `json:"claimName"`
		} `json:"persistentVolumeClaim"`
	} `json:"volumes"`
}

// check reports what of the level restricted a pod lacks (kubernetes.io, Pod Security Standards),
// what it does not ask for, and a mount without its volume.
func (p podSpec) check(t *testing.T) {
	t.Helper()
	s, c := p.SecurityContext, p.Containers[0]
	if !s.RunAsNonRoot || s.RunAsUser == 0 || s.FSGroup == 0 || s.SeccompProfile.Type != "RuntimeDefault" || c.SecurityContext.AllowPrivilegeEscalation == nil ||
		*c.SecurityContext.AllowPrivilegeEscalation || !slices.Equal(c.SecurityContext.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("security %+v, %+v: a restricted namespace refuses it", s, c.SecurityContext)
	}
	for _, what := range []string{"cpu", "memory"} {
		if c.Resources.Requests[what] == "" || c.Resources.Limits[what] != c.Resources.Requests[what] {
			t.Errorf("resources %+v: a quota on %s refuses them", c.Resources, what)
		}
	}
	if c.VolumeMounts[0].Name != p.Volumes[0].Name || c.VolumeMounts[0].MountPath != "/shards" || p.Volumes[0].PersistentVolumeClaim.ClaimName != "dplab-shards" || p.RestartPolicy != "Never" {
		t.Errorf("mounts %+v of volumes %+v, restart %s", c.VolumeMounts, p.Volumes, p.RestartPolicy)
	}
}

// The pod that brings the shards out of the claim reads the same claim as the Job, as the same user.
func TestPodThatReadsShards(t *testing.T) {
	text, err := os.ReadFile("shards.json")
	if err != nil {
		t.Fatal(err)
	}
	var pod struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             podSpec
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&pod); err != nil || pod.APIVersion != "v1" || pod.Kind != "Pod" || pod.Metadata.Name != "dplab-shards" {
		t.Fatalf("%+v, %v", pod, err)
	}
	pod.Spec.check(t)
	text, err = kubernetesJob(jobOf(t), options{out: "/shards", image: "i"})
	var job manifest
	if err = errors.Join(err, json.Unmarshal(text, &job)); err != nil || job.Spec.Template.Spec.SecurityContext != pod.Spec.SecurityContext {
		t.Errorf("the Job's pods are %+v, %v", job.Spec.Template.Spec.SecurityContext, err)
	}
}

// The manifest has no field that the API lacks, and its tasks are command lines that this program
// takes, which together train every shard.
func TestKubernetesJob(t *testing.T) {
	dir := t.TempDir()
	c, out := process(t, dir, "toy2026/count -profile quick -tasks 3 -out /shards -kubernetes example.org/dplab:1")
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var m manifest
	decoder := json.NewDecoder(out)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		t.Fatal(err)
	}
	pod := m.Spec.Template.Spec
	if m.APIVersion != "batch/v1" || m.Kind != "Job" || m.Spec.CompletionMode != "Indexed" || m.Spec.Completions != 3 {
		t.Errorf("%+v: want an Indexed Job of 3", m)
	}
	if !regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`).MatchString(m.Metadata.Name) || len(m.Metadata.Name) > 63 {
		t.Errorf("name %q: must be a DNS label", m.Metadata.Name)
	}
	pod.check(t)
	merge, found := strings.CutPrefix(m.Metadata.Annotations["dplab/merge"], "go run ./notebooks/train ")
	if o, err := parse(strings.Fields(merge)); !found || o.folder != "shards" || !strings.Contains(fmt.Sprint(err), "shards: must be a folder that exists") {
		t.Errorf("annotation %q: folder %q, %v; want a command that lacks nothing but the folder", merge, o.folder, err)
	}
	trained := 0
	for index := range m.Spec.Completions {
		var args []string
		for _, a := range pod.Containers[0].Args {
			args = append(args, strings.ReplaceAll(a, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index)))
		}
		o, err := parse(args)
		if err != nil {
			t.Fatal(err)
		}
		p := o.task.shardsOf(4)
		trained += p.last - p.first + 1
	}
	if trained != 4 {
		t.Errorf("tasks train %d shards, want 4", trained)
	}
	var actions []string
	for _, r := range m.Spec.PodFailurePolicy.Rules {
		actions = append(actions, r.Action)
	}
	if !slices.Equal(actions, []string{"Ignore", "Count", "FailIndex"}) || !slices.Equal(m.Spec.PodFailurePolicy.Rules[1].OnExitCodes.Values, []int32{exitAgain}) {
		t.Errorf("rules %+v", m.Spec.PodFailurePolicy.Rules)
	}
	text, err := kubernetesJob(jobOf(t), options{backend: "xla:cuda", out: "/shards", image: "i"})
	if err != nil || !strings.Contains(string(text), `"nvidia.com/gpu": "1"`) {
		t.Errorf("%v: %s", err, text)
	}
}
