// Package game plays the distinguishing games of an audit: a training run with or without
// a canary, many times over, each with one score that says how much it looks like a run
// with it. Package audit turns the scores into a lower bound on ε.
//
// The games run the engine that is used for training (dptune/dpsgd), from the config that
// is priced: what is audited is what runs. Games are replicas: hundreds train as one
// program, half of them with the canary.
//
// [HiddenState] plays against the final model, [HiddenState.RunEach] with several adversaries
// on shared runs, [OneStep] against one step in sight.
//
// The two worlds of a game differ by one example, the canary: neighbors by adding or
// removing one. The adversary sees what the game's comment says.
//
//	config.Steps = 1 // OneStep asks for it
//	play := game.OneStep{Model: model, Background: train, Config: config, Games: 2000}
//	result, err := play.Run(ctx, root)
//	if err != nil { ... }
//	report, err := audit.Bounds(result.Scores, audit.Config{Delta: 1e-5}) // beside the ε of result.Event
//
// [OneRun] puts many canaries into one training: as many scores as canaries, for package onerun. It is
// what can be afforded for a large model.
//
// [Recorded] is no game: it lets audit/record replay the engine, step by step or in one run,
// and test its sensitivities, its sampling and the law of its noise. That sees bugs that
// games miss, such as one weight without noise, and gives no lower bound on ε.
package game
