"""Makes the demo corpus: the sentences of `frames/` filled with invented values, the same bytes every time.

`python data/demo/make_demo.py [FOLDER]` writes into FOLDER, or beside itself. README.md explains the frames.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from faker import Faker

HERE = Path(__file__).parent
FAKER_VERSION = "40.63.0"  # another version may make other values
LOCALES = {"en": "en_US", "de": "de_DE", "es": "es_ES", "ru": "ru_RU", "he": "he_IL"}
WORDS = tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))

SLOT = re.compile(r"\{([A-Z_]+)(?: ([^{}]+))?\}")
HEADER = re.compile(r"\[([a-z]+)(?: ([a-z]{2}_[A-Z]{2}))?\]")


class Script(NamedTuple):
    """The sentences of one document, each with slots; `locale` where it is not the language's usual one."""

    domain: str
    locale: str | None
    frames: tuple[str, ...]


class Span(NamedTuple):
    start: int
    end: int
    label: str


class Person(NamedTuple):
    """An invented person; `middle` is a patronymic, a second family name, or empty."""

    first: str
    middle: str
    last: str


@dataclass(frozen=True)
class Cast:
    """Whom and what a document has named so far, so that it can name them again."""

    language: str
    locale: str
    fake: Faker
    today: datetime.date
    people: dict[str, Person] = field(default_factory=dict)
    values: dict[tuple[str, str], str] = field(default_factory=dict)

    def one_of(self, choices: list[str]) -> str:
        return choices[self.fake.random_int(0, len(choices) - 1)]


def read_scripts(path: Path) -> list[Script]:
    """The documents of a file of frames, in order."""
    scripts: list[Script] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if header := HEADER.fullmatch(line):
            scripts.append(Script(header[1], header[2], ()))
        elif line and not scripts:
            raise ValueError(f"{path.name}:{number}: a frame stands before the first [domain] line")
        elif line:
            scripts[-1] = scripts[-1]._replace(frames=(*scripts[-1].frames, line))
    return scripts


def make_person(cast: Cast, gender: str, family: str | None) -> Person:
    """A new person, with the family name `family` if one is given."""
    fake, female = cast.fake, gender == "f"
    if cast.language == "ru":
        first = cast.one_of(WORDS["ru"]["given"][gender].split())
        middle = str(fake.middle_name_female() if female else fake.middle_name_male())
        return Person(first, middle, family or str(fake.last_name_female() if female else fake.last_name_male()))
    first = str(fake.first_name_female() if female else fake.first_name_male())
    middle = fake.last_name() if cast.language == "es" else ""
    while not family:  # a few family names of Faker have a particle in lower case
        name = fake.last_name()
        family = name if " " not in name and name != middle else None
    return Person(first, middle, family)


def styled(person: Person, style: str, language: str) -> str:
    """A person's name as people write it."""
    first, middle, last = person
    family = f"{last} {middle}" if language == "es" else last
    match style:
        case "full":
            return f"{first} {family}"
        case "short":
            return f"{first} {last}"
        case "first" | "last":
            return first if style == "first" else last
        case "polite":
            return f"{first} {middle}"
        case "initial":
            return f"{last} {first[0]}. {middle[0]}." if language == "ru" else f"{first[0]}. {last}"
        case "official":
            return f"{last} {first} {middle}".strip() if language in ("ru", "he") else f"{family}, {first}"
        case "upper" | "lower":
            return f"{first} {last}".upper() if style == "upper" else f"{first} {last}".lower()
    raise ValueError(f"no style {style!r} of a name")


def person(cast: Cast, words: list[str]) -> str:
    """`a f of-b official`: the key, the gender, whose relative, the style; each may be left out."""
    key = next((word for word in words if len(word) == 1 and word not in "fm"), "")
    gender = next((word for word in words if word in ("f", "m")), "")
    relative = next((word.removeprefix("of-") for word in words if word.startswith("of-")), "")
    style = next((word for word in words if len(word) > 1 and not word.startswith("of-")), "full")
    known = cast.people.get(key)
    if known is None:
        family = cast.people[relative].last if relative else None
        known = make_person(cast, gender or cast.one_of(["f", "m"]), family)
    if key:
        cast.people[key] = known
    return styled(known, style, cast.language)


