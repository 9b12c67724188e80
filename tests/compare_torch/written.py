"""The formulas of `benchmarks/formulas` as somebody would write them in PyTorch."""

from __future__ import annotations

import torch
from torch import Tensor


def bicycle(start: Tensor, path: Tensor, gain: Tensor, length: Tensor, *, steps: int, h: float) -> tuple[Tensor, ...]:
    x, y, yaw, v = start.T
    states, cost = [], torch.zeros(len(start), dtype=start.dtype)
    for _ in range(steps):
        far = (x[:, None] - path[:, 0]) ** 2 + (y[:, None] - path[:, 1]) ** 2
        near = torch.exp(-far / 0.2)
        whole = near.sum(1) + 1e-3
        target = [(near * path[:, 0]).sum(1) / whole + 0.5, (near * path[:, 1]).sum(1) / whole]
        turned = torch.clamp(gain[0] * (torch.atan2(target[1] - y, target[0] - x) - yaw), -0.4, 0.4)
        v = v + h * torch.clamp(gain[1] * (gain[2] - v), min=-1)
        yaw = yaw + h * v * torch.tan(turned) / length
        x, y = x + h * v * torch.cos(yaw), y + h * v * torch.sin(yaw)
        states.append(torch.stack([x, y, yaw, v], 1))
        cost = cost + far.amin(1) + 0.1 * turned**2
    return torch.stack(states), cost


def camera(point: Tensor, pose: Tensor, lens: Tensor) -> Tensor:
    turn, move = pose[:, :3], pose[:, 3:]
    angle = torch.sqrt((turn**2).sum(1, keepdim=True) + 1e-12)
    axis = turn / angle
    along = (axis * point).sum(1, keepdim=True) * (1 - torch.cos(angle))
    seen = point * torch.cos(angle) + torch.linalg.cross(axis, point) * torch.sin(angle) + axis * along + move
    u, v = seen[:, 0] / seen[:, 2], seen[:, 1] / seen[:, 2]
    r2 = u**2 + v**2
    radial = 1 + r2 * (lens[4] + r2 * (lens[5] + r2 * lens[8]))
    across = u * radial + 2 * lens[6] * u * v + lens[7] * (r2 + 2 * u**2)
    down = v * radial + lens[6] * (r2 + 2 * v**2) + 2 * lens[7] * u * v
    return torch.stack([lens[0] * across + lens[2], lens[1] * down + lens[3]], 1)


def fisheye(x: Tensor, lens: Tensor, pose: Tensor, seen: Tensor) -> tuple[Tensor, ...]:
    w = 1 / torch.sqrt((pose[:, :3] ** 2).sum(1) + 1)
    a, b, c = (pose[:, :3] * w[:, None]).T
    rows = [
        [1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
        [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)],
        [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)],
    ]
    turn = torch.stack([torch.stack(row, 1) for row in rows], 1)
    at = torch.einsum("vij,nj->nvi", turn, x) + pose[:, 3:]
    flat = at[..., :2] / at[..., 2:]
    r = torch.sqrt((flat**2).sum(2))
    angle = torch.atan(r)
    square = angle**2
    bent = angle * (1 + square * (lens[:, 4] + square * (lens[:, 5] + square * lens[:, 6])))
    err = lens[:, :2] * (bent / r)[..., None] * flat + lens[:, 2:4] - seen
    return err, torch.sqrt((err**2).sum() / (err.shape[0] * err.shape[1]))


def ggx(
    normal: Tensor, view: Tensor, light: Tensor, power: Tensor, base: Tensor, rough: Tensor, metal: Tensor
) -> Tensor:
    def unit(x: Tensor) -> Tensor:
        return x / x.norm(dim=-1, keepdim=True)

    n, v, w = unit(normal), unit(view), unit(light)
    h = unit(w + v[:, None])
    nl = torch.clamp((n[:, None] * w).sum(-1), min=0.0)
    nv = torch.clamp((n * v).sum(-1), min=1e-3)
    nh = torch.clamp((n[:, None] * h).sum(-1), min=0.0)
    vh = torch.clamp((v[:, None] * h).sum(-1), min=0.0)
    a2 = rough[:, None] ** 4
    spread = a2 / (torch.pi * (nh**2 * (a2 - 1) + 1) ** 2)
    smith = (nl + torch.sqrt(a2 + (1 - a2) * nl**2)) * (nv[:, None] + torch.sqrt(a2 + (1 - a2) * nv[:, None] ** 2))
    f0 = (0.04 * (1 - metal[:, None]) + base * metal[:, None])[:, None]
    mirrored = f0 + (1 - f0) * ((1 - vh) ** 5)[..., None]
    diffuse = (1 - mirrored) * (1 - metal[:, None, None]) * base[:, None] / torch.pi
    return ((diffuse + (spread / smith)[..., None] * mirrored) * power * nl[..., None]).sum(1)


def march(
    eye: Tensor, to: Tensor, ball: Tensor, radius: Tensor, blend: Tensor, *, steps: int
) -> tuple[Tensor, ...]:  # fmt: skip
    way = to / to.norm(dim=1, keepdim=True)
    z, distances = torch.zeros(len(eye), dtype=eye.dtype), []
    for _ in range(steps):
        p = eye + z[:, None] * way
        near = torch.sqrt(((p[:, None] - ball) ** 2).sum(2)) - radius
        soft = -blend * torch.log(torch.exp(-near / blend).sum(1))
        bx, bz = (p[:, 0] - 1).abs() - 0.3, (p[:, 2] - 1).abs() - 0.4
        outside = torch.clamp(bx, min=0) ** 2 + torch.clamp(bz, min=0) ** 2
        box = torch.clamp(torch.maximum(bx, bz), max=0) + torch.sqrt(outside + 1e-9)
        distances.append(torch.minimum(torch.minimum(soft, p[:, 1] + 1), box))
        z = z + 0.8 * distances[-1]
    return z, torch.stack(distances, 1), eye + z[:, None] * way


def slerp(p: Tensor, q: Tensor, t: Tensor, v: Tensor) -> tuple[Tensor, ...]:
    a, b = p / p.norm(dim=1, keepdim=True), q / q.norm(dim=1, keepdim=True)
    cosine = (a * b).sum(1)
    b = torch.where((cosine < 0)[:, None], -b, b)
    angle = torch.acos(cosine.abs())
    first, second = torch.sin((1 - t) * angle) / torch.sin(angle), torch.sin(t * angle) / torch.sin(angle)
    z = first[:, None] * a + second[:, None] * b
    r = z / z.norm(dim=1, keepdim=True)
    axis = r[:, 1:]
    twice = 2 * torch.linalg.cross(axis, v)
    return r, v + r[:, :1] * twice + torch.linalg.cross(axis, twice)
