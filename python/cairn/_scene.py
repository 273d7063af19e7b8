"""Scenes from files, texts and dicts; options by keyword."""

import json
import math
import os
import pathlib
import site
import sys

import numpy as np

from . import _cairn
from ._errors import Error

Scene = _cairn.Scene
_MOST_LEVELS = 60


def _plain(value, path, depth=0):
    """The value as JSON knows it, arrays and NumPy numbers included."""
    if depth > _MOST_LEVELS:
        raise Error(f"{path[:60]}...: nested too deeply; allowed at most {_MOST_LEVELS} levels", field=path[:60],
                    what="nested too deeply", code="too_deep", kind="limit")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Error(f"{path}: the number is not finite, got {value}", field=path, what="the number is not finite",
                        value=str(value), code="not_finite")
        return value
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise Error(f"{path}: keys are strings, got {key!r}", field=path, what="keys are strings",
                            value=repr(key), code="wrong_type")
        return {key: _plain(item, f"{path}.{key}" if path else key, depth + 1) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufUO":
            raise Error(f"{path}: an array of dtype {value.dtype} has no meaning here", field=path,
                        what="array of this dtype has no meaning here", value=str(value.dtype), code="wrong_type")
        value = value.tolist()
        if not isinstance(value, list):
            return _plain(value, path, depth + 1)
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(value)]
    raise Error(f"{path}: expected a number, a string, a list or a dict, got {type(value).__name__}", field=path,
                what="expected a number, a string, a list or a dict", value=type(value).__name__, code="wrong_type")


def _text(value, what):
    if not isinstance(value, dict):
        raise TypeError(f"{what}: expected a dict, got {type(value).__name__}")
    try:
        return json.dumps(_plain(value, ""), ensure_ascii=False)
    except (ValueError, UnicodeError) as error:
        if isinstance(error, Error):
            raise
        raise Error(f"{what}: {error}", what=str(error), code="syntax") from None


def _path(path):
    """A path as text. Others than str are what os.fspath takes."""
    text = os.fsdecode(path)
    if "\0" in text:
        raise ValueError("a path cannot hold a null character")
    try:
        text.encode()
    except UnicodeError:
        raise ValueError("a path must be valid Unicode") from None
    return text


def _installed():
    """Paths of the installed scenes by name: those of the wheel, of the Debian package, of install.sh."""
    files = {}
    roots = dict.fromkeys([sys.prefix, site.getuserbase(), "/usr/local", "/usr"])
    for root in roots:
        for file in sorted(pathlib.Path(root, "share", "cairn", "scenes").glob("*.json")):
            files.setdefault(file.stem, str(file))
    return files


def scenes():
    """Names of the installed scenes: Scene.load and Simulator take them in place of a path."""
    return sorted(_installed())


def _found(path):
    """The path, or that of an installed scene where no such file exists and the path is a bare name."""
    if os.path.dirname(path) or os.path.exists(path):
        return path
    name = path.removesuffix(".json")
    installed = _installed()
    if name in installed:
        return installed[name]
    hint = _cairn.did_you_mean(name, sorted(installed))
    raise Error(f"{path}: there is no such file and no installed scene of this name; "
                f"{hint or 'cairn.scenes() lists the installed ones'}", file=path, what="no such file or installed scene",
                value=path, remedy=hint or "cairn.scenes() lists the installed ones", code="not_found", kind="input")


def _assignments(changes):
    if changes is None:
        return []
    if isinstance(changes, dict):
        return [f"{key}={value if isinstance(value, str) else json.dumps(_plain(value, str(key)))}"
                for key, value in changes.items()]
    if isinstance(changes, str):
        raise TypeError("set: expected a dict or a list of 'path=value', got a str")
    return [str(change) for change in changes]


def _folders(allow_path):
    """Folders of `allow_path`, which is one or a list of them."""
    if isinstance(allow_path, (str, bytes, os.PathLike)):
        allow_path = [allow_path]
    folders = [_path(folder) for folder in allow_path]
    if "" in folders:
        raise ValueError("allow_path: expected the name of a folder, got an empty one")
    return folders


def _cache():
    """Where convex parts of meshes are kept, as the command line does: $CAIRN_CACHE, "off" or a folder."""
    given = os.environ.get("CAIRN_CACHE")
    if given is not None:
        return "" if given == "off" else given
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME") and os.path.join(os.environ["HOME"], ".cache"))
    return os.path.join(base, "cairn") if base else ""


def load(path, set=None, *, allow_path=(), base=None, packages=None, floor=None, friction=None, balance_inertia=None,
         bound_mass=None, bound_inertia=None, keyframe=None):
    """Reads a scene file, or the installed scene of a name such as "cannonball66" where no such file exists.

    set: changes before it is read, as `cairn run --set` takes them: {"simulation.step": 0.01} or ["simulation.step=0.01"].
    allow_path: a folder or a list of them in which the scene may name mesh files, beside its own folder. The others are for
    URDF and MJCF files (docs/import.md): base, "file", "free" or "fixed"; packages, a dict of the folders of ROS packages; floor, the
    height of one that is added [m]; friction of what the file gives none; balance_inertia, True repairs impossible moments of
    inertia; bound_mass [kg], bound_inertia [kg m^2], the least of bodies that move; keyframe of an MJCF file to start from.
    Raises cairn.Error with file, line and field of what is wrong.
    """
    imports = {"base": base, "packages": packages, "floor": floor, "friction": friction, "balance_inertia": balance_inertia,
               "bound_mass": bound_mass, "bound_inertia": bound_inertia, "keyframe": keyframe}
    if packages is not None:
        if not isinstance(packages, dict):
            raise TypeError(f"packages: expected a dict of names and folders, got {type(packages).__name__}")
        imports["packages"] = {str(name): _path(folder) for name, folder in packages.items()}
    given = {key: value for key, value in imports.items() if value is not None}
    return Scene._load(_found(_path(path)), _assignments(set), _folders(allow_path), _cache(), given)


