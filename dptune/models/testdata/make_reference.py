"""Writes reference.json: what DP-SGD does to the models of this package, computed with PyTorch.

Run it as `python make_reference.py`, with torch 2.15.0 and opacus 1.6.0. No test runs it.

Everything is in float64. Gradients come from autograd on one example at a time, which is slow
and leaves no room for mistakes with batches; the unclipped mean comes from autograd on the
whole batch; for some models Opacus's per-sample gradients must agree with the loop.
Convolutions, pools, normalisations, losses and optimizers are PyTorch's own. Weights, inputs
and given noise come from numbers() below, which reference_test.go has once more.

Vectors are written as digests: their norm, a few coordinates, and products with vectors of
numbers(). Vectors are flat in the order of dpsgd: layer after layer, kernels as [outputs,
rows, columns, inputs], and images before a dense layer as [rows, columns, channels].
"""

import json
import math
import os
import sys

import numpy
import opacus
import torch
from opacus import GradSampleModule
from torch import nn
from torch.nn import functional

torch.set_default_dtype(torch.float64)

STEPS, BATCH = 3, 4  # of training: example i joins the steps t with t = i modulo STEPS


def words(stream, count):
    """The whole numbers below 2^24 of a stream."""
    x = numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(2654435761)
    x += numpy.uint32(stream * 0x9E3779B9 & 0xFFFFFFFF)
    for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13)):
        x ^= x >> numpy.uint32(shift)
        x *= numpy.uint32(factor)
    return (x ^ x >> numpy.uint32(16)) >> numpy.uint32(8)


def numbers(stream, count):
    """Multiples of 2^-23 in [-1, 1), which float32 holds exactly."""
    return torch.from_numpy(words(stream, count).astype(numpy.float64) / 2**23 - 1)


class Part:
    """One tensor of the flat vector: its name in PyTorch, its layer, and its two layouts."""

    def __init__(self, name, layer, shape, kind, image=None):
        self.name, self.layer, self.shape, self.kind, self.image = name, layer, list(shape), kind, image
        if kind == "kernel":
            self.shape = [shape[0], shape[2], shape[3], shape[1]]
        self.size = math.prod(shape)

    def flat(self, value):
        if self.kind == "kernel":
            value = value.permute(0, 2, 3, 1)
        if self.image:
            value = value.reshape(-1, *self.image).permute(0, 2, 3, 1)
        return value.reshape(-1)

    def shaped(self, flat):
        if self.kind == "kernel":
            return flat.reshape(self.shape).permute(0, 3, 1, 2).contiguous()
        if self.image:
            channels, rows, columns = self.image
            return flat.reshape(-1, rows, columns, channels).permute(0, 3, 1, 2).reshape(self.shape).contiguous()
        return flat.reshape(self.shape)

    def initial(self, u):
        if self.kind in ("dense", "kernel"):
            return u * math.sqrt(3 / math.prod(self.shape[1:]))
        if self.kind == "scale":
            return 1 + 0.25 * u
        return u if self.kind == "vectors" else 0.25 * u


