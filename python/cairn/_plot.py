"""Curves of a recording, where matplotlib is installed."""

from . import _cairn


def curves(trace, *names):
    """Curves over time by the names that `cairn plot` knows: energy, penetration, body:NAME.x, joint:NAME.force ...

    trace: a Trace or the path of one. Returns a list of dicts: label, unit, time [s], value. Of more than a thousand frames
    neighbours are joined to their least and largest value; Trace has the arrays of all frames.
    """
    if not isinstance(trace, _cairn.Trace):
        trace = _cairn.Trace(trace)
    return trace._curves([str(name) for name in names or ("energy",)])


def plot(trace, *names, axes=None):
    """Draws curves of a recording with matplotlib; returns its axes, one for each unit.

        cairn.plot("out/trace.cairn", "body:bob.x", "energy")

    axes: matplotlib axes to draw all curves on. Without matplotlib it raises ImportError; `cairn plot` on the command line does
    without.
    """
    drawn = curves(trace, *names)
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("cairn.plot needs matplotlib (package python3-matplotlib); `cairn plot` draws without it") from error
    units = list(dict.fromkeys(curve["unit"] for curve in drawn))
    if axes is None:
        _, grid = pyplot.subplots(len(units), 1, sharex=True, squeeze=False, layout="constrained")
        panels = dict(zip(units, grid[:, 0]))
    else:
        panels = dict.fromkeys(units, axes)
    for curve in drawn:
        panel = panels[curve["unit"]]
        panel.plot(curve["time"], curve["value"], label=curve["label"])
        panel.set_ylabel(f"[{curve['unit'] or '-'}]")
        if curve["logarithmic"] and any(value > 0 for value in curve["value"]):
            panel.set_yscale("log")
        panel.legend()
    list(panels.values())[-1].set_xlabel("t [s]")
    return list(dict.fromkeys(panels.values()))
