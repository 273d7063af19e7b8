#!/usr/bin/env python3
"""An independent reader of URDF files, for tests: prints what the scene of each file must have.

    urdf_oracle.py FILE...

body NAME mass | centre of mass in the world | six moments of inertia in world axes
joint NAME type | axis in the world | point in the world | lower upper (nan: none)
Links that fixed joints connect are one body, named after the one next to the root. All joints are
at zero, or at the end of their range nearest to it.
"""
import math
import sys
import xml.etree.ElementTree as ET


def matmul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def rotation(rpy):
    r, p, y = rpy
    cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y)
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr]]


def frame(xyz, R):
    return [R[i] + [xyz[i]] for i in range(3)] + [[0, 0, 0, 1]]


def origin(e):
    o = e.find("origin") if e is not None else None
    if o is None:
        return frame([0, 0, 0], rotation([0, 0, 0]))
    xyz = [float(x) for x in o.get("xyz", "0 0 0").split()]
    rpy = [float(x) for x in o.get("rpy", "0 0 0").split()]
    return frame(xyz, rotation(rpy))


def turn(axis, angle):
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    d = 1 - c
    return [[c + x * x * d, x * y * d - z * s, x * z * d + y * s],
            [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
            [z * x * d - y * s, z * y * d + x * s, c + z * z * d]]


def apply(T, p):
    return [sum(T[i][k] * p[k] for k in range(3)) + T[i][3] for i in range(3)]


def part(T):
    return [row[:3] for row in T[:3]]


def limits(joint):
    e = joint.find("limit")
    if joint.get("type") not in ("revolute", "prismatic") or e is None:
        return math.nan, math.nan
    if e.get("lower") is None and e.get("upper") is None:
        return math.nan, math.nan
    values = [float(e.get(k, "0")) for k in ("lower", "upper", "effort", "velocity")]
    return (math.nan, math.nan) if all(v == 0 for v in values) else (values[0], values[1])


def read(file):
    root = ET.parse(file).getroot()
    links = {l.get("name"): l for l in root.findall("link")}
    joints = root.findall("joint")
    children = {j.find("child").get("link") for j in joints}
    roots = [n for n in links if n not in children]
    base = roots[0] if roots else "world"
    world = {base: origin(None)}
    host = {base: base}
    out = []
    open_links = [base]
    while open_links:
        parent = open_links.pop()
        for j in joints:
            if j.find("parent").get("link") != parent:
                continue
            child = j.find("child").get("link")
            T = matmul(world[parent], origin(j))
            kind = j.get("type")
            axis_element = j.find("axis")
            axis = [float(x) for x in (axis_element.get("xyz") if axis_element is not None else "1 0 0").split()]
            n = math.sqrt(sum(a * a for a in axis)) or 1
            axis = [a / n for a in axis]
            lower, upper = limits(j)
            q = 0.0 if math.isnan(lower) else min(max(0.0, lower), upper)
            if kind in ("revolute", "continuous"):
                T = matmul(T, frame([0, 0, 0], turn(axis, q)))
            if kind == "prismatic":
                T = matmul(T, frame([q * a for a in axis], rotation([0, 0, 0])))
            world[child] = T
            host[child] = host[parent] if kind == "fixed" and parent != "world" else child
            if kind in ("revolute", "continuous", "prismatic"):
                w = [sum(T[i][k] * axis[k] for k in range(3)) for i in range(3)]
                out.append(("joint", j.get("name"), kind, w + [T[i][3] for i in range(3)] + [lower - q, upper - q]))
            open_links.append(child)
    bodies = {}
    for name, link in links.items():
        inertial = link.find("inertial")
        if inertial is None:
            continue
        mass = float(inertial.find("mass").get("value"))
        T = matmul(world[name], origin(inertial))
        e = inertial.find("inertia")
        g = lambda k: float(e.get(k, "0"))
        I = [[g("ixx"), g("ixy"), g("ixz")], [g("ixy"), g("iyy"), g("iyz")], [g("ixz"), g("iyz"), g("izz")]]
        R = part(T)
        I = matmul(matmul(R, I), [list(r) for r in zip(*R)])
        bodies.setdefault(host[name], []).append((mass, [T[i][3] for i in range(3)], I))
    for name, parts in bodies.items():
        m = sum(p[0] for p in parts)
        if m == 0:
            continue
        c = [sum(p[0] * p[1][i] for p in parts) / m for i in range(3)]
        I = [[0.0] * 3 for _ in range(3)]
        for pm, pc, pI in parts:
            d = [pc[i] - c[i] for i in range(3)]
            dd = sum(x * x for x in d)
            for i in range(3):
                for k in range(3):
                    I[i][k] += pI[i][k] + pm * ((dd if i == k else 0) - d[i] * d[k])
        out.append(("body", name, "-", [m] + c + [I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]]))
    return out


if __name__ == "__main__":
    for file in sys.argv[1:]:
        print("file", file)
        for kind, name, word, numbers in read(file):
            print(kind, name, word, *(repr(x) for x in numbers))
