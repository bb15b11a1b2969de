"""Writes network.safetensors and outputs.safetensors: weights of a network, and what it makes of some images, computed with PyTorch.

Run it as `python make_network.py`, with torch 1.13.0 (python3-torch of Debian 12) and safetensors 0.8.0. No test runs it.

The images in outputs.safetensors are [examples, rows, columns, channels]; PyTorch gets them as [examples, channels, rows,
columns]. halves.safetensors has one list of numbers in three types.
"""

import torch
from safetensors.torch import save_file
from torch import nn


class Residual(nn.Module):
    def __init__(self, block, projection):
        super().__init__()
        self.block, self.projection = block, projection

    def forward(self, x):
        return self.block(x) + self.projection(x)


torch.manual_seed(5)
net = nn.Sequential(
    nn.Conv2d(2, 3, (3, 2), stride=(2, 1), padding=(1, 1)),
    nn.ReLU(),
    Residual(nn.Sequential(nn.Conv2d(3, 4, 1), nn.Tanh()), nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, bias=False))),
    nn.GroupNorm(2, 4),
    nn.Flatten(),
    nn.Tanh(),
    nn.Linear(60, 5),
    nn.ReLU(),
    nn.Linear(5, 3),
)
with torch.no_grad():
    for p in net.parameters():
        p.add_(0.05 * torch.randn_like(p))  # so that no scale is 1 and no shift 0
    images = torch.randn(4, 6, 4, 2)
    outputs = net(images.permute(0, 3, 1, 2))
save_file(net.state_dict(), "network.safetensors", metadata={"format": "pt"})
save_file({"images": images, "outputs": outputs.double()}, "outputs.safetensors")

values = torch.tensor([0, -0.0, 1, -1.5, 65504, 6e-8, -6.1e-5, 1 / 3, float("inf"), float("-inf")])
half, brain = values.half(), values.bfloat16()
save_file(
    {"half": half, "half.double": half.double(), "brain": brain, "brain.double": brain.double(), "count": torch.tensor(7)},
    "halves.safetensors",
)
