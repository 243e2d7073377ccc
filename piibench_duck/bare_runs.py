"""The line of a run of which hardly anything is known: it answered, somewhere, and here is what it said."""

from piibench_duck import warehouse


def fill(con: warehouse.Connection, run: str, **said: object) -> None:
    """Append such a run to `contracts.runs`; what is `said` of it stands under its column."""
    line: dict[str, object] = {
        **{"run_id": run, "status": "ran", "kind": "file", "runner": "file", "label_namespace": "*"},
        **{"settings": [], "settings_digest": "", "machine": []},
        **said,
    }
    warehouse.fill(con, "runs", {name: [value] for name, value in line.items()})
