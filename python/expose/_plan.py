"""Plans: all that is decided before learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core as _lib
from ._columns import ROLES, EncodedData, groups_of, guess_table, label_codes, rows_for
from ._error import Error
from ._frame import Frame, opened
from ._input import ArrayData, Data, weights_of
from ._maps import FeatureMap
from ._options import Options, Unpack, as_keywords, core_options
from .kernels import OwnKernel, plan_own


def fingerprint_of(number: int) -> str:
    return f"{number:016x}"


class Plan:
    """Scaler, kernel, map, memory and gate: frozen, and hashed into `fingerprint`. Made by `expose.plan` and `fit`.

    Models merge only if they have the same plan, so make one and hand it round. Pickle and copy work.

    >>> import numpy as np, expose
    >>> p = expose.plan(np.random.default_rng(0).normal(size=(400, 3)), map="sorf", r=64)
    >>> p.map, p.r, p.columns, p.memory
    ('sorf', 64, 3, 'everything')
    >>> len(p.fingerprint)
    16
    """

    __slots__ = ("_core", "_table", "_own")

    _core: _lib.Plan
    _table: _lib.Columns | None
    _own: OwnKernel | None

    def __init__(self) -> None:
        raise TypeError("a Plan is made by expose.plan(rows, ...)")

    @classmethod
    def _of(cls, core: _lib.Plan, own: OwnKernel | None = None) -> Plan:
        self = object.__new__(cls)
        self._core = core
        self._table = core.table
        self._own = own
        return self

    def _rows(self, X: Any) -> Data:
        """Rows of anything, as this plan wants them."""
        if self._own is not None:
            return self._own.data(X)
        rows = rows_for(X, self._table)
        if isinstance(rows, ArrayData) and rows.n == 0 and rows.columns != self.columns:
            raise Error(f"rows have {rows.columns} columns, the plan takes {self.columns}", "shape_mismatch")
        return rows

    @property
    def landmarks(self) -> Any:
        """Of an own kernel: the things that others are compared with; None else. A model file does not hold them."""
        return None if self._own is None else self._own.landmarks

    @property
    def feature_names(self) -> list[str] | None:
        """The columns that become numbers, where the plan was made from a table with names.

        >>> import pandas, expose
        >>> table = pandas.DataFrame({"amount": [1.5, 2.5] * 50, "land": ["de", "at"] * 50})
        >>> p = expose.plan(table)
        >>> p.feature_names, p.columns
        (['amount', 'land'], 3)
        """
        if self._table is None:
            return None
        return [column.name for column in self._table.all if column.width]

    @property
    def number_names(self) -> list[str] | None:
        """What each number of a row is: amount, land=at, land=de, when (hour, cos)."""
        if self._table is None:
            return None
        return [self._table.number_name(k) for k in range(self._table.width)]

    def _groups(self) -> Any:
        return groups_of(self._table)

    @property
    def fingerprint(self) -> str:
        """A hash of the plan, 16 hexadecimal digits: equal for equal plans, on every machine."""
        return fingerprint_of(self._core.fingerprint)

    @property
    def columns(self) -> int:
        """How many numbers a row has."""
        return self._core.columns

    @property
    def d(self) -> int:
        """How many of them vary, and stay."""
        return self._core.d

    @property
    def kernel(self) -> str:
        return self._core.kernel

    @property
    def bandwidth(self) -> float:
        """In scaled units."""
        return self._core.bandwidth

    @property
    def map(self) -> str:
        return self._core.feature_map.kind

    @property
    def r(self) -> int:
        """Landmarks or frequencies."""
        return self._core.feature_map.r

    @property
    def feature_map(self) -> FeatureMap:
        """phi, for rows that are scaled already."""
        return FeatureMap._of(self._core.feature_map)

    @property
    def scale(self) -> str:
        return self._core.scale

    @property
    def memory(self) -> str:
        return self._core.memory

    @property
    def missing(self) -> str:
        return self._core.missing

    @property
    def trim(self) -> float:
        return self._core.trim

    @property
    def seed(self) -> int:
        return self._core.seed

    @property
    def planned_on(self) -> int:
        """Rows that the sample was drawn from."""
        return self._core.planned_on

    @property
    def first_rows_only(self) -> bool:
        """Whether the data could be read only once, so that later rows had no say."""
        return self._core.first_rows_only

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self._core.fingerprint == other._core.fingerprint

    def __hash__(self) -> int:
        return hash(self._core.fingerprint)

    def __repr__(self) -> str:
        return f"<expose.Plan {self.fingerprint}: {self._core.summary()}>"

    def __str__(self) -> str:
        return self._core.description()

    def _repr_html_(self) -> str:
        from ._html import plan_page

        return plan_page(self)

    def _empty(self) -> bytes:
        """An empty model with this plan, as bytes."""
        if self.memory == "everything":
            return _lib.Detector(self._core, 1).to_bytes()
        return _lib.Watcher(self._core, 0.01).to_bytes()

    def __reduce__(self) -> Any:
        return _plan_from_bytes, (self._empty(), self.memory == "everything", self._own)


def _plan_from_bytes(data: bytes, everything: bool, own: OwnKernel | None) -> Plan:
    return Plan._of((_lib.detector_from_bytes(data, 1) if everything else _lib.watcher_from_bytes(data)).plan, own)


def plan(X: Any, *, weights: Any = None, **options: Unpack[Options]) -> Plan:
    """Decide everything that is decided before learning, from some rows.

    Takes the options of `fit` but those that flag rows. The plan depends on the rows and the seed, not on the order of the rows.

    >>> import numpy as np, expose
    >>> rows = np.random.default_rng(0).normal(size=(1000, 4))
    >>> p = expose.plan(rows)
    >>> p == expose.plan(rows[::-1])
    True
    >>> a, b = expose.Detector(p), expose.Detector(p)
    >>> _ = a.learn(rows[:600]); _ = b.learn(rows[600:])
    >>> a + b == expose.fit(rows)
    True
    """
    for name in ("fdr", "contamination", "top"):
        if options.get(name) is not None:
            raise Error(f"a plan does not flag rows; give {name} to fit, or set it on the Detector")
    if callable(options.get("kernel")):
        return plan_with_own_kernel(X, options)[0]
    data, chosen = prepared(X, options)
    return Plan._of(_lib.plan(data.gathered(), chosen, weights_of(weights, data.n)))


def plan_with_own_kernel(X: Any, options: Any) -> tuple[Plan, _lib.Options]:
    given = {name: value for name, value in options.items() if value is not None and value != "auto"}
    kernel, r = given.pop("kernel"), given.pop("r", None)
    if given.pop("map", "nystrom") != "nystrom":
        raise Error("with an own kernel the map is nystrom")
    for name in ("bandwidth", "scale", "missing", *ROLES):
        if name in given:
            raise Error(f"{name} means nothing with an own kernel, which sees things as they are")
    chosen = core_options(given)
    return Plan._of(*plan_own(X, kernel, r, chosen)), chosen


def roles_of(options: Any) -> tuple[Any, dict[str, Any]]:
    """What the options say about columns, and the others."""
    roles = {name: options[name] for name in ROLES if options.get(name) is not None}
    return roles, {name: value for name, value in options.items() if name not in ROLES}


def prepared(X: Any, options: Any) -> tuple[Data, _lib.Options]:
    """The rows of a first fit, and the options of the library with what the columns are for."""
    roles, others = roles_of(options)
    chosen = core_options(others)
    rows = opened(X)
    if isinstance(rows, Frame):
        chosen.table = guess_table(rows, roles)
        return EncodedData(rows, chosen.table), chosen
    if roles:
        raise Error(f"{next(iter(roles))} names a column, and these rows have no names; give a DataFrame or an Arrow table")
    return rows, chosen


class Trial:
    """A candidate of `tune`: its `options`, its `auc`, the `gain` beyond the start and the standard `error` of that."""

    __slots__ = ("options", "auc", "gain", "error")

    def __init__(self, core: _lib.Trial) -> None:
        self.options = as_keywords(core.options)
        self.auc = core.auc
        self.gain = core.gain
        self.error = core.error

    def __repr__(self) -> str:
        return f"Trial(auc={self.auc:.4f}, gain={self.gain:+.4f} +- {self.error:.4f}, options={self.options})"


class Tuned:
    """What `tune` chose: `options` for fit or detect, `auc` (cross-validated), `auc_of_start`, how many labelled
    `anomalies` and `normals` were looked at, and all `trials`."""

    __slots__ = ("options", "auc", "auc_of_start", "anomalies", "normals", "trials")

    def __init__(self, core: _lib.Tuned, roles: Any) -> None:
        self.options: Options = {**as_keywords(core.options), **roles}
        self.auc: float = core.auc
        self.auc_of_start: float = core.auc_of_start
        self.anomalies: int = core.anomalies
        self.normals: int = core.normals
        self.trials = [Trial(trial) for trial in core.trials]

    def __repr__(self) -> str:
        return f"<expose.Tuned: auc {self.auc:.4f}, {self.auc_of_start:.4f} before; options {self.options}>"


def tune(X: Any, labels: Any, **options: Unpack[Options]) -> Tuned:
    """Choose kernel, scaling and bandwidth with the help of a few labelled rows.

    labels: one a row: 1 or True anomaly, 0 or False normal, -1 (or NaN) not known; or the name of the column that has
    them. What the options fix stays.

    >>> import numpy as np, expose
    >>> random = np.random.default_rng(0)
    >>> rows = random.normal(size=(300, 2))
    >>> rows[:10] *= 4
    >>> labels = np.full(300, -1)
    >>> labels[:10] = 1
    >>> labels[100:140] = 0
    >>> t = expose.tune(rows, labels)
    >>> t.anomalies, t.normals, t.auc > 0.8
    (10, 40, True)
    >>> d = expose.fit(rows, **t.options)
    """
    if isinstance(labels, str):
        frame = opened(X)
        if not isinstance(frame, Frame):
            raise Error(f"labels is the name of a column, {labels!r}, and these rows have no names")
        options["label"] = labels
        labels = label_codes(frame, labels)
    known = np.asarray(labels)
    if known.dtype.kind == "f":
        known = np.where(np.isnan(known), -1, known)
    codes = np.ascontiguousarray(np.sign(known.astype(np.int64)), dtype=np.int8)
    fixed_kernel = "kernel" in options
    roles = {name: value for name, value in options.items() if name in ROLES}
    data, chosen = prepared(X, options)
    return Tuned(_lib.tune(data.gathered(), codes, chosen, fixed_kernel), roles)