class Case:
    """A network with its flat layout, its data and its loss."""

    def __init__(self, net, inputs, labels, loss=functional.cross_entropy, blocks=()):
        self.net, self.inputs, self.labels, self.loss = net, inputs, labels, loss
        self.parts = list(self.layout(blocks))
        self.size = sum(part.size for part in self.parts)

    def layout(self, blocks):
        """blocks are prefixes of names that clipping per layer takes as one layer."""
        image, seen, layers = {}, [], {}
        hooks = [m.register_forward_hook(lambda m, i, o: seen.append((m, i[0].shape))) for m in self.net.modules()]
        self.net(*[x[:1] for x in self.inputs])
        for hook in hooks:
            hook.remove()
        flattened = None
        for module, shape in seen:
            if isinstance(module, nn.Flatten) and len(shape) == 4:
                flattened = tuple(shape[1:])
            elif isinstance(module, nn.Linear):
                image[module], flattened = flattened, None
        for path, module in self.net.named_modules():
            for name, parameter in module.named_parameters(recurse=False):
                block = next((b for b in blocks if path.startswith(b)), path)
                layer = layers.setdefault(block, len(layers))
                kind = {nn.Linear: "dense", nn.Conv2d: "kernel", nn.GroupNorm: "scale", nn.EmbeddingBag: "vectors"}[type(module)]
                kind = "bias" if name == "bias" else kind
                yield Part(f"{path}.{name}", layer, parameter.shape, kind, image.get(module) if kind == "dense" else None)

    def put(self, w):
        pieces = w.split([part.size for part in self.parts])
        state = {part.name: part.shaped(piece) for part, piece in zip(self.parts, pieces)}
        self.net.load_state_dict(state)

    def take(self, values):
        return torch.cat([part.flat(v) for part, v in zip(self.parts, values)])

    def parameters(self):
        by_name = dict(self.net.named_parameters())
        return [by_name[part.name] for part in self.parts]

    def value(self, rows):
        rows = torch.as_tensor(rows)
        return self.loss(self.net(*[x[rows] for x in self.inputs]), self.labels[rows])

    def gradient(self, rows):
        """The gradient of the mean loss."""
        return self.take(torch.autograd.grad(self.value(rows), self.parameters()))

    def gradients(self, rows):
        """Each example's gradient, one after the other."""
        for i in rows:
            yield self.gradient([i])

    def initial(self, stream):
        pieces = numbers(stream, self.size).split([part.size for part in self.parts])
        return torch.cat([part.initial(u) for part, u in zip(self.parts, pieces)])

    def layer_numbers(self):
        return torch.cat([torch.full((part.size,), part.layer) for part in self.parts])


def clipped(case, rule, clip, rows):
    """The sum of clipped gradients: min(1, C/norm), the same in each layer, or AUTO-S times C."""
    total = torch.zeros(case.size)
    count = 1 + case.parts[-1].layer
    of = case.layer_numbers() if rule == "layer" else None
    for g in case.gradients(rows):
        if rule == "flat":
            g = g * min(1.0, clip / g.norm().item())
        elif rule == "automatic":
            g = g * (clip / (g.norm().item() + 0.01))
        elif rule == "layer":
            squares = torch.zeros(count).index_add(0, of, g * g)
            g = g * (clip / math.sqrt(count) / squares.sqrt()).clamp(max=1)[of]
        total += g
    return total


def digest(v):
    at = [(2 * k + 1) * len(v) // 8 for k in range(4)]
    return {
        "norm": v.norm().item(),
        "coordinates": [v[i].item() for i in at],
        "products": [torch.dot(v, numbers(900 + k, len(v))).item() for k in range(3)],
    }


def train(case, start, recipe, clip, replica):
    """STEPS steps of an optimizer of PyTorch, on sums divided by BATCH. Returns how far the weights move."""
    case.put(start)
    weights = case.parameters()
    rate = 0.25 * (replica + 1)
    if recipe == "adam":
        optimizer = torch.optim.AdamW(weights, lr=rate / 16, betas=(0.8, 0.95), weight_decay=0.125)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
        rule = "automatic"
    elif recipe == "momentum":
        optimizer = torch.optim.SGD(weights, lr=rate, momentum=0.75)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS + 1)
        rule = "flat"
    else:
        optimizer = torch.optim.SGD(weights, lr=rate)
        schedule = torch.optim.lr_scheduler.ConstantLR(optimizer, 1)
        rule = "none" if recipe == "plain" else "layer"
    examples = len(case.labels)
    for step in range(STEPS):
        total = clipped(case, rule, clip, range(step, examples, STEPS))
        if recipe == "momentum":  # noise that is given
            total += numbers(500 + 10 * replica + step, case.size) * (clip / math.sqrt(case.size))
        pieces = (total / BATCH).split([part.size for part in case.parts])
        for part, weight, piece in zip(case.parts, weights, pieces):
            weight.grad = part.shaped(piece)
        optimizer.step()
        schedule.step()
    return digest(case.take([w.detach() for w in weights]) - start)


