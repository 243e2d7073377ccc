"""Rows and predictions of any size, made from the demo corpus: its passages over and over, under new ids."""

import json
import random
from pathlib import Path

from piibench_duck.places import data_dir


def write(folder: Path, n_rows: int, n_runs: int = 1, n_corpora: int = 7, seed: int = 0) -> tuple[Path, list[Path]]:
    """A rows file and `n_runs` predictions files; about four rows a document, predictions near gold and beside it."""
    documents = [
        json.loads(line)
        for path in sorted((data_dir() / "demo").glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    dice = random.Random(seed)
    rows_path = folder / "rows.jsonl"
    paths = [folder / f"preds{run}.jsonl" for run in range(n_runs)]
    files = [path.open("w", encoding="utf-8") for path in paths]
    with rows_path.open("w", encoding="utf-8") as rows:
        for index in range(n_rows):
            document = documents[index % len(documents)]
            text = document["text"][:400]
            spans = [span for span in document["spans"] if span["end"] <= len(text)]
            scored = ("PERSON", "ORGANIZATION", "LOCATION", "ADDRESS", "DATE_TIME")
            row = {
                "id": f"r{index:07d}",
                "dataset": f"c{index % n_corpora}",
                "doc_id": f"d{index // (4 * n_corpora)}-{index % n_corpora}",
                "language": "en",
                "carrier": ("prose", "json")[index % 2],
                "text": text,
                "spans": [span for span in spans if span["label"] in scored],
                "excluded": [span for span in spans if span["label"] not in scored],
            }
            rows.write(json.dumps(row, ensure_ascii=False) + "\n")
            for file in files:
                found = [span for span in spans if dice.random() < 0.7]
                if dice.random() < 0.3 and len(text) > 12:
                    start = dice.randrange(len(text) - 10)
                    found.append({"start": start, "end": start + 8, "label": "PERSON"})
                file.write(json.dumps({"id": row["id"], "spans": found}) + "\n")
    for file in files:
        file.close()
    return rows_path, paths
