"""TAB's metrics in SQL against the published method in Python, on the same documents and masks, one run and twenty.

    python -m benchmarks.tab

The Python is an equivalent of our own of the published method, with sets of masked characters; it goes over the
documents once, where the published script does so for each figure. Reading files is in neither time, and weights are
uniform. Both must give the same figures.
"""

import json
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from piibench_duck import tab, warehouse
from piibench_duck.forgiven import tokens as tokens_without_content
from piibench_duck.places import data_dir

N_DOCUMENTS, TEXTS_EACH, N_TIMES = 144, 12, 5
FORGIVEN = frozenset(" ,.-;:/&()[]–'\"’“”")
FIGURES = ("mention_recall", "token_recall", "recall_all_entities", "token_precision", "mention_precision")


class Mention(NamedTuple):
    """What one annotator said of a span of a text."""

    start: int
    end: int
    entity: str
    annotator: str
    judgement: str


class Document(NamedTuple):
    """Texts by row, mentions by row, and what is forgiven in each."""

    texts: dict[str, str]
    mentions: dict[str, list[Mention]]
    forgiven: dict[str, list[tuple[int, int]]]


Masks = Mapping[str, Sequence[tuple[int, int]]]


def main() -> None:
    """Print medians and their ratio."""
    for n_runs in (1, 20):
        _compare(n_runs)


def _compare(n_runs: int) -> None:
    dice = random.Random(0)
    documents = list(_documents(dice))
    runs = {f"run{number:02d}": _masks(dice, documents) for number in range(n_runs)}
    in_sql, in_python = [], []
    for _ in range(N_TIMES):
        con = _filled(documents, runs)
        began = time.perf_counter()
        warehouse.derive(con, tab.MARTS)
        found = {run: tab.compat(con, run, "court") for run in runs}
        in_sql.append(time.perf_counter() - began)
        began = time.perf_counter()
        wanted = {run: published(documents, masks) for run, masks in runs.items()}
        in_python.append(time.perf_counter() - began)
    for run in runs:
        assert all(abs(found[run][name] - wanted[run][name]) < 1e-12 for name in FIGURES)
    sql, python = statistics.median(in_sql), statistics.median(in_python)
    n_texts = sum(len(document.texts) for document in documents)
    print(f"TAB's metrics of {len(documents)} documents in {n_texts} texts, runs: {n_runs}")
    print(f"  SQL {sql:.2f} s, Python {python:.2f} s: {python / sql:.1f} times")


def _documents(dice: random.Random) -> Iterator[Document]:
    path = data_dir() / "demo" / "demo-en.jsonl"
    material = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for number in range(N_DOCUMENTS):
        texts, mentions = {}, {}
        for index in range(TEXTS_EACH):
            row_id, drawn = f"d{number:03d}-{index:02d}", dice.choice(material)
            texts[row_id] = drawn["text"][:400]
            mentions[row_id] = [
                Mention(span["start"], span["end"], f"{drawn['text'][span['start'] : span['end']]}", annotator, judged)
                for annotator in ("a", "b")
                for span in drawn["spans"]
                if span["end"] <= 400 and dice.random() < 0.9
                for judged in [dice.choice(["DIRECT", "QUASI", "QUASI", "NO_MASK"])]
            ]
        yield Document(texts, mentions, {row_id: tokens_without_content(text) for row_id, text in texts.items()})


def _masks(dice: random.Random, documents: Sequence[Document]) -> Masks:
    """Near gold and beside it."""
    masks = {}
    for document in documents:
        for row_id, text in document.texts.items():
            found = [(one.start, one.end - (dice.random() < 0.1)) for one in document.mentions[row_id]]
            found = [span for span in found if span[0] < span[1] and dice.random() < 0.5]
            for _ in range(3):
                start = dice.randrange(len(text))
                found.append((start, min(len(text), start + 10)))
            masks[row_id] = found
    return masks