def record(name, case, replicas=1, recipes=(), rules=("flat", "layer", "automatic")):
    rows, out = range(len(case.labels)), []
    for replica in range(replicas):
        start = case.initial(100 + replica)
        case.put(start)
        norms = [g.norm().item() for g in case.gradients(rows)]
        place = len(norms) * (2, 1, 3)[replica] // 4  # half, a quarter, three quarters are not clipped
        clip = round(sum(sorted(norms)[max(place - 1, 0) : place + 1]) / 2, 3)
        assert clip < max(norms) and (place == 0 or min(norms) < clip), (name, clip, norms)
        values = {"norms": norms, "clip": clip, "loss": case.value(rows).item(), "mean": digest(case.gradient(rows))}
        for rule in rules:
            values[rule] = digest(clipped(case, rule, clip, rows))
        for recipe in recipes:
            values["after " + recipe] = train(case, start, recipe, clip, replica)
            case.put(start)
        out.append(values)
    print(name, case.size, "clip", [v["clip"] for v in out], file=sys.stderr)
    return {"name": name, "examples": len(case.labels), "tensors": [part.shape for part in case.parts], "replicas": out}


def confirm(name, case):
    """Opacus's per-sample gradients must be those of the loop."""
    case.put(case.initial(100))
    rows = range(len(case.labels))
    want = torch.stack(list(case.gradients(rows)))
    wrapped = GradSampleModule(case.net, loss_reduction="mean")
    case.loss(wrapped(*case.inputs), case.labels).backward()
    by_name = {n.removeprefix("_module."): p for n, p in wrapped.named_parameters()}
    got = torch.stack([case.take([by_name[part.name].grad_sample[i] for part in case.parts]) for i in rows])
    off = ((got - want).norm() / want.norm()).item()
    print(name, "Opacus is off by", off, file=sys.stderr)
    assert off < 1e-12


