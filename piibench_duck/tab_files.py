"""TAB's metrics of TAB's own files: masks against gold, with what is worth knowing of the files they come from."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import bare_runs, forgiven, tab, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tab as files
from piibench_duck.interchange.tables import Columns, Predictions
from piibench_duck.interchange.token_weights import check_sums
from piibench_duck.names import may_be_told
from piibench_duck.offsets import OffsetUnit

NOTHING_MARKED = "no mention is judged to need masking, so there is no recall"
_RUN = "masked"
_NAMES_TOLD = 3
_FILE, _MLM = "file", "mlm"


class Options(NamedTuple):
    """What one scoring of TAB's files is asked for."""

    compat: bool = False
    forgiven: Path | None = None  # a file of tokens without content
    spacy: str | None = None  # the model that finds them where there is no file; `words` for a list of words
    weights: str = "unigram"  # or uniform, mlm:FOLDER, or a file
    only_docs: Collection[str] = ()
    allow_missing: bool = False
    offset_unit: OffsetUnit = "codepoint"  # of the masks


class Scored(NamedTuple):
    """Figures, what they rest on, and what of the files may not be as it was meant."""

    figures: dict[str, Any]  # of `tab.sections` with what told of the files, or those of `tab.compat`
    forgiven: Sequence[str]  # sources of tokens without content
    weights: str  # source of weights
    notes: Sequence[str]  # a sentence each, without text of the files

    @property
    def of_sources(self) -> list[str]:
        """Where tokens and weights are from, and whether figures differ from the published script's for it."""
        tokens = ", ".join(self.forgiven) or "nothing"
        if forgiven.WORDS in self.forgiven:
            tokens += (
                ", a list of six; the published script asks spaCy for parts of speech, so recalls and token_f1 differ"
            )
        else:
            tokens += "; recalls and token_f1 are the published script's if its tokens were the same"
        weights = self.weights
        if weights in (_FILE, _MLM):
            weights += "; weighted precisions are the published script's if its weights were the same"
        else:
            weights += "; the published script asks a masked language model, so weighted precisions differ"
        return [f"tokens without content by: {tokens}", f"weights from: {weights}"]


def score(gold: Path, masked: Path, options: Options) -> Scored:
    """What masks are worth against TAB's gold.

    Raises `PiibenchError` where a file is not what it should be, and where masks lack a document of the gold: that is
    missed if allowed, and left out by compat rules.
    """
    known = files.read_gold(gold)
    wanted = _wanted(known.texts, options.only_docs, gold)
    answers = files.read_masked(masked, known.texts, options.offset_unit)
    absent = [row_id for row_id in answers.missing_row_ids if row_id in wanted]
    if options.compat:
        wanted = wanted - {*absent}
    elif absent and not options.allow_missing:
        told = _names(absent)
        raise PiibenchError(f"{masked}: masks no document {told} of {gold.name}; --allow-missing counts them as missed")
    warned = files.surface_warning(known)
    notes = [f"{gold}: {warned}"] if warned else []
    n_truncated = _n_truncated(answers, wanted)
    if n_truncated:
        told = f"{n_truncated} of {len(wanted)}; what follows counts as not masked"
        notes.append(f"{masked}: documents whose tokens end before their text: {told}")
    con = warehouse.connect()
    warehouse.fill_seeds(con)
    source = options.weights if options.weights in ("unigram", "uniform") else "table"
    rules = "compat" if options.compat else "corrected"
    warehouse.fill(con, "settings", {"tab_rules": [rules], "weights": [source], "seed": [0], "replicates": [1]})
    _fill_gold(con, known, wanted)
    _fill_answers(con, answers, wanted)
    texts = {row_id: text for row_id, text in known.texts.items() if row_id in wanted}
    sources = _fill_forgiven(con, known.texts, texts, options, notes)
    if source == "table":
        weights = _of(_weights(options.weights, known.texts, texts, notes), wanted)
        check_sums(options.weights, weights, _of(answers.pred_spans, wanted), known.annotators)
        warehouse.fill(con, "token_weights", weights)
    warehouse.derive(con, tab.MARTS)
    described = options.weights if source != "table" else _MLM if options.weights.startswith("mlm:") else _FILE
    if options.compat:
        return Scored(tab.compat(con, _RUN, files.CORPUS), sources, described, notes)
    figures = tab.section(con, _RUN)["by_corpus"][files.CORPUS]
    reason = {} if figures["counts"]["mentions"] else {"reason": NOTHING_MARKED}
    told_of = {"rules": rules, "weights": described, "forgiven": [tab.CHARACTERS, *sources]}
    digests = {"gold_sha256": known.sha256, "masked_sha256": answers.sha256}
    found = {"primary": tab.PRIMARY, **reason, **figures, "n_rows_truncated": n_truncated, **told_of, **digests}
    return Scored(found, sources, described, notes)


