#!/usr/bin/env python3
"""An independent reader of SDFormat files, for tests: prints what the scene of each file must have.

    sdf_oracle.py FILE...

The lines are those of urdf_oracle.py. It knows one model a file, whose frames, links and joints may
be placed relative to each other, models in it, and joints of which each link is the child of at
most one.
"""
import sys
import xml.etree.ElementTree as ET

from urdf_oracle import apply, frame, matmul, part, rotation


def transpose(a):
    return [list(row) for row in zip(*a)]


def inverse(T):
    R = transpose(part(T))
    p = [T[i][3] for i in range(3)]
    return frame([-sum(R[i][k] * p[k] for k in range(3)) for i in range(3)], R)


IDENTITY = frame([0, 0, 0], rotation([0, 0, 0]))


def pose_of(e):
    p = e.find("pose")
    if p is None or not (p.text or "").strip():
        return IDENTITY, (p.get("relative_to") if p is not None else None)
    x = [float(v) for v in p.text.split()]
    return frame(x[:3], rotation(x[3:])), p.get("relative_to")


class Model:
    def __init__(self, e, prefix, X_parent):
        self.e, self.prefix, self.X_parent = e, prefix, X_parent
        self.named = {c.get("name"): c for c in e if c.tag in ("link", "joint", "frame", "model")}

    def inner(self, name):
        return Model(self.named[name], self.prefix + name + "::", self.world(name))

    def world(self, name):
        """Pose in the world of whatever NAME is in this model."""
        if name in ("__model__", "", None):
            return self.X_parent
        if "::" in name:
            head, rest = name.split("::", 1)
            return self.inner(head).world(rest)
        e = self.named[name]
        X, base = pose_of(e)
        if base is None and e.tag == "frame":
            base = e.get("attached_to")
        if base is None and e.tag == "joint":
            base = e.findtext("child")
        return matmul(self.world(base), X)

    def link(self, name):
        """Full name of the link that NAME is attached to."""
        if "::" in name:
            head, rest = name.split("::", 1)
            return self.inner(head).link(rest)
        e = self.named[name]
        if e.tag == "link":
            return self.prefix + name
        return self.link(e.findtext("child") if e.tag == "joint" else e.get("attached_to"))

    def all(self):
        yield self
        for name, e in self.named.items():
            if e.tag == "model":
                yield from self.inner(name).all()


def inertia_in_world(e, X):
    """Mass, centre and moments about it in world axes."""
    inertial = e.find("inertial")
    Y, _ = pose_of(inertial)
    mass = float(inertial.findtext("mass"))
    get = lambda key: float(inertial.find("inertia").findtext(key) or 0)
    I = [[get("ixx"), get("ixy"), get("ixz")], [get("ixy"), get("iyy"), get("iyz")], [get("ixz"), get("iyz"), get("izz")]]
    R = part(matmul(X, Y))
    return mass, apply(X, [Y[i][3] for i in range(3)]), matmul(matmul(R, I), transpose(R))


def joined(parts):
    m = sum(p[0] for p in parts)
    c = [sum(p[0] * p[1][i] for p in parts) / m for i in range(3)]
    I = [[0.0] * 3 for _ in range(3)]
    for mass, center, inertia in parts:
        d = [center[i] - c[i] for i in range(3)]
        dd = sum(x * x for x in d)
        for i in range(3):
            for k in range(3):
                I[i][k] += inertia[i][k] + mass * ((dd if i == k else 0) - d[i] * d[k])
    return m, c, I


def read(file):
    print("file", file)
    e = ET.parse(file).getroot().find("model")
    root = Model(e, "", pose_of(e)[0])
    links, joints, host = {}, [], {}
    for model in root.all():
        for name, c in model.named.items():
            if c.tag == "link":
                links[model.prefix + name] = inertia_in_world(c, model.world(name))
    for model in root.all():
        for name, c in model.named.items():
            if c.tag != "joint":
                continue
            parent, child = c.findtext("parent"), model.link(c.findtext("child"))
            parent = "world" if parent == "world" else model.link(parent)
            if c.get("type") == "fixed":
                host[child] = parent
            else:
                joints.append((model, name, c))
    bodies = {}
    for name in links:
        root_name = name
        while root_name in host:
            root_name = host[root_name]
        bodies.setdefault(root_name, []).append(links[name])
    for name, parts in bodies.items():
        if name == "world":
            continue
        m, c, I = joined(parts)
        print("body", name, "-", m, *c, I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2])
    for model, name, c in joints:
        axis = c.find("axis")
        xyz = axis.find("xyz")
        inside = xyz.get("expressed_in")
        R = part(model.world(inside if inside is not None else name))
        v = [float(x) for x in xyz.text.split()]
        n = sum(x * x for x in v) ** 0.5
        v = [sum(R[i][k] * v[k] for k in range(3)) / n for i in range(3)]
        limit = axis.find("limit")
        bounds = ("nan", "nan")
        if c.get("type") != "continuous" and limit is not None and limit.find("lower") is not None:
            bounds = (limit.findtext("lower"), limit.findtext("upper"))
        point = [model.world(name)[i][3] for i in range(3)]
        print("joint", model.prefix + name, c.get("type"), *v, *point, *bounds)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        read(path)