def labels(examples, classes):
    return torch.tensor([(i * i + i // 2) % classes for i in range(examples)])


def images(examples, rows, columns, channels):
    x = numbers(1, examples * rows * columns * channels).reshape(examples, rows, columns, channels)
    # A copy whose strides are those of [examples, channels, rows, columns] even for one channel:
    # on others (channels last) Opacus's per-sample gradients of convolutions are wrong, silently.
    return [torch.empty(examples, channels, rows, columns).copy_(x.permute(0, 3, 1, 2))]


def vectors(examples, width):
    return [numbers(1, examples * width).reshape(examples, width)]


class TemperedSigmoid(nn.Module):
    """Papernot et al. (2020), arXiv:2007.14191v1: s / (1 + exp(-T x)) - o, with their s 2, T 2, o 1 changed."""

    def forward(self, x):
        return 1.75 * torch.sigmoid(1.5 * x) - 0.75


def mlp(widths, activation):
    layers = [nn.Linear(widths[0], widths[1])]
    for a, b in zip(widths[1:], widths[2:]):
        layers += [activation(), nn.Linear(a, b)]
    return nn.Sequential(*layers)


def mnist_cnn(activation):
    """Opacus's example: activation, then pool."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 8, 2, padding=3), activation(), nn.MaxPool2d(2, 1),
        nn.Conv2d(16, 32, 4, 2), activation(), nn.MaxPool2d(2, 1),
        nn.Flatten(), nn.Linear(512, 32), activation(), nn.Linear(32, 10),
    )  # fmt: skip


def convnet():
    return nn.Sequential(
        nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip


def all_conv():
    layers = []
    for a, b, stride in ((1, 32, 1), (32, 32, 2), (32, 64, 1), (64, 64, 2), (64, 64, 2)):
        layers += [nn.Conv2d(a, b, 3, stride, padding=1), nn.ReLU()]
    return nn.Sequential(*layers, nn.Conv2d(64, 10, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten())


class Block(nn.Module):
    """He et al. (2016), with group normalisation in groups of 16 channels, or of one."""

    def __init__(self, channels, width, stride, group=16):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, stride, padding=1, bias=False)
        self.norm1 = nn.GroupNorm(width // group, width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = nn.GroupNorm(width // group, width)
        if stride > 1 or channels != width:
            self.conv3 = nn.Conv2d(channels, width, 1, stride, bias=False)
            self.norm3 = nn.GroupNorm(width // group, width)

    def forward(self, x):
        y = functional.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return functional.relu(y + (self.norm3(self.conv3(x)) if hasattr(self, "conv3") else x))


def resnet18():
    layers = [nn.Conv2d(3, 64, 3, padding=1, bias=False), nn.GroupNorm(4, 64), nn.ReLU()]
    channels = 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(channels, width, stride), Block(width, width, 1)]
        channels = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(1), nn.Linear(512, 10))


def resnet_case(examples):
    return Case(resnet18(), images(examples, 32, 32, 3), labels(examples, 10), blocks=[f"{i}." for i in range(3, 11)])


class Texts(nn.Module):
    """Opacus's example for IMDB, but for padding, which does not count here."""

    def __init__(self, vocabulary):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocabulary, 16, mode="mean")
        self.fc1, self.fc2 = nn.Linear(16, 16), nn.Linear(16, 2)

    def forward(self, tokens):
        kept = [row[row >= 0] for row in tokens]
        starts = numpy.cumsum([0] + [len(row) for row in kept])[:-1]
        y = self.embedding(torch.cat(kept), torch.tensor(starts))
        return self.fc2(functional.relu(self.fc1(y)))


def texts(examples, length, vocabulary):
    ids = torch.from_numpy((words(1, examples * length).astype(numpy.int64) * vocabulary) >> 24).reshape(examples, length)
    ids[:, 1::2] %= 97  # so that tokens occur several times
    for i in range(examples):
        ids[i, length - 20 * i :] = -1
    return [ids]


def binary(z, y):
    return functional.binary_cross_entropy_with_logits(z[:, 0], y.double())


def each(z, y):
    odds = functional.binary_cross_entropy_with_logits(z, functional.one_hot(y, z.shape[1]).double(), reduction="none")
    return odds.sum(1).mean()


def hinge(z, y):
    return functional.hinge_embedding_loss(z[:, 0] * (2 * y - 1), torch.full(y.shape, -1))


def squared(z, y):
    return functional.mse_loss(z[:, 0], torch.tensor([-0.5, 0.25, 2.0])[y]) / 2


def small(*layers, rows=9, columns=10, loss=functional.cross_entropy, classes=3, blocks=()):
    """Layers between two convolutions and a dense layer, so that gradients pass through them."""
    body = nn.Sequential(nn.Conv2d(2, 4, 2), nn.Tanh(), *layers, nn.Flatten())
    x = images(8, rows, columns, 2)
    width = body(x[0]).shape[1]
    return Case(nn.Sequential(*body, nn.Linear(width, classes)), x, labels(8, 3), loss, blocks)


def paper_models():
    training = ("plain", "momentum", "adam", "layer")
    mnist = lambda examples=12: (images(examples, 28, 28, 1), labels(examples, 10))
    yield "mlp", Case(mlp([784, 120, 120, 10], nn.Tanh), vectors(12, 784), labels(12, 10)), training
    yield "fcnn", Case(mlp([8, 6, 2], nn.ReLU), vectors(12, 8), labels(12, 2)), training
    yield "mnist-cnn", Case(mnist_cnn(nn.ReLU), *mnist()), training
    yield "mnist-cnn, tempered sigmoid", Case(mnist_cnn(TemperedSigmoid), *mnist()), ()
    yield "convnet", Case(convnet(), images(12, 32, 32, 3), labels(12, 10)), training
    yield "all-conv", Case(all_conv(), *mnist(6)), ("momentum",)
    yield "last-layer", Case(mlp([64, 10], None), vectors(12, 64), labels(12, 10)), training
    yield "imdb", Case(Texts(28996), texts(6, 256, 28996), labels(6, 2)), training


def layer_cases():
    for kernel, stride, padding in (
        ((1, 1), (1, 1), (0, 0)), ((2, 2), (1, 1), (1, 1)), ((3, 3), (1, 1), (1, 1)), ((3, 3), (2, 2), (0, 0)),
        ((4, 4), (2, 2), (1, 1)), ((4, 4), (3, 3), (3, 3)), ((5, 5), (3, 3), (2, 2)), ((2, 3), (1, 2), (1, 0)),
        ((3, 2), (2, 3), (0, 1)), ((2, 2), (3, 3), (0, 0)),
    ):  # fmt: skip
        name = "convolution " + " ".join(f"{a}x{b}" for a, b in (kernel, stride, padding))
        yield name, small(nn.Conv2d(4, 3, kernel, stride, padding), nn.Tanh(), nn.Conv2d(3, 2, 2))
    yield "max-pool 2x2 1x1", small(nn.MaxPool2d(2, 1))
    yield "max-pool 3x2 2x3", small(nn.MaxPool2d((3, 2), (2, 3)))
    yield "average-pool 2x2 1x1", small(nn.AvgPool2d(2, 1))
    yield "average-pool 3x2 2x3", small(nn.AvgPool2d((3, 2), (2, 3)))
    yield "global average-pool", small(nn.AdaptiveAvgPool2d(1))
    for groups in (1, 2, 4):
        yield f"group norm {groups}", small(nn.GroupNorm(groups, 4))
    yield "residual", small(Block(4, 4, 1, 2), Block(4, 6, 2, 3), blocks=("2.", "3."))
    yield "sigmoid", small(nn.Sigmoid())
    yield "tempered sigmoid", small(TemperedSigmoid())
    yield "relu", small(nn.ReLU())


def loss_cases():
    for name, loss, outputs, classes in (
        ("binary cross-entropy", binary, 1, 2), ("binary cross-entropy of each class", each, 3, 3),
        ("hinge", hinge, 1, 2), ("squared error", squared, 1, 3), ("softmax cross-entropy", functional.cross_entropy, 3, 3),
    ):  # fmt: skip
        yield name, Case(mlp([5, 4, outputs], nn.Tanh), vectors(16, 5), labels(16, classes), loss)


def main():
    models = [record(name, case, 3, recipes) for name, case, recipes in paper_models()]
    models.append(record("resnet18", resnet_case(1), rules=("flat",)))
    models.append(record("resnet18 on 3 examples", resnet_case(3), 1, ("momentum",)))
    models.append(record("resnet18 on 16 examples", resnet_case(16), rules=("flat",)))
    layers = [record(name, case) for name, case in layer_cases()]
    losses = [record(name, case, 1, ("plain", "momentum")) for name, case in loss_cases()]
    for name, case, _ in paper_models():
        if name != "imdb":  # whose ragged lists Opacus does not take
            confirm(name, case)
    confirm("resnet18", resnet_case(2))
    for name, case in layer_cases():
        confirm(name, case)
    source = f"make_reference.py, torch {torch.__version__}, float64, per-sample gradients one at a time; opacus {opacus.__version__} agrees"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json")
    with open(path, "w") as file:
        lists = {"models": models, "layers": layers, "losses": losses}
        file.write('{\n"source": ' + json.dumps(source))
        for name, cases in lists.items():
            file.write(f',\n"{name}": [\n' + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]")
        file.write("\n}\n")


if __name__ == "__main__":
    main()
