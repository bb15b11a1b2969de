// Package game plays the distinguishing games of an audit: a training run with or without a canary,
// many times over. Each run has one score, which grows with the evidence for the canary. Package
// audit turns the scores into a lower bound on ε.
//
// The games run the training engine itself (dptune/dpsgd), from the config that is priced. What is
// audited is what runs. Games are replicas: hundreds train as one program, half of them with the
// canary.
//
// [HiddenState] plays against the final model, by the adversaries here or by your own [Adversary].
// [HiddenState.RunEach] plays several adversaries on shared runs. [OneStep] plays against one step
// in sight, [EveryStep] against all steps of a run.
//
// [Worlds] plays games of any mechanism that you write, without the engine.
//
// The two worlds of a game differ by one example, the canary: neighbors by adding or removing one.
// The comment of each game describes what the adversary sees.
//
//	config.Steps = 1 // OneStep asks for it
//	play := game.OneStep{Model: model, Background: train, Config: config, Games: 2000}
//	result, err := play.Run(ctx, root)
//	if err != nil { ... }
//	report, err := audit.Bounds(result.Scores, audit.Config{Delta: 1e-5})
//	// compare with the ε of result.Event
//
// [OneRun] puts many canaries into one training. It returns as many scores as canaries, for package
// onerun. Use it for a model that is too large for many games.
//
// [Shadows] trains models on random halves of real examples. LiRA and RMIA attack their data.
//
// [Recorded] is not a game. It lets audit/record replay the engine, step by step or in one run, and
// test its sensitivities, its sampling and the law of its noise. That finds bugs that games miss,
// such as one weight without noise, and gives no lower bound on ε.
//
// It promises nothing to other modules.
package game
