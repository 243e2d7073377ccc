"""Rules for names, organisations, places, addresses and dates: by a title, a street word or a company form nearby."""

import re

from piibench_duck.runners._rule import Rule

_UP = "".join(char for char in map(chr, range(0x250)) if char.isupper()) + "А-ЯЁІЇЄҐ"
_WORD = rf"[{_UP}][\w'’]{{0,30}}+(?:-[{_UP}][\w'’]{{0,30}}+)?"
_OF = r"(?:von|van|der|de|del|la|y|da|di|dos|el|bin|ben)"
_NAME = rf"(?P<it>(?:[{_UP}]\.[ -]?){{0,3}}{_WORD}(?: (?:{_OF} ){{0,2}}(?:[{_UP}]\.|{_WORD})){{0,3}})"
_HEBREW = r"[א-ת][א-ת\"״'׳-]{1,20}"
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|"
    "Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember|"
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|"
    "января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря|"
    "январе|феврале|марте|апреле|мае|июне|июле|августе|сентябре|октябре|ноябре|декабре"
)
_HEBREW_MONTHS = "ינואר|פברואר|מרץ|מרס|אפריל|מאי|יוני|יולי|אוגוסט|ספטמבר|אוקטובר|נובמבר|דצמבר"
_YEAR = r"(?:19|20)[0-9]{2}"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_CLOCK = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,6})?)?"
_ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"


def _rule(label: str, pattern: str) -> Rule:
    return Rule(label, re.compile(pattern))


DATES = (
    _rule("DATE_TIME", rf"(?<![\w-]){_YEAR}-{_MONTH}-{_DAY}(?:[T ]{_CLOCK}{_ZONE})?(?![\w-])"),
    _rule("DATE_TIME", rf"(?<![\w.]){_DAY}([./-]){_MONTH}\1(?:{_YEAR}|[0-9]{{2}})(?![\w/]|[.-][0-9])"),
    _rule("DATE_TIME", rf"(?<![\w.]){_MONTH}([/-]){_DAY}\1(?:{_YEAR}|[0-9]{{2}})(?![\w/]|[.-][0-9])"),
    _rule("DATE_TIME", rf"(?<![\w.]){_YEAR}/{_MONTH}/{_DAY}(?![\w/])"),
    _rule(
        "DATE_TIME",
        rf"(?<!\w){_DAY}(?:\.|st|nd|rd|th)? (?:of |de )?(?i:{_MONTHS})\.?"
        rf"(?:,? (?:de |del )?{_YEAR}(?: ?(?:года|г\.))?)?(?!\w)",
    ),
    _rule("DATE_TIME", rf"(?<!\w)(?i:{_MONTHS})\.? {_DAY}(?:st|nd|rd|th)?(?:,? {_YEAR})?(?![\w])"),
    _rule("DATE_TIME", rf"(?<!\w)(?i:{_MONTHS})\.?,? (?:de |del |of )?{_YEAR}(?: ?(?:года|г\.))?(?!\w)"),
    _rule("DATE_TIME", rf"(?<!\w)(?:{_DAY} )?ב?(?:{_HEBREW_MONTHS})(?:,? {_YEAR})?(?!\w)"),
    _rule("DATE_TIME", rf"(?<!\w){_YEAR} (?:году?|года|г\.)(?!\w)"),
    _rule(
        "DATE_TIME",
        r"(?<!\w)(?i:in|since|until|by|from|of|seit|im jahre?|desde|en|año|с|в|בשנת|משנת|עד)-? ?"
        rf"(?P<it>{_YEAR})(?![\w/-]|\.[0-9])",
    ),
    _rule("DATE_TIME", rf"(?<![\w:.]){_CLOCK}(?: ?(?i:[ap]\.?m\.?|uhr|h)(?!\w))?(?![\w:])"),
)

NAMES = (
    _rule(
        "PERSON",
        r"(?<!\w)(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Lady|Lord|Judge|Justice|Herrn?|Frau|Sra?|Srta|Don|Doña|Dña|"
        r"Dra|Señora?|[Гг]-н|[Гг]-жа|[Гг]осподин[ау]?|[Гг]оспож[аеу]|[Дд]-р|[Дд]октор)\.?\s(?:Dr\. |Prof\. ){0,2}"
        rf"{_NAME}",
    ),
    _rule(
        "PERSON",
        rf"(?<!\w)(?P<it>(?:{_WORD} )?{_WORD} [А-ЯЁ][а-яё]{{2,15}}(?:ович|евич|ьич|овн|евн|ичн)[а-яё]{{0,2}}"
        rf"(?: {_WORD})?)(?!\w)",
    ),
    _rule("PERSON", r"(?<![\w.])(?P<it>(?:[А-ЯЁ]\. ?){1,2}[А-ЯЁ][а-яё-]{2,25})(?!\w)"),
    _rule(
        "PERSON",
        r"(?<!\w)(?:מר|גב['׳]|גברת|ד[\"״]ר|פרופ['׳]|פרופסור|עו[\"״]ד|הרב|ח[\"״]כ|חבר הכנסת|חברת הכנסת)"
        rf" (?P<it>{_HEBREW}(?: {_HEBREW})?)",
    ),
    _rule(
        "PERSON",
        r"(?<!\w)(?i:name|my name is|nombre|apellidos|paciente|patient|médico|mein name ist|ich heiße|me llamo|"
        rf"меня зовут|имя|фио|regards|sincerely|grüßen|saludos)[:,]?\s{{1,2}}{_NAME}",
    ),
)

