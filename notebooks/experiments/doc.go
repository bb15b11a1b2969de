// Package experiments holds what takes long: trainings that are cut into independent shards, so that they can
// be stopped and taken up again, spread over machines, and added to later.
//
// An [Experiment] is a value beside the figure that shows it. Run makes one shard, from the config and the
// shard's index alone; Merge makes of the shards that are done what the figure shows:
//
//	var Figure1c = experiments.Experiment[Config, experiments.Floats, Result]{
//		Name: "cebere2024/figure1c", Version: 1, Title: "Figure 1c",
//		Profiles: map[string]Config{"quick": Quick(), "full": Full()},
//		Shards:   func(c Config) int { return c.Repetitions },
//		Run:      func(ctx context.Context, c Config, shard int, env experiments.Env) (experiments.Floats, error) { ... },
//		Merge:    func(c Config, parts []experiments.Part[experiments.Floats]) (Result, error) { ... },
//	}
//	stored, err := Figure1c.Load("full") // what is stored in notebooks/results: stored.Result, stored.Account
//
// The command notebooks/train runs the shards. They come to rest in two places:
//
//   - a [Folder] of shard files, one a shard, written by any number of workers that share nothing else;
//   - a [Store], one packed file for an experiment and a profile in notebooks/results, into which shards are
//     merged as they come. Figures read that.
//
// Both hold shards of one config and version only. A store of another one is put aside under a name of its own,
// never overwritten. A file gets its name when it is whole and on disk.
//
// What is left out on purpose: deciding which machine runs what. Package results, for what takes a minute, keeps whole results.
package experiments
