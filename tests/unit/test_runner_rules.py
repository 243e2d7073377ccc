"""What the rules find in five languages, and that no text makes them slow."""

import time

import pytest

from piibench_duck.runners import Text
from piibench_duck.runners._formats import FORMATS
from piibench_duck.runners._phrases import ADDRESSES, DATES, NAMES, ORGANIZATIONS
from piibench_duck.runners._rule import apply, digest
from piibench_duck.runners.registry import load_runner

# `<TYPE:…>` marks what is to be found; nothing else may be.
DRAWN = [
    "Call Mr. <PERSON:John Smith> at <EMAIL:anna.smith+x@ex-ample.org>,",
    "or <PHONE:+49 30 1234567>, <PHONE:(555) 123-4567>.",
    "Dr. <PERSON:Jean-Luc O’Brien> 😀 of",
    "😀 <ADDRESS:12 Main Street>, <LOCATION:Springfield, IL 62704>, born <DATE_TIME:12/03/1980>.",
    "At <DATE_TIME:10:30 pm> on <DATE_TIME:March 3rd, 2020>, or 2021-13-45",
    "or <DATE_TIME:2021-12-04T10:20:30.123Z>, not 25:61.",
    "IBAN <IBAN:DE89 3704 0044 0532 0130 00> BIC, but not DE89370400440532013001.",
    "card <PAYMENT_CARD:4111 1111 1111 1111>, not 4111 1111 1111 1112",
    "from <IP_ADDRESS:192.168.1.254> and <IP_ADDRESS:2001:db8::1>, not 1.2.3.256 nor v1.2.3.4.5",
    "see <URL:https://x.org/a?b=c>. Or <URL:www.example.com/z>!",
    "SSN <NATIONAL_ID:123-45-6789>, DNI <NATIONAL_ID:12345678Z>, not 12345678A; passport no. <PASSPORT:X1234567>",
    "MRN: <RECORD_NUMBER:AB-12345>; application no. <RECORD_NUMBER:12345/06> since <DATE_TIME:2004>",
    '{"content":"My name is <PERSON:Anna Smith>\\nI work at <ORGANIZATION:Acme Widgets Ltd.> "}',
    "Herr <PERSON:Müller>, <ADDRESS:Hauptstraße 12a, 10115 Berlin>",
    "<ORGANIZATION:Siemens AG> und <ORGANIZATION:Deutsche Bank AG>",
    "am <DATE_TIME:3. März 2020> um <DATE_TIME:14:30 Uhr>, Steuer-ID: <NATIONAL_ID:36 574 261 809>",
    "Sra. <PERSON:María del Carmen García>, <ADDRESS:Calle Mayor 5>, <ADDRESS:28013 Madrid>",
    "el <DATE_TIME:3 de mayo de 2020>",
    "<PERSON:Иванов Иван Иванович> родился <DATE_TIME:12 марта 1980 года> в г. <LOCATION:Москва>",
    "<ADDRESS:ул. Ленина, д. 5, кв. 12>, <ORGANIZATION:ООО «Ромашка»>, <PERSON:И. И. Петров>",
    "тел. <PHONE:8 (495) 123-45-67>",
    "паспорт серия <PASSPORT:4509 123456>, СНИЛС <NATIONAL_ID:112-233-445 95>, ИНН <NATIONAL_ID:7707083893>",
    "מר <PERSON:יוסי כהן> גר ב<ADDRESS:רחוב הרצל 5, תל אביב>, ב-<DATE_TIME:12 במרץ 2020>, ת.ז. <NATIONAL_ID:039337423>",
    'חברת <ORGANIZATION:שלום בע"מ>',
    "nothing to see here, not in 12 or 2004",
]


def undraw(drawn: str) -> tuple[str, list[tuple[str, str]]]:
    text, wanted = "", []
    while "<" in drawn:
        before, _, rest = drawn.partition("<")
        marked, _, drawn = rest.partition(">")
        label, _, surface = marked.partition(":")
        text += before + surface
        wanted.append((label, surface))
    return text + drawn, wanted


@pytest.mark.parametrize("drawn", DRAWN)
def test_the_rules_find_what_is_marked_and_nothing_else(drawn: str):
    text, wanted = undraw(drawn)
    (answer,) = load_runner("rules")([Text("r", text)])
    assert [(span.label, text[span.start : span.end]) for span in answer.spans] == wanted


HOSTILE = [
    "a",
    "a.",
    "1 ",
    "1-",
    "Aa ",
    "Aa-",
    "+1",
    "a@",
    "www.",
    "http://",
    ":",
    "1:",
    "AB12 ",
    "אא ",
    "А. ",
    "Иван ",
    "Mr. ",
]
HOSTILE += [
    "calle de la ",
    "1 Aa Aa ",
    "University of of ",
    "ООО «",
    "12345 Aa ",
    "(1",
    "passport (",
    "A/",
    "e\u0301",
    " ",
    "\n",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_text_takes_more_than_linear_time(unit: str):
    rules = (*FORMATS, *DATES, *ADDRESSES, *ORGANIZATIONS, *NAMES)

    def seconds(n_chars: int) -> float:
        text = (unit * n_chars)[:n_chars]
        began = time.process_time()
        apply(rules, text)
        return time.process_time() - began

    # Quadratic time would be 100 s here; the bound is wide so that a busy machine does not fail it.
    assert seconds(20_000) < 2


def test_the_rules_are_named_by_a_digest_of_their_patterns():
    settings = load_runner("rules").description.settings
    assert settings == {"rules_sha256": digest((*FORMATS, *DATES, *ADDRESSES, *ORGANIZATIONS, *NAMES))}
    assert digest(FORMATS) != digest(FORMATS[1:])
