package experiments

import (
	"fmt"
	"sync"

	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// Keep returns the value that make made for the same key in an earlier shard of the same job, in
// this process and with the same Performance. Otherwise it calls make. Use it for values that take
// long to make and serve many shards, such as a trainer, whose programs are compiled at its first
// run:
//
//	trainer, err := experiments.Keep(env, "trainer", func() (*engine.Replicas, error) {
//		return engine.NewReplicas(model, train, plan, env.Performance)
//	})
//	result, err := trainer.RunEach(ctx, roots) // the roots are the shard's own
//
// The value must follow from only the job's config, the Performance and the key. A shard that runs
// must leave nothing in the value that another shard could notice. So a worker that keeps values
// has the same results as one that does not. A value stays until the job ends. An error is not
// kept. Do not call Keep within make.
func Keep[T any](env Env, key string, make func() (T, error)) (T, error) {
	if env.kept == nil {
		return make()
	}
	return keep(env.kept, keptKey{key, env.Performance}, make)
}

// kept are the values of one job. Its zero value is empty.
type kept struct {
	mu     sync.Mutex
	values map[keptKey]any

	telling  sync.Mutex
	progress func(done, total int, detail string) // of the shard that runs
}

type keptKey struct {
	name        string
	performance engine.Performance
}

func keep[T any](k *kept, key keptKey, make func() (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if v, ok := k.values[key]; ok {
		typed, same := v.(T)
		if !same {
			return typed, fmt.Errorf("experiments: Keep %q: holds a %T: must hold values of one type", key.name, v)
		}
		return typed, nil
	}
	v, err := make()
	if err == nil {
		if k.values == nil {
			k.values = map[keptKey]any{}
		}
		k.values[key] = v
	}
	return v, err
}

// in returns env for a shard of the job. A kept value may have been made in an earlier shard, and
// reports to that shard's Env. Its reports then reach the Progress of the shard that runs.
func (k *kept) in(env Env) Env {
	k.telling.Lock()
	k.progress = env.Progress
	k.telling.Unlock()
	env.kept = k
	env.Progress = func(done, total int, detail string) {
		k.telling.Lock()
		progress := k.progress
		k.telling.Unlock()
		if progress != nil {
			progress(done, total, detail)
		}
	}
	return env
}
