"""Times a training step of the larger models of dpbench in PyTorch or Opacus, as one JSON line.

  python peers.py --model encoder --mode ghost
  python peers.py --model gru --mode hooks --check

It needs torch and opacus (measured: torch 2.15, opacus 1.6). The models have as many weights as
those of dpbench, in layers that Opacus accepts. Modes:

  nonprivate  PyTorch: forward, backward, SGD step
  hooks       Opacus, gradients of each example by hooks (its default)
  ghost       Opacus, fast gradient clipping: two backward passes

A private step clips to norm 1, adds noise of standard deviation 1 and moves the weights. The batch is
in memory. --check compares the clipped sum without noise with a loop over examples.
"""

import argparse
import json
import math
import resource
import statistics
import time
import warnings

warnings.filterwarnings("ignore")

import torch
from torch import nn

CLIP, SIGMA, RATE = 1.0, 1.0, 0.1
MODELS = {  # shape of an example, batch, weights
    "encoder": ((64, 64), 64, 802954),
    "gru": ((64, 32), 128, 19466),
    "wrn-16-4": ((3, 32, 32), 64, 2748890),
    "tokens": ((8, 8), 144, 17770),
}


class Attention(nn.Module):
    """Self-attention; Opacus has rules for its layers."""

    def __init__(self, width, heads):
        super().__init__()
        self.qkv, self.out, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        y = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.out(y.transpose(1, 2).reshape(b, t, w))


class Block(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self, tokens, features, width, heads, hidden, blocks):
        super().__init__()
        self.embed = nn.Linear(features, width)
        angle = torch.arange(tokens)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
        self.places = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
        self.blocks = nn.Sequential(*(Block(width, heads, hidden) for _ in range(blocks)))
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, x):
        return self.out(self.norm(self.blocks(self.embed(x) + self.places)).mean(1))


class Recurrent(nn.Module):
    def __init__(self, inputs, width, private):
        super().__init__()
        if private:
            from opacus.layers import DPGRU

            self.gru = DPGRU(inputs, width, batch_first=True)
        else:
            self.gru = nn.GRU(inputs, width, batch_first=True)
        self.out = nn.Linear(width, 10)

    def forward(self, x):
        return self.out(self.gru(x)[0].mean(1))


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.block = nn.Sequential(
            nn.GroupNorm(16, inputs), nn.ReLU(), nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.GroupNorm(16, outputs), nn.ReLU(), nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False))
        self.skip = nn.Identity() if inputs == outputs else nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        return self.block(x) + self.skip(x)


def build(name, private):
    if name == "encoder":
        return Transformer(64, 64, 128, 4, 512, 4)
    if name == "tokens":
        return Transformer(8, 8, 32, 4, 64, 2)
    if name == "gru":
        return Recurrent(32, 64, private)
    layers, channels = [nn.Conv2d(3, 16, 3, 1, 1, bias=False)], 16
    for stage, width in enumerate((64, 128, 256)):
        for block in range(2):
            layers.append(Residual(channels, width, 2 if stage > 0 and block == 0 else 1))
            channels = width
    return nn.Sequential(*layers, nn.GroupNorm(16, channels), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))


def trainer(name, mode, x, y, sigma, rate):
    """Returns the network, and a function that makes one step."""
    torch.manual_seed(0)
    net, loss = build(name, mode != "nonprivate"), nn.CrossEntropyLoss()
    assert sum(p.numel() for p in net.parameters()) == MODELS[name][2]
    sgd = torch.optim.SGD(net.parameters(), lr=rate)
    if mode != "nonprivate":
        from opacus import PrivacyEngine
        from torch.utils.data import DataLoader, TensorDataset

        count = 20 * len(x)
        out = PrivacyEngine().make_private(
            module=net, optimizer=sgd, criterion=loss, noise_multiplier=sigma, max_grad_norm=CLIP, grad_sample_mode=mode,
            data_loader=DataLoader(TensorDataset(torch.zeros(count, 1), torch.zeros(count)), batch_size=len(x)))
        net, sgd = out[0], out[1]
        loss = out[2] if len(out) == 4 else loss

    def step():
        sgd.zero_grad(set_to_none=True)
        loss(net(x), y).backward()
        sgd.step()

    return net, step


def check(name, mode):
    """Returns the largest difference between the clipped mean and a loop over examples."""
    torch.manual_seed(1)
    x, y = 3 * torch.randn(4, *MODELS[name][0]), torch.randint(10, (4,))
    net, step = trainer(name, mode, x, y, 0.0, 0.0)
    step()
    got = [p.grad for p in net.parameters()]
    torch.manual_seed(0)
    ref, total = build(name, True), None
    for i in range(len(x)):
        ref.zero_grad()
        nn.functional.cross_entropy(ref(x[i:i + 1]), y[i:i + 1]).backward()
        g = [p.grad.clone() for p in ref.parameters()]
        factor = min(1.0, CLIP / (math.sqrt(sum(v.square().sum().item() for v in g)) + 1e-6))
        total = [factor * v for v in g] if total is None else [a + factor * v for a, v in zip(total, g)]
    return max((a - b / len(x)).abs().max().item() for a, b in zip(got, total))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--model", choices=MODELS, required=True)
    ap.add_argument("--mode", choices=["nonprivate", "hooks", "ghost"], required=True)
    ap.add_argument("--batch", type=int)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--seconds", type=float, default=8, help="at least 3 steps")
    ap.add_argument("--check", action="store_true")
    args = ap.parse_args()
    torch.set_num_threads(args.threads)
    if args.check:
        print(f"{args.model} {args.mode}: {check(args.model, args.mode):.3g}")
        return
    shape, batch, weights = MODELS[args.model]
    batch = args.batch or batch
    x, y = torch.randn(batch, *shape), torch.randint(10, (batch,))
    _, step = trainer(args.model, args.mode, x, y, SIGMA, RATE)
    start = time.perf_counter()
    step()
    first = time.perf_counter() - start
    times, begin, cpu = [], time.perf_counter(), time.process_time()
    while len(times) < 3 or time.perf_counter() - begin < args.seconds:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    cpu = (time.process_time() - cpu) / len(times)
    print(json.dumps({
        "system": "torch" if args.mode == "nonprivate" else "opacus", "model": args.model, "batch": batch, "replicas": 1, "mode": args.mode,
        "ms_per_step_min": round(1e3 * min(times), 3), "ms_per_step_median": round(1e3 * statistics.median(times), 3),
        "cpu_ms_per_step": round(1e3 * cpu, 3), "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "params": weights, "first_step_s": round(first, 3), "steps_timed": len(times), "threads": args.threads, "torch": torch.__version__,
    }))


main()