def date_time(cast: Cast, words: list[str]) -> str:
    """`long -20`: the style, and how many days from the document's own date."""
    style = words[0]
    day = cast.today + datetime.timedelta(days=next((int(word) for word in words if word[0] in "+-"), 0))
    if style == "stamp":
        return f"{day.isoformat()} {words[1]}"
    if style == "iso":
        return day.isoformat()
    if style in ("birth", "elder"):
        age = cast.fake.random_int(9_000, 20_000) if style == "birth" else cast.fake.random_int(24_000, 31_000)
        day, style = cast.today - datetime.timedelta(days=age), "number"
    month = WORDS[cast.language]["months"].split()[day.month - 1]
    return str(WORDS[cast.language]["dates"][style]).format(d=day, month=month, abbreviation=month[:3])


def organization(cast: Cast, words: list[str]) -> str:
    pattern = cast.one_of(WORDS[cast.language]["organizations"])
    return pattern.format(one=cast.fake.last_name(), two=cast.fake.last_name())


def city(cast: Cast, words: list[str]) -> str:
    town = str(cast.fake.city_name()) if cast.language in ("de", "ru") else cast.fake.city().split(" )")[0]
    return "Ciudad Real" if town == "Ciudad" else town  # Faker has only its first word


def address(cast: Cast, words: list[str]) -> str:
    """A postal address on one line."""
    fake, number, town = cast.fake, cast.fake.random_int(1, 140), city(cast, [])
    match cast.locale:
        case "en_US":
            return f"{number} {fake.street_name()}, {town}, {fake.state_abbr()} {fake.postcode()}"
        case "en_GB":
            return f"{number} {fake.street_name()}, {town} {fake.postcode()}"
        case "de_DE":
            return f"{fake.street_name()} {number}, {fake.postcode()} {town}"
        case "es_ES":
            return f"{fake.street_name()}, {number}, {fake.postcode()} {town}"
        case "ru_RU":
            return f"г. {town}, {fake.street_name()}, д. {number}, кв. {fake.random_int(1, 200)}"
        case _:
            return f"רחוב {fake.last_name()} {number}, {town}"


def email(cast: Cast, words: list[str]) -> str:
    """The address of the person named, at a domain that is kept for examples."""
    named, domain = cast.people[words[0]], words[1] if len(words) > 1 else "com"
    letters = zip(WORDS["transliteration"]["from"], WORDS["transliteration"]["to"].split(), strict=True)
    latin = f"{named.first}.{named.last}".lower().replace("ß", "ss").translate(str.maketrans(dict(letters)))
    plain = unicodedata.normalize("NFKD", latin).encode("ascii", "ignore").decode()
    return f"{plain.replace('_', '')}@example.{domain}"


def phone(cast: Cast, words: list[str]) -> str:
    if cast.locale not in WORDS["phones"]:
        return str(cast.fake.phone_number())
    return cast.fake.numerify(cast.one_of(WORDS["phones"][cast.locale]))


def iban(cast: Cast, words: list[str]) -> str:
    """Its check digits are right. In Russian texts it is a German one, since Russia has none."""
    if cast.language in ("en", "de", "es"):
        bare = cast.fake.iban()
    else:
        country, n_digits = ("DE", 18) if cast.language == "ru" else ("IL", 19)
        account = cast.fake.numerify("#" * n_digits)
        value = int(account + "".join(str(int(letter, 36)) for letter in country) + "00")
        bare = f"{country}{98 - value % 97:02d}{account}"
    return bare if "bare" in words else " ".join(re.findall(".{1,4}", bare))


def payment_card(cast: Cast, words: list[str]) -> str:
    sixteen_digits = "visa" if cast.language == "ru" else "visa16"
    bare = cast.fake.credit_card_number("mastercard" if "master" in words else sixteen_digits)
    return bare if "bare" in words else ("-" if "dash" in words else " ").join(re.findall("....", bare))


def national_id(cast: Cast, words: list[str]) -> str:
    match cast.locale:
        case "en_US":  # of a kind that is never issued
            return str(cast.fake.ssn(taxpayer_identification_number_type="INVALID_SSN"))
        case "es_ES":
            return str(cast.fake.nif())
        case "de_DE" | "ru_RU":
            return from_pattern(cast, [WORDS[cast.language]["national_id"]])
        case _:
            return str(cast.fake.ssn())


