"""Times the training steps of gpucheck's part variants in JAX, as JSON lines.

  python peers_jax.py                  # the five rows, on the GPU
  python peers_jax.py --divide 64      # 64 times fewer models, for a try on a processor

A private step takes the gradient of each example (vmap of grad), clips it to norm 1, adds noise of
standard deviation 1 and moves the weights. An outer vmap is over the models, and one jitted scan runs
several steps. Products have JAX's highest precision: float32 without TensorFloat-32. The data are on the
device. --check compares the clipped sum without noise with a loop over examples.
"""

import argparse
import functools
import json
import statistics
import sys
import time

try:
    import jax
except ImportError:
    print("peers_jax: no JAX here: python3 -m pip install 'jax[cuda13]'", file=sys.stderr)
    sys.exit(3)
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_default_matmul_precision", "highest")

CLIP, SIGMA, RATE = 1.0, 1.0, 0.1
SHAPES = {"mlp": (784,), "mnist-cnn": (1, 28, 28), "convnet": (3, 32, 32), "fcnn": (8,)}
CLASSES = {"mlp": 10, "mnist-cnn": 10, "convnet": 10, "fcnn": 2}
LAYERS = {  # of the weights: matrices [in, out], or kernels [out, in, rows, columns]
    "mlp": [(784, 120), (120, 120), (120, 10)],
    "mnist-cnn": [(16, 1, 8, 8), (32, 16, 4, 4), (512, 32), (32, 10)],
    "convnet": [(6, 3, 5, 5), (16, 6, 5, 5), (400, 120), (120, 84), (84, 10)],
    "fcnn": [(8, 6), (6, 2)],
}
WEIGHTS = {"mlp": 109930, "mnist-cnn": 26010, "convnet": 62006, "fcnn": 68}
# model, batch, models, whether all use the same batch, whether it is private, steps in one call
ROWS = [
    ("mnist-cnn", 256, 32, False, True, 16),
    ("mlp", 64, 64, False, True, 16),
    ("mlp", 64, 64, False, False, 16),
    ("convnet", 128, 512, True, True, 4),
    ("fcnn", 400, 5000, True, True, 64),
]


def initial(model, key):
    weights = []
    for k, s in zip(jax.random.split(key, len(LAYERS[model])), LAYERS[model]):
        inputs, outputs = (s[0], s[1]) if len(s) == 2 else (s[1] * s[2] * s[3], s[0])
        weights.append((jax.random.uniform(k, s, minval=-1, maxval=1) / inputs**0.5, jnp.zeros(outputs)))
    return weights


def forward(model, weights, x):
    """Returns the logits of examples x [batch, ...]."""
    geometry = {"mnist-cnn": [(2, 3, 2, 1), (2, 0, 2, 1)], "convnet": [(1, 0, 2, 2)] * 2}.get(model, [])
    for (w, b), (stride, pad, size, step) in zip(weights, geometry):
        x = lax.conv_general_dilated(x, w, (stride, stride), [(pad, pad)] * 2, dimension_numbers=("NCHW", "OIHW", "NCHW"))
        x = lax.reduce_window(x + b[:, None, None], -jnp.inf, lax.max, (1, 1, size, size), (1, 1, step, step), "VALID")
        x = jax.nn.relu(x)
    x = x.reshape(x.shape[0], -1)
    dense = weights[len(geometry):]
    activation = jnp.tanh if model == "mlp" else jax.nn.relu
    for i, (w, b) in enumerate(dense):
        x = x @ w + b
        x = activation(x) if i + 1 < len(dense) else x
    return x


def loss(model, weights, x, y):
    logs = jax.nn.log_softmax(forward(model, weights, x))
    return -jnp.take_along_axis(logs, y[:, None], 1).mean()


def clipped_sum(model, weights, x, y):
    """Returns the sum of the clipped gradients of examples."""
    one = lambda w, a, label: loss(model, w, a[None], label[None])
    each = jax.vmap(jax.grad(one), in_axes=(None, 0, 0))(weights, x, y)
    squares = sum(jnp.sum(g.reshape(g.shape[0], -1) ** 2, axis=1) for g in jax.tree.leaves(each))
    factors = jnp.minimum(1.0, CLIP / jnp.sqrt(squares + 1e-12))
    return jax.tree.map(lambda g: jnp.tensordot(factors, g, axes=1), each)


