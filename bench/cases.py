"""What is measured: a case for each audit, some more for other kinds of records, and the peers of each.

A peer is a script of `bench/peers` that does an audit's job from the same file in a process of its own. It
prints what it found under the names of the audit's measures, and is held to find the same numbers.
"""

from msgspec import Struct

MILLION = 1_000_000
HELD = 400_000
"""The smaller of the two sizes from which the memory that a record takes is told."""
SIZES = (10, 1_000, 100_000, MILLION, 10 * MILLION)


class Peer(Struct, frozen=True):
    """A script that does an audit's job, the libraries it needs, and the rows on which it is compared."""

    name: str
    script: str
    needs: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    rows: int = MILLION


class Case(Struct, frozen=True):
    """An audit on one kind of records, with all sizes that it is measured at."""

    name: str
    audit: str
    flags: tuple[str, ...] = ()
    form: str = "jsonl"
    records: str = ""
    """The maker of its records, where it has not the case's name."""
    peers: tuple[Peer, ...] = ()
    floors: tuple[str, ...] = ("decode",)
    sizes: tuple[int, ...] = SIZES[:-1]
    holds: str = ""
    """What it holds in memory for each record, if it holds anything."""
    codes: tuple[int, ...] = (0,)

    @property
    def maker(self) -> str:
        """The maker of its records."""
        return self.records or self.name


def _pandas(audit: str, *more: str) -> Peer:
    return Peer("pandas", f"{audit}_pandas.py", ("pandas", *more))


def _polars(audit: str) -> Peer:
    return Peer("polars", f"{audit}_polars.py", ("polars",))


SKLEARN = Peer("pandas, scikit-learn", "classification_pandas.py", ("pandas", "sklearn"))
PLAIN = Peer("plain Python", "answers_python.py", rows=100_000)
EVIDENTLY = Peer("Evidently", "classification_evidently.py", ("evidently",), rows=100_000)

CASES = (
    Case("answers", "answers", sizes=SIZES, peers=(PLAIN,)),
    Case("answers-labels", "answers", sizes=(100_000,), peers=(PLAIN,)),
    Case("answers-long", "answers", sizes=(100_000,), peers=(PLAIN,)),
    Case("answers-foreign", "answers", sizes=(100_000,), peers=(PLAIN,)),
    Case(
        "comparison",
        "comparison",
        peers=(Peer("scipy", "comparison_scipy.py", ("scipy",), rows=100_000),),
    ),
    Case(
        "paired-correctness",
        "paired-correctness",
        holds="id",
        peers=(Peer("pandas, scipy", "paired_correctness_pandas.py", ("pandas", "scipy")),),
    ),
    Case("consistency", "consistency", holds="record"),
    Case("disparity", "disparity", peers=(_polars("disparity"),)),
    Case(
        "classification",
        "classification",
        sizes=SIZES,
        peers=(
            _polars("classification"),
            SKLEARN,
            Peer(
                "pandas (pyarrow reader), scikit-learn",
                "classification_pandas.py",
                ("pandas", "sklearn", "pyarrow"),
                arguments=("pyarrow",),
            ),
            EVIDENTLY,
        ),
    ),
    Case(
        "classification-parquet",
        "classification",
        form="parquet",
        records="classification",
        sizes=SIZES[2:],
        peers=(_polars("classification"), SKLEARN),
        floors=("columns", "polars"),
    ),
    Case(
        "multilabel",
        "multilabel",
        peers=(Peer("pandas, scikit-learn", "multilabel_pandas.py", ("pandas", "sklearn")),),
    ),
    Case("label-drift", "label-drift", peers=(_polars("label_drift"),)),
    Case("pairwise", "pairwise", holds="id", peers=(_polars("pairwise"),)),
    Case("position-bias", "position-bias", holds="record"),
    Case(
        "calibration",
        "calibration",
        sizes=SIZES,
        peers=(_polars("calibration"), _pandas("calibration", "sklearn")),
    ),
    Case(
        "agreement",
        "agreement",
        sizes=SIZES,
        holds="id",
        peers=(_polars("agreement"), _pandas("agreement", "sklearn")),
    ),
    Case(
        "selective",
        "selective",
        flags=("--confidence-threshold", "0.8"),
        holds="confidence",
        peers=(Peer("pandas", "selective_pandas.py", ("pandas",), arguments=("0.8",)),),
    ),
    Case(
        "probabilities",
        "probabilities",
        sizes=SIZES,
        peers=(_polars("probabilities"), _pandas("probabilities", "sklearn")),
    ),
    Case("probability-drift", "probability-drift", holds="id"),
    Case("predictions", "predictions", holds="prediction"),
    Case("questions", "questions", holds="item of three answers"),
    Case(
        "retrieval",
        "retrieval",
        holds="id",
        peers=(
            Peer("ranx", "retrieval_ranx.py", ("ranx",), rows=100_000),
            Peer("ir-measures", "retrieval_ir_measures.py", ("ir_measures",), rows=100_000),
            Peer("pytrec_eval", "retrieval_pytrec_eval.py", ("pytrec_eval",), rows=100_000),
        ),
    ),
    Case("ranking-drift", "ranking-drift", holds="id"),
    Case("score-drift", "score-drift", holds="id", peers=(_polars("score_drift"),)),
    Case(
        "runtime",
        "runtime",
        sizes=SIZES,
        holds="attempt, with its latency",
        peers=(_polars("runtime"), _pandas("runtime")),
    ),
    Case(
        "overlap",
        "overlap",
        holds="text, with its id",
        peers=(
            Peer("plain Python", "overlap_python.py"),
            _pandas("overlap"),
        ),
    ),
    Case("release", "release", holds="suggestion", codes=(0, 3)),
)
