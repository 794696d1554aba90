"""Options that a spreadsheet turned into times or dates, and what they likely were."""

from __future__ import annotations

import re
from datetime import date, timedelta

_TIME = re.compile(r"(\d{1,3}):(\d{2}):00")
_STAMP = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?: (\d{2}):(\d{2}):00)?")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY_AND_MONTH = re.compile(rf"(\d{{1,2}})-({'|'.join(_MONTHS)})|({'|'.join(_MONTHS)})-(\d{{2}})", re.IGNORECASE)
_LONG_DECIMAL = re.compile(r"\d{1,2}\.\d{12,}")
_EPOCH = date(1899, 12, 30)  # day 0 of spreadsheets' date numbers
_FIRST_NUMBER, _LAST_NUMBER = 44927, 45291  # the days of 2023, when the benchmarks were made
_TYPED_SINCE = 2015  # a date without a time before this may well be an option's own words


def likely_original(option: str) -> str | None:
    """What an option was before a spreadsheet took it for a time or a date: "1:2" of "01:02:00", "1/4" of "44930".
    Where a ratio, a fraction or a day may have been meant, both are given.

    None for an option that looks untouched. A guess, to be shown as one: the file itself no longer says.
    """
    text = option.strip()
    for read in (_from_time, _from_stamp, _from_day_and_month, _from_number):
        found = read(text)
        if found is not None:
            return found
    return None


def _from_time(text: str) -> str | None:
    time = _TIME.fullmatch(text)
    return _ratio(int(time[1]) * 60 + int(time[2])) if time else None


def _from_stamp(text: str) -> str | None:
    stamp = _STAMP.fullmatch(text)
    if stamp is None:
        return None
    year, month, day = int(stamp[1]), int(stamp[2]), int(stamp[3])
    if year == 1900 and stamp[4] is not None:  # days since the start of all spreadsheet dates: a number or a ratio
        days = (date(1900, max(month, 1), max(day, 1)) - date(1899, 12, 31)).days if _is_date(1900, month, day) else 0
        minutes = days * 1440 + int(stamp[4]) * 60 + int(stamp[5])
        return str(days) if minutes == days * 1440 else _ratio(minutes)
    if not _is_date(year, month, day) or (stamp[4] is None and year < _TYPED_SINCE):
        return None
    return f"{month}/{day} or {month}月{day}日" if year >= _TYPED_SINCE else f"{year}-{month}-{day}"


def _from_day_and_month(text: str) -> str | None:
    found = _DAY_AND_MONTH.fullmatch(text)
    if found is None:
        return None
    month = [name.lower() for name in _MONTHS].index((found[2] or found[3]).lower()) + 1
    return f"{month}/{int(found[1] or found[4])}"


def _from_number(text: str) -> str | None:
    if text.isdecimal() and len(text) == 5 and _FIRST_NUMBER <= int(text) <= _LAST_NUMBER:
        day = _EPOCH + timedelta(days=int(text))
        return f"{day.month}/{day.day}"
    if _LONG_DECIMAL.fullmatch(text):
        minutes = float(text) * 1440
        if abs(minutes - round(minutes)) < 1e-6:
            return _ratio(round(minutes))
    return None


def _ratio(minutes: int) -> str:
    """Hours and minutes as the two parts of a ratio; 60 in the second place is a whole hour more."""
    hours, rest = divmod(minutes, 60)
    return f"{hours}:{rest}" if rest or not hours else f"{hours}:0 or {hours - 1}:60"


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