def step(model, private, weights, key, x, y):
    key, own = jax.random.split(key)
    if not private:
        gradient = jax.grad(functools.partial(loss, model))(weights, x, y)
        return jax.tree.map(lambda w, g: w - RATE * g, weights, gradient), key
    total = clipped_sum(model, weights, x, y)
    leaves, tree = jax.tree.flatten(total)
    keys = jax.random.split(own, len(leaves))
    noisy = [g + SIGMA * CLIP * jax.random.normal(k, g.shape) for g, k in zip(leaves, keys)]
    total = jax.tree.unflatten(tree, noisy)
    return jax.tree.map(lambda w, g: w - RATE / x.shape[0] * g, weights, total), key


def data(model, models, batch):
    lead = (batch,) if models == 0 else (models, batch)
    x = jax.random.normal(jax.random.key(1), lead + SHAPES[model])
    return x, jax.random.randint(jax.random.key(2), lead, 0, CLASSES[model])


def measure(model, batch, models, shared, private, steps, seconds):
    weights = jax.vmap(functools.partial(initial, model))(jax.random.split(jax.random.key(0), models))
    assert sum(w.size for w in jax.tree.leaves(weights)) == models * WEIGHTS[model]
    x, y = data(model, 0 if shared else models, batch)
    axes = None if shared else 0
    all_models = jax.vmap(functools.partial(step, model, private), in_axes=(0, 0, axes, axes))

    def run(weights, keys, x, y):
        return lax.scan(lambda s, _: (all_models(*s, x, y), None), (weights, keys), None, length=steps)[0]

    state = weights, jax.random.split(jax.random.key(3), models)
    start = time.perf_counter()
    compiled = jax.jit(run, donate_argnums=(0, 1)).lower(*state, x, y).compile()
    compile_s = time.perf_counter() - start
    times, cpu = [], 0.0
    begin = None
    while begin is None or len(times) < 3 or time.perf_counter() - begin < seconds:
        start, used = time.perf_counter(), time.process_time()
        state = jax.block_until_ready(compiled(*state, x, y))
        if begin is None:  # the first call
            begin = time.perf_counter()
            continue
        times.append((time.perf_counter() - start) / steps)
        cpu += (time.process_time() - used) / steps
    median = statistics.median(times)
    print(json.dumps({
        "system": "jax " + jax.__version__, "model": model, "batch": batch, "replicas": models,
        "mode": "vmap" if private else "nonprivate", "backend": jax.devices()[0].device_kind,
        "ms_per_step_min": round(1e3 * min(times), 4), "ms_per_step_median": round(1e3 * median, 4),
        "cpu_ms_per_step": round(1e3 * cpu / len(times), 4), "compile_s": round(compile_s, 3),
        "model_steps_per_s": round(models / median, 1), "batches": "shared" if shared else "own",
        "steps_per_call": steps, "steps_timed": steps * len(times),
    }), flush=True)


def check():
    for model in SHAPES:
        weights = initial(model, jax.random.key(0))
        x, y = data(model, 0, 8)
        x = 3 * x
        got, total = clipped_sum(model, weights, x, y), None
        for i in range(len(x)):
            g = jax.grad(functools.partial(loss, model))(weights, x[i:i + 1], y[i:i + 1])
            norm = jnp.sqrt(sum(jnp.sum(v**2) for v in jax.tree.leaves(g)))
            g = jax.tree.map(lambda v: v * jnp.minimum(1.0, CLIP / norm), g)
            total = g if total is None else jax.tree.map(jnp.add, total, g)
        worst = max(float(jnp.max(jnp.abs(a - b))) for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(total)))
        print(f"{model}: largest difference {worst:.3g}")
        if worst > 1e-4:
            sys.exit(f"{model}: clipped sums differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--divide", type=int, default=1, help="divide the models and the steps of a call")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.check:
        check()
        return
    failed = 0
    for model, batch, models, shared, private, steps in ROWS:
        try:
            measure(model, batch, max(1, models // args.divide), shared, private, max(1, steps // args.divide), args.seconds)
        except Exception as error:  # a row that needs too much memory must not end the others
            failed += 1
            print(f"peers_jax: {model}, {models} models: {str(error)[:200]}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