ADDRESSES = (
    _rule(
        "ADDRESS",
        rf"(?<![\w.])[0-9]{{1,5}}[A-Za-z]? (?:[NSEW]\.? )?(?:{_WORD} ){{1,3}}"
        r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Square|Sq|Place|Pl|Terrace|Close)"
        r"(?!\w)\.?(?:,? (?:Apt|Apartment|Suite|Unit|Flat)\.? [\w-]{1,6})?",
    ),
    _rule(
        "ADDRESS",
        rf"(?<!\w)(?:[{_UP}][\w-]{{1,40}}?(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer)|"
        rf"{_WORD} (?:Straße|Str\.|Weg|Platz|Allee|Gasse|Ring|Damm)) "
        rf"[0-9]{{1,4}}(?: ?[a-z](?!\w))?(?:, [0-9]{{5}} {_WORD})?",
    ),
    _rule(
        "ADDRESS",
        r"(?<!\w)(?i:calle|c/|c\.|avda\.|av\.|avenida|plaza|pza\.|paseo|camino|carretera|ronda|urb\.) ?"
        rf"(?:(?:de|del|la|las|los|el|y) ){{0,3}}{_WORD}(?: (?:(?:de|del|la|las|los|y) ){{0,3}}{_WORD}){{0,3}}"
        r"(?:,? (?:n[º°.] ?|núm\. )?[0-9]{1,4}(?:,? [0-9]{1,2} ?[º°ª]? ?[A-Z]?(?!\w))?)?",
    ),
    _rule(
        "ADDRESS",
        rf"(?<!\w)(?:ул\.|улица|улице|пр\.|просп\.|проспекте?|пер\.|переулке?|пл\.|площад[ьи]|наб\.|шоссе|бульваре?) ?"
        rf"{_WORD}(?: {_WORD}){{0,2}}(?:, ?(?:д\. ?|дом )?[0-9]{{1,4}}[а-я]?(?!\w))?"
        r"(?:, ?(?:кв\.|квартира|оф\.) ?[0-9]{1,4})?",
    ),
    _rule(
        "ADDRESS",
        rf"(?<!\w)ב?(?P<it>(?:רחוב|רח['׳]|שדרות|שד['׳]|סמטת|דרך) {_HEBREW}(?: {_HEBREW}){{0,2}} [0-9]{{1,3}}"
        rf"(?:, {_HEBREW}(?: {_HEBREW})?)?)",
    ),
    _rule("ADDRESS", rf"(?<![\w.,-])(?:D-|E-)?[0-9]{{5}} {_WORD}(?: {_WORD})?(?!\w)"),
    _rule("LOCATION", rf"(?<!\w)(?P<it>{_WORD}(?: {_WORD})?, [A-Z]{{2}}(?: [0-9]{{5}}(?:-[0-9]{{4}})?)?)(?!\w)"),
    _rule(
        "LOCATION", rf"(?<!\w)(?:г\.|город[еау]?|[Cc]ity of|[Ss]tadt|ciudad de|העיר) ?(?P<it>{_WORD}|{_HEBREW})(?!\w)"
    ),
)

ORGANIZATIONS = (
    _rule(
        "ORGANIZATION",
        rf"(?<!\w){_WORD}(?:,? (?:& )?{_WORD}){{0,4}},? (?:Inc|Corp|Corporation|Ltd|Limited|LLC|LLP|PLC|plc|Company|"
        r"GmbH|AG|KG|OHG|SE|S\.A\.U?|S\.L\.U?|SA|SL|N\.V|B\.V|e\.V)(?!\w)\.?",
    ),
    _rule("ORGANIZATION", r"(?<!\w)(?:ООО|ОАО|ЗАО|ПАО|АО|ИП|НКО|ФГУП) [«\"][^«»\"\n\0]{1,60}[»\"]"),
    _rule("ORGANIZATION", rf"(?<!\w)(?:(?!חברת ){_HEBREW} ){{1,3}}בע[\"״]מ(?!\w)"),
    _rule(
        "ORGANIZATION",
        r"(?<!\w)(?:University|Ministry|Bank|Court|Institute|Universität|Universidad|Hospital|Clínica|Ministerio|Banco|"
        r"Instituto|Ayuntamiento|Facultad)(?: (?:of|for|de|del|la|los|las|und|y|General|Universitario)){0,3}"
        rf"(?: {_WORD}){{1,3}}",
    ),
    _rule(
        "ORGANIZATION",
        rf"(?<!\w)(?:{_WORD} ){{1,3}}(?:University|Bank|Hospital|Court|Institute|Foundation|Association|Group)(?!\w)",
    ),
    _rule("ORGANIZATION", rf"(?<!\w)(?:משרד ה|בנק |אוניברסיטת |חברת |בית החולים ){_HEBREW}(?: {_HEBREW})?"),
)
