"""Keeping an answer data: defusing what could end its fence, and noticing words meant for the marker."""

from __future__ import annotations

import re
import unicodedata

# Fences of ours, and the marks by which chat templates of common models begin and end a turn.
_DELIMITERS = re.compile(
    r"[<＜〈]\s*[/／]?\s*(?:answer|example|system|user|assistant|developer|tool|think|start_of_turn|end_of_turn"
    r"|eos|bos)\b|[<＜]\s*[/／]?\s*s\s*[>＞]|[<＜][|｜][^<>|｜\n]{1,40}[|｜][>＞]|[<＜]{2}\s*/?\s*SYS|\[\s*/?\s*INST\s*\]",
    re.IGNORECASE,
)
_OPENINGS = str.maketrans({"<": "‹", "＜": "‹", "〈": "‹", ">": "›", "＞": "›", "〉": "›", "[": "(", "]": ")"})

_TALKS_TO_MARKER = re.compile(
    r"\bignore (?:all |any |the )*(?:previous|prior|above|earlier|preceding)\s*(?:\w+ ){0,2}"
    r"(?:instructions?|prompts?|rules)"
    r"|\b(?:disregard|forget|ignore|override) (?:all |any |the |your |this )*"
    r"(?:mark(?:ing)? scheme|instructions?|rubric)"
    r"|\b(?:award|give|grant|assign)\s+(?:me |this |it |the |my |student |candidate |answer |response |a |them )*"
    r"(?:full|maximum|max|all|top|highest)\s*(?:possible |available |the )*(?:marks?|scores?|credit|points)"
    r"|\b(?:award|give) (?:me|this (?:answer|response|candidate)) \d+ (?:marks?|points)"
    r"|\b(?:dear|hello|hi|attention|note to)(?: the)? (?:marker|examiner|grader|ai|model|assistant)\b"
    r"|you are now (?:an? |the )?(?:\w+ )?(?:ai|language model|assistant|grader|marker|chatbot)\b"
    r"|as an ai (?:language )?model|system (?:prompt|override)"
    r"|(?:忽略|无视|忽視|無視|不要理会)[^。\n]{0,12}(?:指令|指示|提示|要求|评分标准|評分標準|规则|規則)"
    r"|(?:请|請)?(?:给|給|打|判)(?:我|本题|本題|这题|此题|该考生|这份答卷|出)?(?:满分|滿分|最高分|全部分数)"
    r"|(?:阅卷|閱卷|评卷|評卷|批改)(?:老师|老師|教师|教師|人|员|員)[，,:：]?\s*(?:您好|你好|请|請)"
    r"|你(?:现在|現在)?是(?:一个|一個|一名)?\s*(?:AI|人工智能|语言模型|評分|评分|阅卷)",
    re.IGNORECASE,
)


def neutralised(text: str) -> str:
    """The text without characters that cannot be seen, its look-alikes of our fences and of chat turns defused."""
    lines = "\n".join(text.splitlines())
    seen = "".join(c for c in lines if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    return _DELIMITERS.sub(lambda found: found.group().translate(_OPENINGS), seen).strip()


def talks_to_marker(text: str) -> str | None:
    """The words with which an answer addresses its marker rather than the question, or None."""
    found = _TALKS_TO_MARKER.search(unicodedata.normalize("NFKC", text))
    return " ".join(found.group().split()) if found else None
