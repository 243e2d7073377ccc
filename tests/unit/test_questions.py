"""What is asked of a board: a SELECT, a file of one, or a query by its name."""

from pathlib import Path

import pytest

from piibench_duck import questions, sandbox
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.questions import Question

FOLLOWED = {
    "select 1;": 8,
    "select 1 ; ; ": 9,
    "select ';';": 10,
    "select 'it''s;' ;": 16,
    r"select e'it\'s;';": 16,
    'select 1 as ";" ;': 16,
    "select 1 -- ;\n;": 14,
    "/* ; */ select 1; /* ; */": 16,
    "select $$;$$;": 12,
    "select $a$ $$; $a$;": 18,
    "select 1": None,
    "select ';": None,
    'select ";': None,
    "select 1 -- ;": None,
    "select 1 /* ;": None,
    "select $$;": None,
    "": None,
}


@pytest.mark.parametrize("text", FOLLOWED)
def test_a_statement_ends_at_the_first_semicolon_outside_quotes_and_comments(text: str) -> None:
    assert sandbox.end_of_first(text) == FOLLOWED[text]


def test_a_file_is_read_whatever_its_line_ends_and_its_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in (("a.sql", b"select 1;\r\n-- the end\r\n"), ("b c.sql", "\ufeffselect 'é'".encode())):
        Path(name).write_bytes(data)
        assert questions.of(name).select == data.decode("utf-8-sig").replace("\r\n", "\n")
    assert questions.of("select * from x.sql") == Question("select * from x.sql")


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latin.sql").write_bytes(b"select '\xe9'")
    (tmp_path / "folder.sql").mkdir()
    with pytest.raises(PiibenchError, match=r"^latin.sql: not UTF-8"):
        questions.of("latin.sql")
    for name in ("folder.sql", "none.sql"):
        with pytest.raises(PiibenchError, match=f"^no file '{name}'"):
            questions.of(name)
    with pytest.raises(WrongUsageError, match=r"no such option: --run; a file takes no parameters"):
        questions.of("latin.sql", ["--run", "rules"])


def test_a_line_that_begins_with_the_name_of_a_query_asks_it() -> None:
    asked = Question("", "worst_rows", {"run": "a b", "n": "2"})
    for line in ("worst_rows --run 'a b' --n 2", ' queries.worst_rows --run="a b" --n=2 ; '):
        assert questions.of_line(line) == asked
    assert questions.of("worst_rows --run 'a b' --n 2") == asked
    for line in ("worst_row --run x;", "worst_rows.x;", "from worst_rows;", "worst_rows--x", "worst_rows x"):
        assert questions.of_line(line) == Question(line)
    with pytest.raises(WrongUsageError, match=r"no such option: --run; the name of a query comes before"):
        questions.of("--run", ["rules", "worst_rows"])
    with pytest.raises(WrongUsageError, match="cannot be read: no closing quotation"):
        questions.of_line("worst_rows --run 'x;")