def from_json(text, name="<text>", set=None, *, allow_path=()):
    """Reads a scene from a text; `name` stands for the file in errors, and its folder holds the mesh files."""
    if not isinstance(text, str):
        raise TypeError(f"from_json: expected a str, got {type(text).__name__}")
    return Scene._parse(text, name, _assignments(set), True, _folders(allow_path), _cache())


def from_dict(scene, name="<dict>", *, allow_path=()):
    """Builds a scene from a dict of the scene format (docs/scene-format.md). Arrays and NumPy numbers are welcome.

    Mesh files are found from the working folder, or from that of the file `name`; allow_path: as of load. Errors have the field
    that is wrong, such as bodies[1].mass, and no line.
    """
    return Scene._parse(_text(scene, "from_dict"), name, [], False, _folders(allow_path), _cache())


def to_dict(self):
    """The scene as a dict, with all options and generators written out."""
    return json.loads(self.to_json())


def simulation(self):
    """How the scene is simulated: scheme, solver, verdict, step, duration and so on, with all options. A copy."""
    return to_dict(self)["simulation"]


def options(kind=None):
    """All options with default, range, unit and meaning: options()["scheme"]["euler"]["gamma"]."""
    tables = _cairn.option_tables()
    if kind is None:
        return tables
    if kind not in tables:
        raise _unknown("kind", str(kind), tables)
    return tables[kind]


def _unknown(what, name, known):
    known = sorted(known)
    hint = _cairn.did_you_mean(name, known)
    if what == "option" and name in _OTHER_WORDS:
        hint = f"did you mean '{_OTHER_WORDS[name]}'?"
    allowed = ", ".join(known)
    return Error(f"unknown {what} '{name}'; {hint or 'allowed: ' + allowed}", field=name, what=f"unknown {what}", value=name,
                 allowed=allowed, remedy=hint, code="unknown_key", kind="usage")


def _chosen(given, now, what, types):
    """The object of a scheme or solver: a name, a dict with "type", or a dict of options for the one at hand."""
    if given is None:
        return dict(now)
    if isinstance(given, str):
        given = {"type": given}
    if not isinstance(given, dict):
        raise TypeError(f"{what}: expected a name or a dict, got {type(given).__name__}")
    kind = given.get("type", now["type"])
    if kind not in types:
        raise _unknown(what, str(kind), types)
    return {**now, **given} if kind == now["type"] and isinstance(given, dict) else dict(given)


def with_options(self, *, step=None, duration=None, scheme=None, solver=None, verdict=None, forces=None, record=None,
                 **others):
    """The same scene simulated in another way.

    step, duration: [s]. scheme, solver: a name such as "trapezoidal", or a dict of options with or without "type". verdict,
    forces, record: dicts of options. Every option of the scheme, of the solver and of the verdict can also be given by its own
    name: with_options(gamma=0.5, tolerance=1e-10). cairn.options() lists them.
    """
    if not (others or any(x is not None for x in (step, duration, scheme, solver, verdict, forces, record))):
        return self
    tables = options()
    now = simulation(self)
    now["scheme"] = _chosen(scheme, now["scheme"], "scheme", tables["scheme"])
    now["solver"] = _chosen(solver, now["solver"], "solver", tables["solver"])
    for name, given in (("verdict", verdict), ("forces", forces), ("record", record)):
        if given is not None:
            if not isinstance(given, dict):
                raise TypeError(f"{name}: expected a dict, got {type(given).__name__}")
            now[name] = {**now[name], **given}
    if step is not None:
        now["step"] = step
    if duration is not None:
        now["duration"] = duration
    places = {"scheme": tables["scheme"][now["scheme"]["type"]], "solver": tables["solver"][now["solver"]["type"]],
              "verdict": tables["verdict"]}
    for name, value in others.items():
        found = [place for place, table in places.items() if name in table]
        if not found:
            raise _unknown("option", name, {key for table in places.values() for key in table}
                           | {"step", "duration", "scheme", "solver", "verdict", "forces", "record"})
        if len(found) > 1:
            raise Error(f"option '{name}' belongs to {' and '.join(found)}; write {found[0]}={{'{name}': ...}}", field=name,
                        what="the option is not unique", value=name, code="conflict", kind="usage",
                        remedy=f"write {found[0]}={{'{name}': ...}}")
        now[found[0]][name] = value
    text = json.dumps(_plain(now, "simulation"), ensure_ascii=False)
    return Scene._parse(self.to_json(), self.file, ["simulation=" + text], False, [], "")


# Words of other engines for options.
_OTHER_WORDS = {"dt": "step", "h": "step", "timestep": "step", "time_step": "step", "tol": "tolerance", "method": "scheme"}


def as_scene(scene):
    """A scene from a scene, a model, a dict or the path of a file."""
    if isinstance(scene, Scene):
        return scene
    if isinstance(scene, _cairn.Model):
        return scene.scene
    if isinstance(scene, dict):
        return from_dict(scene)
    if isinstance(scene, (str, bytes, os.PathLike)):
        return load(scene)
    raise TypeError(f"expected a cairn.Scene, a cairn.Model, a dict or a path, got {type(scene).__name__}")


def _model_of(scene):
    return scene.model


_cairn.Model.__reduce__ = lambda self: (_model_of, (self.scene,))
Scene.load = staticmethod(load)
Scene.from_json = staticmethod(from_json)
Scene.from_dict = staticmethod(from_dict)
Scene.to_dict = to_dict
Scene.simulation = property(simulation)
Scene.with_options = with_options
