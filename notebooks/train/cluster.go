package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/dplab/dplab/notebooks/experiments"
)

// mostTasks is the default limit of tasks on a cluster. Slurm allows 1,001 by default.
const mostTasks = 1000

func (o options) taskCount(job experiments.Job) int {
	if o.tasks > 0 {
		return o.tasks
	}
	return min(job.Shards, mostTasks)
}

// arguments returns the arguments of a worker, without its task.
func (o options) arguments(job experiments.Job) []string {
	args := []string{job.Experiment, "-profile", job.Profile, "-backend", o.backend, "-out", o.out}
	if o.chunk > 0 {
		args = append(args, "-chunk", fmt.Sprint(o.chunk))
	}
	if o.budget > 0 {
		args = append(args, "-budget", o.budget.String())
	}
	return args
}

// jobName returns a name that Slurm and Kubernetes accept.
func jobName(job experiments.Job) string {
	return strings.ReplaceAll(job.Experiment, "/", "-") + "-" + job.Profile
}

func (p program) print(text []byte, err error) error {
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(text)
	return err
}

// slurm is one script that submits itself, first as an array and then as the job that merges. The
// merge runs when the array has ended, with or without success (afterany: afterok never becomes
// true once a task was queued again). A task that ends with 75 puts itself back into the queue, so
// the cluster needs no settings.
var slurm = template.Must(template.New("slurm").Funcs(template.FuncMap{"quote": quote}).Parse(`#!/bin/bash
# Trains {{.Job}}: {{.Job.Shards}} shards in {{.Tasks}} tasks, then merges what is there and says what is missing.
#
#   bash THIS [options of sbatch for the tasks, such as --partition=gpu --time=4:00:00 --cpus-per-task=8]
#
# TRAIN is the program (go build -o train ./notebooks/train), the same path on all machines. Run again, it does what is missing.
set -eu
train=${TRAIN:-$PWD/train}
out={{quote .Out}}
results=${RESULTS:-$PWD/notebooks/results}
case "${DPLAB_STEP:-submit}" in
submit)
	mkdir -p "$out"
	export TRAIN="$train" RESULTS="$results"
	array=$(DPLAB_STEP=work sbatch --parsable --export=ALL --requeue --open-mode=append --job-name={{.Name}} --array=0-{{.Last}} \
		--output="$out/task-%a.log"{{if .GPU}} --gres=gpu:1{{end}} "$@" "$0")
	DPLAB_STEP=merge sbatch --parsable --export=ALL --job-name={{.Name}}-merge --dependency="afterany:${array%%;*}" --output="$out/merge.log" "$0"
	;;
work)
	code=0
	"$train"{{range .Args}} {{quote .}}{{end}} -task "$SLURM_ARRAY_TASK_ID/{{.Tasks}}" || code=$?
	if [ "$code" = 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 10 ]; then
		scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
	fi
	exit "$code"
	;;
merge)
	exec "$train" merge {{quote .Job.Experiment}} -profile {{quote .Job.Profile}} -from "$out" -results "$results"
	;;
esac
`))

// quote returns text as one word for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func slurmScript(job experiments.Job, o options) ([]byte, error) {
	var out bytes.Buffer
	tasks := o.taskCount(job)
	err := slurm.Execute(&out, map[string]any{
		"Job": job, "Name": jobName(job), "Tasks": tasks, "Last": tasks - 1, "Out": o.out, "Args": o.arguments(job), "GPU": strings.Contains(o.backend, "cuda"),
	})
	return out.Bytes(), err
}

// kubernetesJob returns an Indexed Job (batch/v1) as JSON, which kubectl reads like YAML. Each
// index is one task. A task that ends with 75 or loses its node is started again. One that ends
// with another fault fails for good, and the others go on. For a moment there may be two pods of
// one index. They write the same files. A pod asks for what it may use, as quotas require, and
// meets the Pod Security Standard "restricted".
func kubernetesJob(job experiments.Job, o options) ([]byte, error) {
	type object = map[string]any
	tasks := o.taskCount(job)
	args := append(o.arguments(job), "-task", fmt.Sprintf("$(JOB_COMPLETION_INDEX)/%d", tasks))
	container := object{
		"name": "train", "image": o.image, "command": []string{"train"}, "args": args,
		"volumeMounts":    []object{{"name": "shards", "mountPath": o.out}},
		"securityContext": object{"allowPrivilegeEscalation": false, "capabilities": object{"drop": []string{"ALL"}}},
	}
	uses := object{"cpu": "2", "memory": "8Gi"} // Go takes as many threads as the limit of processors
	if strings.Contains(o.backend, "cuda") {
		uses["nvidia.com/gpu"] = "1"
	}
	container["resources"] = object{"requests": uses, "limits": uses}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(object{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": object{"name": jobName(job), "annotations": object{
			"dplab/merge": fmt.Sprintf("go run ./notebooks/train merge %s -profile %s -from shards", job.Experiment, job.Profile),
		}},
		"spec": object{
			"completionMode": "Indexed", "completions": tasks, "parallelism": tasks, "backoffLimitPerIndex": 10,
			"podFailurePolicy": object{"rules": []object{
				{"action": "Ignore", "onPodConditions": []object{{"type": "DisruptionTarget"}}},
				{"action": "Count", "onExitCodes": object{"operator": "In", "values": []int{exitAgain}}},
				{"action": "FailIndex", "onExitCodes": object{"operator": "In", "values": []int{exitFault, exitUsage}}},
			}},
			"template": object{"spec": object{
				"restartPolicy": "Never",
				"securityContext": object{
					"runAsNonRoot": true, "runAsUser": 65532, "fsGroup": 65532, "seccompProfile": object{"type": "RuntimeDefault"},
				},
				"containers": []object{container},
				"volumes":    []object{{"name": "shards", "persistentVolumeClaim": object{"claimName": "dplab-shards"}}},
			}},
		},
	})
	return out.Bytes(), err
}

// merge adds the shards that workers left in a folder to the store, and prints what is missing.
func (p program) merge(job experiments.Job, o options) error {
	records, unusable, err := experiments.Folder{Dir: o.folder, Job: job}.Records()
	if err != nil {
		return err
	}
	for _, fault := range unusable {
		fmt.Fprintf(p.stderr, "not used: %v\n", fault)
	}
	if len(records) == 0 {
		return fmt.Errorf("-from %s: holds no shard of %v that can be used", o.folder, job)
	}
	store := experiments.Store{Dir: o.results, Job: job}
	added, err := store.Add(records...)
	if err != nil {
		return err
	}
	if added.Aside != "" {
		fmt.Fprintf(p.stderr, "the store before was of another version; it is now %s\n", added.Aside)
	}
	fmt.Fprintf(p.stdout, "%s: shards added: %d, present before: %d; it has %d of %d\n", store.Path(), len(added.New), len(added.Kept), added.Done, job.Shards)
	if len(added.Differ) > 0 {
		fmt.Fprintf(p.stdout, "different from the stored ones, which stay: %s\n", ranges(added.Differ))
	}
	if len(added.Missing) > 0 {
		fmt.Fprintf(p.stdout, "missing: %s\n", ranges(added.Missing))
	}
	return nil
}