def published(documents: Sequence[Document], masks: Masks) -> dict[str, float]:
    """The figures by the rules of the published script."""
    counts: Counter[str] = Counter()
    for document in documents:
        readable = {
            row_id: {char for char, letter in enumerate(text) if letter not in FORGIVEN}.difference(
                *(range(start, end) for start, end in document.forgiven[row_id]),
                *(range(start, end) for start, end in masks[row_id]),
            )
            for row_id, text in document.texts.items()
        }
        entities: dict[tuple[str, str], list[tuple[str, Mention]]] = {}
        for row_id, mentions in document.mentions.items():
            for mention in mentions:
                entities.setdefault((mention.annotator, mention.entity), []).append((row_id, mention))
        for group in entities.values():
            if all(mention.judgement == "NO_MASK" for _, mention in group):
                continue
            counts["entities"] += 1
            is_whole = True
            for row_id, mention in group:
                is_covered = readable[row_id].isdisjoint(range(mention.start, mention.end))
                is_whole &= is_covered or mention.judgement == "NO_MASK"
                counts["mentions"] += 1
                counts["mentions_covered"] += is_covered
                for start, end in _tokens(document.texts[row_id], mention.start, mention.end):
                    counts["tokens"] += 1
                    counts["tokens_covered"] += readable[row_id].isdisjoint(range(start, end))
            counts["entities_covered"] += is_whole
        n_annotators = len({annotator for annotator, _ in entities})
        for row_id, text in document.texts.items():
            to_mask = [one for one in document.mentions[row_id] if one.judgement != "NO_MASK"]
            for start, end in masks[row_id]:
                pieces = _tokens(text, start, end)
                counts["masks"] += n_annotators
                counts["mask_tokens"] += n_annotators * len(pieces)
                near = [one for one in to_mask if one.start < end and one.end > start]
                for name, items in (("masks_right", [(start, end)]), ("mask_tokens_right", pieces)):
                    for left, right in items:
                        counts[name] += len({one.annotator for one in near if one.start <= left and right <= one.end})
    return {
        "mention_recall": counts["mentions_covered"] / counts["mentions"],
        "token_recall": counts["tokens_covered"] / counts["tokens"],
        "recall_all_entities": counts["entities_covered"] / counts["entities"],
        "token_precision": counts["mask_tokens_right"] / counts["mask_tokens"],
        "mention_precision": counts["masks_right"] / counts["masks"],
    }


def _tokens(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [(start + found.start(), start + found.end()) for found in re.finditer(r"\w+", text[start:end])]


def _filled(documents: Sequence[Document], runs: Mapping[str, Masks]) -> warehouse.Connection:
    con = warehouse.connect()
    warehouse.fill_seeds(con)
    warehouse.fill(con, "settings", {"tab_rules": ["compat"], "weights": ["uniform"], "seed": [0], "replicates": [1]})
    lines: dict[str, list[dict[str, Any]]] = {"rows": [], "gold_spans": [], "forgiven": []}
    for number, document in enumerate(documents):
        for index, (row_id, text) in enumerate(document.texts.items()):
            row = {"row_id": row_id, "corpus": "court", "source": "court", "split": "all", "doc_id": f"d{number:03d}"}
            row |= {"passage_id": row_id, "passage_start": 400 * index, "language": "en", "carrier": "prose"}
            lines["rows"].append({**row, "licence": "CC0-1.0", "text": text, "n_chars": len(text), "slices": []})
            for span_id, one in enumerate(document.mentions[row_id]):
                span = {"row_id": row_id, "span_id": span_id, "start_char": one.start, "end_char": one.end}
                span |= {"surface": text[one.start : one.end], "source_label": "PERSON", "entity_id": one.entity}
                lines["gold_spans"].append({**span, "identifier_type": one.judgement, "annotator": one.annotator})
            for start, end in document.forgiven[row_id]:
                span = {"row_id": row_id, "start_char": start, "end_char": end, "source": "words"}
                lines["forgiven"].append(span)
    lines["runs"] = [
        {
            "run_id": run,
            "status": "ran",
            "kind": "file",
            "runner": "file",
            "label_namespace": "*",
            "settings_digest": "",
        }
        | {"settings": [], "machine": []}
        for run in runs
    ]
    lines["run_rows"] = [
        {"run_id": run, "row_id": row_id, "status": "ok", "chars_seen": 0}
        for run, masks in runs.items()
        for row_id in masks
    ]
    lines["pred_spans"] = [
        {"run_id": run, "row_id": row_id, "start_char": start, "end_char": end, "source_label": "MASK"}
        for run, masks in runs.items()
        for row_id, found in masks.items()
        for start, end in found
    ]
    for table, of in lines.items():
        warehouse.fill(con, table, {name: [line[name] for line in of] for name in of[0]})
    return con


if __name__ == "__main__":
    main()
