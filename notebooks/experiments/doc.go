// Package experiments holds long trainings. They are cut into independent shards, which can be
// stopped and resumed, spread over machines, and extended later.
//
// An [Experiment] is a value next to the figure that shows it. Run makes one shard, from only the
// config and the shard's index. Merge turns the finished shards into what the figure shows:
//
//	var Figure1c = experiments.Experiment[Config, experiments.Floats, Result]{
//		Name: "cebere2024/figure1c", Version: 1, Title: "Figure 1c",
//		Profiles: map[string]Config{"quick": Quick(), "full": Full()},
//		Shards:   func(c Config) int { return c.Repetitions },
//		Run:      run,   // func(ctx, Config, shard int, experiments.Env) (experiments.Floats, error)
//		Merge:    merge, // func(Config, []experiments.Part[experiments.Floats]) (Result, error)
//	}
//	stored, err := Figure1c.Load("full") // from notebooks/results: stored.Result, stored.Account
//
// The command notebooks/train runs the shards. It puts them into one of two places:
//
//   - A [Folder] has one file for each shard. Any number of workers write into it, and share
//     nothing else.
//   - A [Store] is one packed file for an experiment and a profile, in notebooks/results. Shards
//     are merged into it as they come, and figures read it.
//
// Both hold shards of only one config and version. A store of another one is renamed, never
// overwritten. A file gets its name when it is complete and on disk.
//
// Left out on purpose: deciding which machine runs what. For runs of about a minute use package
// results, which keeps whole results.
//
// It promises nothing to other modules.
package experiments
