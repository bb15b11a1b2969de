"""Writes places.json: layers over places and their like, computed with PyTorch as in make_reference.py.

Run it as `python make_places.py`, with torch 2.15.0 and opacus 1.6.0. No test runs it.
"""

import json
import os
import sys

import numpy
import torch
from torch import nn
from torch.nn import functional

from make_reference import Case, Part, labels, numbers, record, words

EXAMPLES, TOKENS = 8, 11


class PlacesCase(Case):
    """A case whose layers are the children of the network, and whose weights have PyTorch's order."""

    def layout(self, blocks):
        layers = {}
        for path, parameter in self.net.named_parameters():
            layer = layers.setdefault(path.split(".")[0], len(layers))
            yield Part(path, layer, parameter.shape, kind_of(path, parameter))


def kind_of(path, parameter):
    if ".vectors" in path:
        return "vectors"
    if ".norm" in path and path.endswith("weight"):
        return "scale"
    if "positions" in path or parameter.dim() == 1:
        return "bias"
    return "kernel1d" if parameter.dim() == 3 else "dense"


class Kernel1d:
    """Kernels [outputs, inputs, kernel] are stored as [outputs, kernel, 1, inputs]."""

    flat, shaped, initial = Part.flat, Part.shaped, Part.initial

    @staticmethod
    def install():
        def flat(self, value):
            return value.permute(0, 2, 1).reshape(-1) if self.kind == "kernel1d" else Kernel1d.flat(self, value)

        def shaped(self, values):
            if self.kind != "kernel1d":
                return Kernel1d.shaped(self, values)
            outputs, inputs, kernel = self.shape[0], self.shape[3], self.shape[1]
            return values.reshape(outputs, kernel, inputs).permute(0, 2, 1).contiguous()

        def initial(self, u):
            if self.kind == "kernel1d":
                return u * (3 / (self.shape[1] * self.shape[3])) ** 0.5
            return Kernel1d.initial(self, u)

        start = Part.__init__

        def init(self, name, layer, shape, kind, image=None):
            start(self, name, layer, shape, kind, image)
            if kind == "kernel1d":
                self.shape = [shape[0], shape[2], 1, shape[1]]

        Part.__init__, Part.flat, Part.shaped, Part.initial = init, flat, shaped, initial


class Tokens(nn.Module):
    """The embedding, which hands on the mask of padding."""

    def __init__(self, width):
        super().__init__()
        self.vectors = nn.Embedding(TOKENS, width)

    def forward(self, ids):
        present = ids >= 0
        return self.vectors(ids.clamp(min=0)) * present[..., None], present


class Sequence(nn.Sequential):
    """Layers of values and a mask, which is all true for examples of numbers."""

    def forward(self, x):
        present = torch.ones(x.shape[:2], dtype=torch.bool)
        for layer in self:
            if isinstance(layer, Tokens):
                x, present = layer(x)
            elif isinstance(layer, Masked):
                x = layer(x, present)
            else:
                x = layer(x)
            if x.dim() == 3 and x.shape[1] != present.shape[1]:  # other places
                present = torch.ones(x.shape[:2], dtype=torch.bool)
        return x


class Masked(nn.Module):
    pass


