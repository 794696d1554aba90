"""Whether an option that an answer names is turned down there: "不选A", "排除选项A", "not option B", "B is wrong"."""

from __future__ import annotations

import re

_NEAR = 80  # characters before a cue in which its denial is looked for

_CHINESE_DENIAL = re.compile(
    # Doubled it is a must ("不得不选", "不能不选"); 没错, 分别 and 无非 deny nothing, and "A错选B" denies A.
    r"(?:(?<!不得|不能|不可)不|(?<![分特类级性区辨识差])别|勿|未|没有?|(?<!无)非|误|(?<![没不项A-H])错|无法|难以|拒绝|放弃|避免"
    r"|除[了去掉]?|剔除|[去划删丢]掉|删去|若|如果?|假[如设使若]|要是|倘若|难道|为什么|为何|怎么|何必)"
    r"(?:能够?|可以?|可能|应该?|应当|该|当|要|会|想|得|敢|再|宜|用|需|必|是|为|了|都|就|把|考虑|建议){0,4}\Z"
    r"|(?<!不得|不能|不可)不 \Z"
)
_CHINESE_WRONG_ONE = re.compile(r"(?:错误?|有误|不(?:正确|对|妥|恰当|合适|可能|合理|符合?题意|合题意|成立|符合?))的?\Z")
_FILLER = (
    r"(?: +(?:think|thinks|believe|believes|say|feel|mean|agree|that|this|it|is|be|was|the|an?|any|choos\w+|chose|pick"
    r"|select|go|with|for|to|of|would|should|could|possibly|really|even|either|true|case|possible"
    r"|convinced)){0,8} *[\"'(\[]*\Z"
)
_ENGLISH_DENIAL = re.compile(
    r"(?:\b(?:not|never|nor|neither|nobody|cannot|unlikely|except(?: +for)?|if|unless|whether"
    r"|avoid\w*|nearly|almost|unlike|(?:other|rather) than|instead of"
    r"|(?:eliminat|exclud|reject|discard|dismiss|remov)\w*|(?:rul|cross|leav)\w* +out|(?:rul|cross)\w* +off"
    r"|(?:all|any|every|none|nothing)\w*(?: +\w+)? +but)|n't"
    rf"|(?<!no )(?<!without )(?<!without a )\bdoubt(?:s|ed)?){_FILLER}"
    r"|(?:^|[.!?;,\n]) *(?:is|was|why is|could|can|would) +\Z",
    re.IGNORECASE,
)
_ENGLISH_WRONG_ONE = re.compile(r"\b(?:no|wrong|incorrect|false) +\Z", re.IGNORECASE)
_DENIED_AFTER = re.compile(
    r"\s*[)\].]?\s*(?:(?:is|are|was|were|seems?|looks?|(?:would|must|can|could|should|may|might|has|have) be(?:en)?)\s+"
    r"(?:(?:\w+ly|also|both|all|to be)\s+)?(?:wrong|incorrect|not|never|false|too|impossible|unlikely|out|eliminated"
    r"|excluded|rejected|discarded|dismissed|ruled|crossed)\b"
    r"|(?:is|are|was|were|do|does|did|ca|can|could|should|would|will|wo|must|may|might)\s*(?:not\b|n't)|never\b)"
    # After a mark they may be the option's own words: "B. No".
    r"|(?<![.)\]])[ ]*(?:[,:(–-][ ]*)?(?:wrong|incorrect)\b|(?<![.)\]])[ ]*(?:[,(][ ]*)?no[ ]*(?:[,.;:!)]|$)"
    # "选A不选B" denies B alone, and 不难, 不错, 不仅 deny nothing.
    r"|\s*[)\].]?\s*(?:错|不(?![难错仅但]|(?:选择?|是)(?:选?项)?\s*[A-H]))"
    r"|[ ]*[)\]]?[ ]*(?:选?项)?[ ]*(?:[是都均也应可被]|明显|显然|应该|应当|可以|可能|肯定|全){0,4}"
    r"(?:错|不(?![难错仅但]|(?:选择?|是)(?:选?项)?\s*[A-H])|非(?!常|[ ]*[A-H])"
    r"|(?:排除|除去|剔除)(?!了?[ ]*(?:选项)?[ ]*[A-H])|除外|以外|之外|吗|么|呢|[×✗✘])",
    re.IGNORECASE,
)
_DENIED_LABEL = re.compile(r"(?:\bnot|\brather than|\binstead of|\bunlike)\s+(?:option\s+)?$", re.IGNORECASE)
_DENYING_WORD = re.compile(r"\s*[(\[]?(?:not?|nor|non)\b|\s*[(\[]?[不非没未别勿无错]", re.IGNORECASE)


def denied_before(text: str, cue: re.Match[str]) -> bool:
    """Whether the words before a cue ("the answer is", "选") turn down, doubt or only suppose the option after it."""
    before = text[max(0, cue.start() - _NEAR) : cue.start()]
    if _CHINESE_DENIAL.search(before) or _ENGLISH_DENIAL.search(before):
        return True
    # 错误的选项 and "wrong answer" name a wrong option; 错误的选A answers "which is wrong?", and a new sentence may
    # follow without a stop: "A is wrong the answer is C".
    if cue.group().startswith(("选项", "选择", "答案")):
        return _CHINESE_WRONG_ONE.search(before) is not None
    return cue.group()[:2].lower() not in ("th", "my") and _ENGLISH_WRONG_ONE.search(before) is not None


def denied_after(text: str, at: int = 0) -> bool:
    """Whether the words right after an option, from `at`, turn it down or ask about it."""
    return _DENIED_AFTER.match(text, at) is not None


def denied_label(before: str) -> bool:
    """Whether `before` ends in a word that turns down the bare label after it: "B, not C"."""
    return _DENIED_LABEL.search(before) is not None


def denies(text: str) -> bool:
    """Whether a text opens with a denial, which is no option's letter: "not water", "不是 水"."""
    return _DENYING_WORD.match(text) is not None