def from_pattern(cast: Cast, words: list[str]) -> str:
    return cast.fake.bothify(" ".join(words), letters="BCDFGHKMNPRSTVWXZ")


def ip_address(cast: Cast, words: list[str]) -> str:
    """From the ranges that RFC 5737 keeps for documentation."""
    return f"{cast.one_of(['192.0.2', '198.51.100', '203.0.113'])}.{cast.fake.random_int(1, 254)}"


MAKERS: dict[str, Callable[[Cast, list[str]], str]] = {
    "PERSON": person,
    "ORGANIZATION": organization,
    "LOCATION": city,
    "ADDRESS": address,
    "DATE_TIME": date_time,
    "EMAIL": email,
    "PHONE": phone,
    "IBAN": iban,
    "PAYMENT_CARD": payment_card,
    "NATIONAL_ID": national_id,
    "PASSPORT": lambda cast, words: from_pattern(cast, [WORDS[cast.language]["passport"]]),
    "URL": from_pattern,
    "IP_ADDRESS": ip_address,
    "RECORD_NUMBER": from_pattern,
}


def value_of(cast: Cast, label: str, recipe: str) -> str:
    """What stands in a slot: the words behind `=`, or a value made for it, or the value it had before."""
    if recipe.startswith("= "):
        return recipe[2:]
    words = recipe.split()
    if label not in ("ORGANIZATION", "LOCATION", "ADDRESS") or not words:
        return MAKERS[label](cast, words)
    if (label, recipe) not in cast.values:
        cast.values[label, recipe] = MAKERS[label](cast, words)
    return cast.values[label, recipe]


def fill(script: Script, language: str, doc_id: str, fake: Faker) -> dict[str, object]:
    """One document of the corpus."""
    fake.seed_instance(doc_id)  # each on its own, so that mending one document leaves the others as they are
    today = datetime.date(2023, 1, 1) + datetime.timedelta(days=fake.random_int(60, 900))
    cast = Cast(language, script.locale or LOCALES[language], fake, today)
    text, spans = "", list[Span]()
    for frame in script.frames:
        body = frame.lstrip("¶")
        text += "\n" * (len(frame) - len(body)) or (" " if text else "")
        written = 0
        for slot in SLOT.finditer(body):
            text += body[written : slot.start()]
            value = value_of(cast, slot[1], slot[2] or "")
            spans.append(Span(len(text), len(text) + len(value), slot[1]))
            text += value
            written = slot.end()
        text += body[written:]
    for start in forgotten_names(text, spans):
        raise ValueError(
            f"{doc_id}: a name stands outside any slot at {start}, where a slot should name the person again"
        )
    return {
        "doc_id": doc_id,
        "text": text,
        "spans": [span._asdict() for span in spans],
        "slices": {"domain": script.domain},
    }


def forgotten_names(text: str, spans: Iterable[Span]) -> Iterator[int]:
    """Where a name that some slot put into the text, or a word of it, stands again without a slot."""
    names = {text[start:end] for start, end, label in spans if label == "PERSON"}
    parts = {word for name in names for word in re.findall(r"[\w'’-]{3,}", name) if not word.islower()}
    for name in sorted(names | parts):
        for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            if not any(span.start <= found.start() and found.end() <= span.end for span in spans):
                yield found.start()


def make(language: str) -> str:
    """The JSON lines of a language."""
    from faker import Faker

    scripts = read_scripts(HERE / "frames" / f"{language}.txt")
    locales = [script.locale or LOCALES[language] for script in scripts]
    fakers = {locale: Faker(locale) for locale in dict.fromkeys(locales)}
    lines = []
    for number, (script, locale) in enumerate(zip(scripts, locales, strict=True), start=1):
        document = fill(script, language, f"{language}-{number:03d}", fakers[locale])
        lines.append(json.dumps(document, ensure_ascii=False) + "\n")
    return "".join(lines)


def main(folder: Path = HERE) -> None:
    for language in LOCALES:
        (folder / f"demo-{language}.jsonl").write_text(make(language), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
