"""Reads bodies.csv and contacts.csv with the csv module and the HDF5 file with h5py, as a user would, and
compares them bit for bit: compare_tables.py FOLDER FILE.h5"""
import csv
import struct
import sys

import h5py


def bits(x):
    return struct.pack("<d", float(x))


def rows(name):
    with open(f"{sys.argv[1]}/{name}", newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def check(condition, where):
    if not condition:
        sys.exit(f"differs: {where}")


with h5py.File(sys.argv[2]) as h5:
    names = [name.decode() for name in h5["bodies/name"][:]]
    columns = ["position", "orientation", "velocity", "angular_velocity"]
    table = rows("bodies.csv")
    frames = h5["frames/time"].shape[0]
    check(len(table) == frames * len(names), "number of rows")
    for number, row in enumerate(table):
        frame, body = divmod(number, len(names))
        check(row[2] == names[body] and bits(row[1]) == bits(h5["frames/time"][frame]), row)
        values = [x for column in columns for x in h5["bodies"][column][frame, body]]
        check([bits(x) for x in row[3:]] == [bits(x) for x in values], row)
    table = rows("contacts.csv")
    check(len(table) == h5["contacts/first"][-1] == h5["contacts/gap"].shape[0], "contacts")
    for number, row in enumerate(table):
        c = h5["contacts"]
        check([row[2], row[3]] == [names[c["body_a"][number]], names[c["body_b"][number]]], row)
        values = [*c["point"][number], *c["normal"][number], c["gap"][number], *c["force"][number]]
        check([bits(x) for x in row[5:15]] == [bits(x) for x in values], row)
print(f"equal: {frames} frames of {len(names)} bodies, {len(table)} contacts")
