"""Exceptions. The compiled part makes them; nothing here but their form."""


class Error(ValueError):
    """Something that a caller can mend: what is wrong, where, with which value, what is allowed and what to do.

    The attributes are those of the first fault; `errors` has all of them, each an Error.
    """

    def __init__(self, text="", *, file="", line=0, column=0, field="", what="", value="", allowed="", remedy="",
                 code="", kind="input", errors=()):
        super().__init__(text or what)
        self.file = file  # as the user named it; empty where there is none
        self.line = line  # 1-based; 0: unknown
        self.column = column  # 1-based; 0: unknown
        self.field = field  # place inside the input, such as bodies[3].mass
        self.what = what  # the fault in words
        self.value = value  # the offending value as text
        self.allowed = allowed  # the range or the set of values that would do
        self.remedy = remedy  # what to do about it
        self.code = code  # name of the kind of fault (docs/conventions.md)
        self.kind = kind  # input, usage, io, limit, stopped or internal
        self.errors = tuple(errors) or (self,)

    def __reduce__(self):
        others = self.errors if self.errors != (self,) else ()
        fields = {k: v for k, v in self.__dict__.items() if k != "errors"}
        return _again, (type(self), self.args, fields, others)


class StepStopped(Error):
    """A step that cannot be taken. The state is the one before it. `code` is the reason, `step` and `time` say which."""

    step = 0
    time = 0.0


class InternalError(RuntimeError):
    """A check of the program failed: a fault of Cairn, not of the input. Please send us the scene and the message."""


def _again(cls, args, fields, errors):
    error = cls(*args)
    error.__dict__.update(fields)
    error.errors = tuple(errors) or (error,)
    return error


def make(kind, argument):
    """The exception for what the compiled part reports."""
    if kind == "InternalError":
        return InternalError(argument)
    if kind == "StepStopped":
        error = StepStopped(f"step {argument['step']} at t = {argument['t']:.9g} s was not taken: {argument['what']}",
                            what=argument["what"], code=argument["code"], kind=argument["kind"])
        error.step, error.time = argument["step"], argument["t"]
        return error
    parts = []
    for fault in argument:
        text = fault.pop("text")
        parts.append(Error(text.removeprefix("error: "), **fault))
    if not parts:
        return Error("unknown error")
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    whole = Error("\n".join(str(part) for part in parts), errors=parts)
    for name in ("file", "line", "column", "field", "what", "value", "allowed", "remedy", "code", "kind"):
        setattr(whole, name, getattr(first, name))
    return whole
