package main

// helpText is an error that asks to print itself and succeed.
type helpText string

func (helpText) Error() string { return "help" }

const usage = `dpcost says what a private computation costs.

  dpcost sgd       DP-SGD: Poisson-sampled Gaussian steps
  dpcost gaussian  Gaussian releases
  dpcost tune      the best of a random number of runs (hyper-parameter tuning)

Examples

  dpcost sgd -rate 0.01 -noise 2 -steps 5000 -delta 1e-5
  dpcost sgd -rate 0.01 -steps 5000 -delta 1e-5 -target-epsilon 1
  dpcost gaussian -noise 1 -count 3 -delta 1e-5
  dpcost tune -law tnb -eta 0 -mean 10 -base sgd -rate 0.01 -noise 2 -steps 5000 -delta 1e-5
  dpcost tune -law poisson -mean 10 -base gaussian -noise 2 -delta 1e-5
  dpcost tune -law fixed -count 5 -base gaussian -noise 2 -base-count 3 -delta 1e-5 -json

Flags of every command

  -delta D            δ of the guarantee, in (0, 1), default 1e-5; choose it well below
                      1 / number of examples
  -target-epsilon E   print the least noise multiplier that costs at most E (then no -noise)
  -json               print one JSON object

Flags of sgd, and of tune with -base sgd

  -rate Q             chance that an example joins a step, in (0, 1]; required
  -noise S            noise standard deviation / clipping norm, > 0
  -steps T            number of steps, >= 1; required

Flags of gaussian, and of tune with -base gaussian

  -noise S            noise standard deviation / L2 sensitivity, > 0
  -count N            number of releases, >= 1, default 1 (in tune, -base-count; -count too,
                      unless the law is fixed)

Flags of tune

  -law L              law of the number of runs: tnb (truncated negative binomial), poisson
                      or fixed; required
  -eta H              tnb: shape, > -1, default 0 (logarithmic); 1 is geometric
  -mean M             tnb: mean, > 1; poisson: mean, >= 1
  -gamma G            tnb: instead of -mean, in (0, 1)
  -count K            fixed: number of runs, >= 1
  -base B             what one run is: sgd or gaussian; required
  -base-count N       releases in one gaussian run, >= 1, default 1

Neighbors differ by one added or removed example. ε is in nats. Printed upper bounds are
rounded up, lower bounds down. The exit code is 2 for a wrong command line, 1 for a
question without an answer.
`
