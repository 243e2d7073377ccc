"""Rules for identifiers with a fixed format, by checksum where they have one, else beside a word that names them."""

import ipaddress
import re
from collections.abc import Callable

from stdnum import iban, luhn
from stdnum.de import idnr as steuer_id
from stdnum.es import dni, nie
from stdnum.il import idnr as teudat_zehut
from stdnum.ru import inn
from stdnum.us import ssn

from piibench_duck.runners._rule import Rule

_CODE = r"(?P<it>(?=[A-Z/.-]{0,8}[0-9])[A-Z0-9](?:[A-Z0-9/.-]{0,28}[A-Z0-9])?)(?![\w])"
_IS = r"(?:\s?(?:\((?:[^()\n]{1,20})\)))?[\s.:#№\"']{1,4}(?:is\s|ist\s|es\s)?[\"'\s]{0,2}"


def _checked(is_valid: Callable[[str], bool]) -> Callable[[str], int]:
    return lambda found: len(found) if is_valid(found) else 0


def _iban(found: str) -> int:
    """The longest beginning that is an IBAN, since capitals that follow it look like more of it."""
    ends = [index + 1 for index, char in enumerate(found) if char != " "]
    return next((end for end in reversed(ends[14:34]) if iban.is_valid(found[:end], check_country=False)), 0)


def _card(found: str) -> int:
    digits = re.sub("[ -]", "", found)
    return len(found) if digits[0] in "23456" and len(set(digits)) > 1 and luhn.is_valid(digits) else 0


def _address(found: str) -> bool:
    try:
        ipaddress.ip_address(found)
    except ValueError:
        return False
    return found != "::"


def _snils(found: str) -> int:
    digits = [int(char) for char in found if char.isdigit()]
    total = sum(digit * (9 - place) for place, digit in enumerate(digits[:9])) % 101 % 100
    return len(found) if total == digits[9] * 10 + digits[10] else 0


def _rule(label: str, pattern: str, valid: Callable[[str], int] = len) -> Rule:
    return Rule(label, re.compile(pattern), valid)


FORMATS = (
    _rule("EMAIL", r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w@])"),
    _rule("URL", r"(?i)(?<![\w.])(?:https?://|ftp://|www\.)[^\s<>\"'`{}|\\^«»\0]{1,2000}(?<![.,;:!?)\]])"),
    _rule("IP_ADDRESS", r"(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w]|\.[0-9])", _checked(_address)),
    _rule("IP_ADDRESS", r"(?i)(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])", _checked(_address)),
    _rule("IBAN", r"(?<!\w)[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,38}", _iban),
    _rule("PAYMENT_CARD", r"(?<![\w.-])[0-9](?:[ -]?[0-9]){12,18}(?![\w]|[.-][0-9])", _card),
    _rule("NATIONAL_ID", r"(?<![\w-])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![\w-])", _checked(ssn.is_valid)),
    _rule("NATIONAL_ID", r"(?<![\w-])[0-9]{8}-?[A-Z](?!\w)", _checked(dni.is_valid)),
    _rule("NATIONAL_ID", r"(?<![\w-])[XYZ]-?[0-9]{7}-?[A-Z](?!\w)", _checked(nie.is_valid)),
    _rule("NATIONAL_ID", r"(?<![\w-])[0-9]{3}-[0-9]{3}-[0-9]{3}[ -][0-9]{2}(?![\w-])", _snils),
    _rule("NATIONAL_ID", r"(?i:инн)[\s:№]{1,3}(?P<it>[0-9]{10}(?:[0-9]{2})?)(?!\w)", _checked(inn.is_valid)),
    _rule(
        "NATIONAL_ID",
        r"(?i:steuer-?id|identifikationsnummer|idnr|steuernummer)[\s.:]{1,3}(?P<it>[0-9](?: ?[0-9]){10})(?!\w)",
        _checked(steuer_id.is_valid),
    ),
    _rule(
        "NATIONAL_ID",
        r"(?:ת\.?[\"״]?ז\.?|תעודת זהות|מספר זהות)(?:\s?מספר|\sמס['׳])?[\s:]{1,3}(?P<it>[0-9]{9})(?!\w)",
        _checked(teudat_zehut.is_valid),
    ),
    _rule("NATIONAL_ID", rf"(?i:ssn|social security number|national id|dni|nif|nie|ausweisnummer){_IS}{_CODE}"),
    _rule(
        "PASSPORT", rf"(?i:passport|reisepass(?:nummer)?|pasaporte)(?i:\s(?:no|number|nr|n[º°]|número))?{_IS}{_CODE}"
    ),
    _rule("PASSPORT", r"(?i:паспорт)(?:\s\w{1,8}){0,2}[\s:№]{1,3}(?P<it>[0-9]{2} ?[0-9]{2} ?№? ?[0-9]{6})(?!\w)"),
    _rule("PASSPORT", r"(?:דרכון)(?:\s?מספר|\sמס['׳])?[\s:]{1,3}(?P<it>[0-9]{7,9})(?!\w)"),
    _rule(
        "RECORD_NUMBER",
        r"(?<!\w)(?i:mrn|nhc|nass|medical record|record|account|customer|patient|policy|case|invoice|order|employee|"
        r"kundennummer|aktenzeichen|vorgangsnummer|rechnung(?:snummer)?|expediente|historia|colegiado|"
        r"договор|заказ|дело)(?i:[ -](?:id|no|number|nr|n[º°]|número))?" + _IS + _CODE,
    ),
    _rule("RECORD_NUMBER", r"(?<!\w)(?:[Nn]os?\.|Nr\.|№)\s?(?P<it>[0-9]{1,6}/[0-9]{2,4})(?!\w)"),
    _rule("PHONE", r"(?<![\w+])\+[0-9](?:[ .\-/()\u2011]{0,2}[0-9]){6,14}(?!\w)"),
    _rule("PHONE", r"(?<![\w.+-])(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[-. ])[0-9]{3}[-. ][0-9]{4}(?![\w-])"),
    _rule("PHONE", r"(?<![\w.+-])\(?0[0-9]{1,4}\)?[ /-]{1,3}[0-9](?:[ -]?[0-9]){4,8}(?![\w-])"),
    _rule("PHONE", r"(?<![\w.+-])8[ -]?\(?[0-9]{3}\)?[ -]?[0-9]{3}[ -][0-9]{2}[ -]?[0-9]{2}(?![\w-])"),
    _rule("PHONE", r"(?<![\w.+-])[6-9][0-9]{2} (?:[0-9]{3} [0-9]{3}|[0-9]{2} [0-9]{2} [0-9]{2})(?![\w-])"),
    _rule(
        "PHONE",
        r"(?<!\w)(?i:tel(?:efon|éfono|ephone)?|phone|fax|mobile|móvil|handy|тел(?:ефон)?|факс|טל['׳]?|טלפון|נייד|פקס)"
        r"[\s.:]{1,3}(?P<it>\(?[0-9](?:[ ./()-]{0,2}[0-9]){5,13})(?!\w)",
    ),
)