class Positions(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.positions = nn.Parameter(torch.zeros(length, width))

    def forward(self, x):
        return x + self.positions[: x.shape[1]]


class Sinusoids(nn.Module):
    def forward(self, x):
        t, k = torch.arange(x.shape[1])[:, None], torch.arange(x.shape[2])
        angle = t * 10000.0 ** (-(k // 2 * 2).double() / x.shape[2])
        return x + torch.where(k % 2 == 0, angle.sin(), angle.cos())


class Attention(Masked):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.attention, self.causal = nn.MultiheadAttention(width, heads, batch_first=True), causal

    def forward(self, x, present):
        mask = torch.triu(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool), 1) if self.causal else None
        return self.attention(x, x, x, key_padding_mask=~present, attn_mask=mask, need_weights=False)[0]


class Skip(Masked):
    """x + block(x)."""

    def __init__(self, *layers):
        super().__init__()
        self.block = nn.ModuleList(layers)

    def forward(self, x, present):
        y = x
        for layer in self.block:
            y = layer(y, present) if isinstance(layer, Masked) else layer(y)
        return x + y


class Norm(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.norm = norm

    def forward(self, x):
        return self.norm(x)


def layer_norm(width):
    return Norm(nn.LayerNorm(width, eps=1e-5))


def rms_norm(width):
    return Norm(nn.RMSNorm(width, eps=1e-5))


class Mean(Masked):
    def forward(self, x, present):
        return (x * present[..., None]).sum(1) / present.sum(1, keepdim=True).clamp(min=1)


class Last(nn.Module):
    def forward(self, x):
        return x[:, -1]


class Recurrent(Masked):
    """PyTorch's cell over the places; padding keeps the state."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x, present):
        lstm = isinstance(self.cell, nn.LSTMCell)
        h = c = torch.zeros(x.shape[0], self.cell.hidden_size)
        out = []
        for t in range(x.shape[1]):
            on = present[:, t, None]
            if lstm:
                h1, c1 = self.cell(x[:, t], (h, c))
                c = torch.where(on, c1, c)
            else:
                h1 = self.cell(x[:, t], h)
            h = torch.where(on, h1, h)
            out.append(h)
        return torch.stack(out, 1)


def cell(kind, inputs, width):
    made = kind(inputs, width)
    order = ["weight_ih", "bias_ih", "weight_hh", "bias_hh"]
    made._parameters = {name: made._parameters[name] for name in order}
    return Recurrent(made)


class Conv1d(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.conv = nn.Conv1d(*sizes)

    def forward(self, x):
        return self.conv(x.transpose(1, 2)).transpose(1, 2)


class LoRA(nn.Module):
    """Hu et al. (2022): W and b are fixed numbers()."""

    def __init__(self, inputs, outputs, rank, scale):
        super().__init__()
        fixed = 0.5 * numbers(700, outputs * (inputs + 1))
        self.w, self.b = fixed[: outputs * inputs].reshape(outputs, inputs), fixed[outputs * inputs :]
        self.inner, self.outer = nn.Linear(inputs, rank, bias=False), nn.Linear(rank, outputs, bias=False)
        self.factor = scale / rank

    def forward(self, x):
        return functional.linear(x, self.w, self.b) + self.factor * self.outer(self.inner(x))


def sequences(places, width):
    return [numbers(1, EXAMPLES * places * width).reshape(EXAMPLES, places, width)]


def texts(length):
    """Lists of tokens that repeat; example i has i last places of padding."""
    ids = torch.from_numpy((words(1, EXAMPLES * length).astype(numpy.int64) * TOKENS) >> 24).reshape(EXAMPLES, length)
    for i in range(1, EXAMPLES):
        ids[i, length - i :] = -1
    return [ids]


def of_numbers(places, width, *layers):
    return PlacesCase(Sequence(*layers), sequences(places, width), labels(EXAMPLES, 3))


def of_tokens(length, *layers):
    return PlacesCase(Sequence(*layers), texts(length), labels(EXAMPLES, 3))


def cases():
    linear, last = nn.Linear, Last
    yield "per place", of_numbers(3, 4, linear(4, 5), nn.GELU(), linear(5, 4), nn.SiLU(), nn.Flatten(), linear(12, 3))
    yield "few wide places", of_numbers(2, 9, linear(9, 40), nn.Tanh(), Mean(), linear(40, 3))
    yield "norms", of_numbers(4, 6, linear(6, 5), layer_norm(5), nn.GELU(), rms_norm(5), Mean(), linear(5, 3))
    yield "positions", of_numbers(4, 6, Positions(7, 6), Sinusoids(), linear(6, 4), nn.SiLU(), last(), linear(4, 3))
    yield "attention", of_numbers(5, 6, linear(6, 8), Attention(8, 2, False), Mean(), linear(8, 3))
    yield "causal attention", of_numbers(5, 6, Attention(6, 3, True), last(), linear(6, 3))
    yield "transformer", of_tokens(9, Tokens(8), Positions(9, 8),
        Skip(layer_norm(8), Attention(8, 2, False)), Skip(layer_norm(8), linear(8, 16), nn.GELU(), linear(16, 8)),
        Skip(layer_norm(8), Attention(8, 4, True)), layer_norm(8), Mean(), linear(8, 3))  # fmt: skip
    yield "gru", of_tokens(9, Tokens(4), cell(nn.GRUCell, 4, 6), last(), linear(6, 3))
    yield "lstm", of_tokens(9, Tokens(4), cell(nn.LSTMCell, 4, 6), last(), linear(6, 3))
    yield "two recurrent layers", of_numbers(6, 3, cell(nn.GRUCell, 3, 5), cell(nn.LSTMCell, 5, 4), Mean(), linear(4, 3))
    yield "convolution of places", of_numbers(9, 4, Conv1d(4, 6, 3, 1, 1), nn.Tanh(), Conv1d(6, 5, 2, 2, 1), nn.Tanh(), Mean(), linear(5, 3))
    yield "low rank", of_numbers(3, 5, LoRA(5, 6, 2, 3.0), nn.Tanh(), nn.Flatten(), LoRA(18, 4, 3, 1.5), nn.Tanh(), linear(4, 3))


def main():
    Kernel1d.install()
    layers = [record(name, case, 1, ("plain", "momentum")) for name, case in cases()]
    source = f"make_places.py, torch {torch.__version__}, float64, per-sample gradients one at a time"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "places.json")
    with open(path, "w") as file:
        file.write("{\n" + f'"source": {json.dumps(source)},\n"layers": [\n')
        file.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in layers) + "\n]}\n")
    print(path, file=sys.stderr)


if __name__ == "__main__":
    main()