def _wanted(texts: Mapping[str, str], only: Collection[str], gold: Path) -> set[str]:
    for name in only:
        if name not in texts:
            raise PiibenchError(f"--only-docs names {name!r}, which is no document of {gold.name}")
    return {*only} or {*texts}


def _names(row_ids: Sequence[str]) -> str:
    more = f" and {len(row_ids) - _NAMES_TOLD} more" if len(row_ids) > _NAMES_TOLD else ""
    return ", ".join(name if may_be_told(name) else "(no short word)" for name in row_ids[:_NAMES_TOLD]) + more


def _n_truncated(answers: Predictions, wanted: Collection[str]) -> int:
    rows = zip(answers.run_rows["row_id"], answers.run_rows["status"], strict=True)
    return sum(row_id in wanted and status == "truncated" for row_id, status in rows)


def _fill_gold(con: warehouse.Connection, known: files.TabGold, wanted: Collection[str]) -> None:
    annotators = known.annotators
    if not annotators["row_id"]:  # somebody must have seen that there is nothing to mask
        annotators = {"row_id": list(known.texts), "annotator": [""] * len(known.texts)}
    for table, columns in (("rows", known.rows), ("gold_spans", known.gold_spans), ("annotators", annotators)):
        warehouse.fill(con, table, _of(columns, wanted))


def _fill_answers(con: warehouse.Connection, answers: Predictions, wanted: Collection[str]) -> None:
    bare_runs.fill(con, _RUN)
    for table, columns in (("run_rows", answers.run_rows), ("pred_spans", answers.pred_spans)):
        kept = _of(columns, wanted)
        warehouse.fill(con, table, {"run_id": [_RUN] * len(kept["row_id"]), **kept})


def _fill_forgiven(
    con: warehouse.Connection,
    texts: Mapping[str, str],
    scored: Mapping[str, str],
    options: Options,
    notes: list[str],
) -> list[str]:
    """Fill `contracts.forgiven`; the sources that serve."""
    if options.forgiven is None:
        return forgiven.fill(con, options.spacy)
    given = files.read_forgiven(options.forgiven, texts)
    if lacking := [row_id for row_id in scored if row_id not in given.names]:
        told = f"{len(lacking)} of {len(scored)} ({_names(lacking)}); nothing but characters is forgiven there"
        notes.append(f"{options.forgiven}: documents that it does not name: {told}")
    warehouse.fill(con, "forgiven", _of(given.columns, scored))
    return [_FILE]


def _weights(named: str, texts: Mapping[str, str], scored: Mapping[str, str], notes: list[str]) -> Columns:
    """Columns of `contracts.token_weights`."""
    if named.startswith("mlm:"):
        from piibench_duck import mlm

        return mlm.weights(Path(named.removeprefix("mlm:")), scored)
    columns = files.read_weights(Path(named), texts).columns
    weighed = {*columns["row_id"]}
    if lacking := [row_id for row_id, text in scored.items() if row_id not in weighed and text.strip()]:
        told = f"{len(lacking)} of {len(scored)} ({_names(lacking)}); masks there weigh nothing"
        notes.append(f"{named}: documents of which it weighs no token: {told}")
    return columns


def _of(columns: Columns, wanted: Collection[str]) -> Columns:
    """The lines of those rows."""
    kept = [index for index, row_id in enumerate(columns["row_id"]) if row_id in wanted]
    return {name: [values[index] for index in kept] for name, values in columns.items()}
