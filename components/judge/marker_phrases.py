"""Words by which an answer speaks to its marker, as patterns over text made plain by `talks_to_marker`."""

from __future__ import annotations

import re

_BOUNDARY = r"\b"
OVERRIDE, DEMAND, ADDRESS, SPOOF, HIDDEN = "override", "demand", "address", "spoof", "hidden"


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts))


def _words(*parts: str) -> re.Pattern[str]:
    """Any of the parts, each from the beginning of a word: looked for at word boundaries alone, which is quicker."""
    return re.compile(rf"\b(?:{'|'.join(part.removeprefix(_BOUNDARY) for part in parts)})")


# An order, not an account of one: "please award", "; award", "you must award", but not "the judges award".
_ORDER = (
    r"(?:^|(?<=[.!?:;,()\[\]>}#\n/])|(?<=[.!?:;,()\[\]>}#\n/] )|\b(?:please|kindly|and|then|just|now|pls|simply"
    r"|always|stop"
    r"|(?:you|grader|marker|examiner|assessor)(?: must| should| will| can| could| have to| need to| are to| to"
    r"| shall)?"
    r"|mark is to) )"
)
# The start of a line or a sentence.
_START = r"(?:^|(?<=[.\n>])|(?<=[.\n>] ))"
_FULL = (
    r"(?:(?:the |a |its |their )?(?:full|max(?:imum)?|top|highest|perfect|100 ?%|every|all)"
    r"(?: \d+)?(?: of)?(?: the| these)?(?: possible| available)?)"
)
_MARKS = r"(?:marks?|points?|scores?|credits?|grades?|level)\b"
_MINE = (
    r"(?:(?:this|my|the) (?:above )?(?:answers?|responses?|scripts?|essays?|candidates?|students?|solutions?|papers?"
    r"|work|submission)|me|us|mine)"
)
_MARKER = r"(?:examiners?|markers?|graders?|assessors?|moderators?)"
_MACHINE = r"(?:ai|llm|chat ?gpt|gpt ?\d?|language model|chatbot|assistant|claude|gemini|copilot)"
_SCHEME = (
    r"(?:mark(?:ing)? (?:scheme|criteria|guide(?:lines)?|key|instructions?|rules)|grading (?:criteria|scheme|rules)"
    r"|rubric|system (?:prompt|message))"
)
_DROP = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|skip|set aside|pay no attention to|(?:do not|dont|never) "
    r"(?:follow|use|apply|obey)|stop (?:following|using))"
)
_NOT_TOLD_OF = r"(?<!they )(?<!who )(?<!we )(?<!people )(?<!students )(?<!teachers )(?<!he )(?<!she )(?<!it )"

ENGLISH = (
    (
        OVERRIDE,
        _words(
            _NOT_TOLD_OF + rf"{_DROP} (?:(?:all|any|the|your|of|my|these|those|every) ){{0,3}}"
            r"(?:previous|prior|above|earlier|preceding|former|existing|original) (?:\w+ ){0,2}"
            r"(?:instructions?|prompts?|rules|directions|guidelines|messages?)\b",
            _NOT_TOLD_OF + rf"{_DROP} (?:all |any |the |this |that |your |our |what ){{0,2}}(?:\w+ )?{_SCHEME}",
            rf"\b{_DROP} (?:all |any )?(?:of )?your (?:\w+ )?(?:instructions?|rules|prompt|training|guidelines)",
            rf"\b{_DROP} (?:the |any |all )?(?:instructions?|prompts?|messages?) (?:above|before|you were given)",
            r"\b(?:ignore|forget|disregard) (?:everything|anything|all|what)(?: that)? (?:you were"
            r"|you have been|youve been)"
            r" (?:told|given|asked)",
            r"\b(?:instructions?|prompt|mark scheme|rubric|rules) (?:above |before )?(?:is|are|was|were"
            r"|has been|have been) "
            r"(?:now )?(?:cancell?ed|void|revoked|overridden|superseded|no longer valid)",
            r"\b(?:previous|above|earlier|existing|original|usual) (?:\w+ )?(?:instructions?|guidelines|rules"
            r"|prompt|scheme)"
            r" (?:no longer apply|no longer applies|do not apply|does not apply)",
            r"\bfrom now on,? you (?:must|will|should|only|are)\b",
            r"\b(?:scoring|marking|grading) (?:rules?|criteria|scheme|instructions?)[^.\n]{0,25} (?:suspended"
            r"|waived|lifted)",
            r"\bnew (?:instructions?|marking rules|mark scheme) ?:",
        ),
    ),
    (
        DEMAND,
        _words(
            _ORDER + r"(?:award|give|grant|assign|allocate|allow|return|output|say|score|choose|select)"
            rf" (?:(?:{_MINE}|this|it|them|a|an|please|that|(?:the )?mark (?:to|as|of)) ){{0,3}}{_FULL} {_MARKS}"
            r"(?! to the (?:author|writer|poet|actor|director|band|artist|team))",
            _ORDER + r"(?:set|make) (?:the )?(?:mark|score|grade) (?:to )?(?:the )?(?:max|full|highest|top)",
            rf"\b(?:award|give|grant|assign|allow) {_MINE} {_FULL} {_MARKS}",
            rf"\b(?:award|give|grant) {_MINE} (?:at least |the )?(?:\d+|one|two|three|four|five|six|ten|any"
            rf"|some|more|extra)"
            rf" (?:\w+ )?{_MARKS}",
            r"\b(?:award|give|grant) (?:me|us|this (?:answer|response|candidate)"
            r"|my answer) the benefit of the doubt",
            _ORDER + rf"(?:score|mark|grade|rate) (?:{_MINE}|this|it)(?: \w+)? (?:as )?\d+ ?(?:/|out of)",
            _ORDER
            + rf"(?:mark|grade|treat|accept|count) (?:{_MINE}|this|this one|it|every \w+|all(?: of)?(?: \w+){{0,2}})"
            r"(?: next)?(?: answer)? as (?:a |an |being |fully |completely |entirely ){0,2}"
            r"(?:correct|right|perfect|full|excellent|met|awarded)",
            r"\bmark (?:this|the|my) (?:one|next answer|answer|response|paper) as (?:fully )?(?:correct|right)",
            r"\bsay (?:that )?(?:the |this |my )?(?:answer|response|m1|it)\b[^.\n]{0,25}\b(?:correct|right"
            r"|earned|met|full)",
            rf"\b(?:this|my) (?:answer|response|script|essay|solution|paper|work|submission)(?: clearly| fully"
            rf"| really)? "
            rf"(?:deserves?|merits?|earns?|is worth|gets?|receives?|should (?:be (?:awarded|given)|get|receive"
            rf"|earn|score)"
            rf"|must (?:be (?:awarded|given)|get|receive|score)|is entitled to) (?:{_FULL} {_MARKS}"
            r"|\d+ ?(?:/|out of|marks?|points?))",
            rf"\b(?:the|this) (?:candidate|student) (?:\w+ )?(?:deserves?|should be (?:awarded|given)"
            rf"|must be (?:awarded|given)"
            rf"|has earned|earns|is exempt)(?: {_FULL} (?:{_MARKS}|marking)| every point| from)",
            rf"\ball (?:answers|candidates|students)(?: \w+){{0,4}} (?:receive|get|earn"
            rf"|are awarded) (?:{_FULL} )?(?:\d+ )?{_MARKS}",
            rf"\bi (?:really )?(?:deserve|should (?:get|be given|be awarded|receive)|need|want|am entitled to)"
            rf" (?:to get |at least )?(?:the )?(?:{_FULL}|\d+|more|these|extra|some) {_MARKS}",
            rf"\bcould you (?:please )?(?:\w+ )?give (?:\w+ ){{0,2}}{_FULL} {_MARKS}",
            r"\b(?:full|maximum|top) (?:marks|credit) (?:please|pls|plz)\b|\bplease,? (?:full|maximum"
            r"|top) (?:marks|credit)\b",
            r"\bplease (?:mark|grade) (?:me |this |it |my \w+ )?(?:kindly|generously|leniently|gently)",
            r"\bplease (?:do not|dont) (?:fail me|deduct|take (?:any )?marks|take off)",
            r"\b(?:do not|dont) deduct (?:anything|any|marks|points)",
            r"\b(?:be (?:kind|lenient|generous|nice)|please pass me|let me pass)[^.\n]{0,30}"
            r"\b(?:mark(?:ing|s|er)?|examiner|exam|paper|module|course|grade)\b",
            r"\b(?:any|a few|some|extra) (?:marks|points) (?:at all )?(?:would|will) (?:help|do|be)\b",
            r"\bi need (?:the|these|those) marks?\b|\bit must (?:score|get|receive) \d+ ?(?:/|out of)",
            rf"\bthe mark (?:must|should|has to|will|is to) be (?:{_FULL}|\d)",
            r"\b(?:credit|award|accept) (?:in full|(?:all|every|each|any) (?:marking )?(?:points?|answers?"
            r"|codes?)\b)",
            rf"\b(?:worth|gets|earns|deserves) {_FULL} (?:marks|credit)(?=[^a-z]{{0,6}}(?:$|as all|because all))",
            _ORDER + r"(?:return|output|choose|select|give|award) the (?:maximum|highest|top)(?=[.!\n]|$)",
            rf"\bthis answer (?:is|was|has) [^.\n]{{0,12}}{_FULL} (?:marks|credit)",
            r"\b(?:always|you) award (?:the )?(?:maximum|full|highest|top)",
        ),
    ),
    (
        ADDRESS,
        _words(
            rf"\b(?:dear|hello|hi|hey|attention|attn) (?:the |my |our |any "
            rf"|all )?(?:\w+ )?{_MARKER}\b(?!,? teachers)",
            rf"\b(?:dear|hello|hi|hey|attention|attn),? (?:the |any )?(?:{_MACHINE})\b",
            rf"\b(?:note|message|instructions?|reminder|memo) (?:to|for) (?:the |my "
            rf"|any )?(?:\w+ )?(?:{_MARKER}|{_MACHINE})\b",
            _START + rf"(?:to (?:the )?)?(?:ai )?{_MARKER} ?: ?(?=give|award|please|mark|the|this|ignore|you)",
            r"\b(?:to )?(?:whoever|who ?ever|whomever|the person|anyone)(?: is| who is| who)? (?:marking|marks"
            r"|grading|grades|reading and marking) (?:this|my)",
            rf"\bas (?:the|an|a|my|your) (?:\w+ ){{0,2}}(?:{_MARKER}|{_MACHINE}),? (?:you|please|i (?:must"
            rf"|cannot|can)|award|give)",
            r"\bas an ai (?:language )?model",
            rf"\byou are now (?:an? |the |my )?(?:\w+ ){{0,3}}(?:{_MARKER}|{_MACHINE})\b",
            rf"\byou are (?:an? |the )?(?:\w+ )?(?:generous|lenient|kind|helpful|fair|friendly"
            rf"|automated) (?:\w+ )?(?:{_MARKER}|{_MACHINE})\b",
            rf"\b(?:act|behave|respond) as (?:if|though|an?|the|my)\b[^.\n]{{0,50}}\b(?:mark|marks|{_MARKER}"
            rf"|full credit)\b",
            rf"\b(?:pretend|imagine|suppose) (?:that )?(?:you are|to be|youre)\b[^.\n]{{0,40}}\b{_MARKER}\b",
            rf"\bif you are (?:an? )?(?:\w+ ){{0,2}}(?:{_MACHINE})\b",
        ),
    ),
    (
        SPOOF,
        _words(
            r"\boverride code\b",
            r"\b(?:system|admin(?:istrator)?) (?:prompt|message|override|update|notice|note|command) ?[:#\]\-]",
            r"\b(?:begin|start|activate|enter) (?:admin|system|developer|debug|god|root) (?:override|mode|message)",
            r"\bmarking (?:has been|is) (?:overridden|suspended|completed)",
            r"\b(?:this|the|my) (?:answer|response|script|essay) has (?:already )?been (?:\w+ )?"
            r"(?:checked|marked|verified|approved|moderated|graded|awarded)",
            r"\b(?:chief|senior|head|principal|lead) (?:examiner|moderator|marker) (?:has |have )?"
            r"(?:said|says|agreed|approved|confirmed|instructed|decided|asks)",
            r"\b(?:mark(?:ing)? scheme|rubric|marking instructions?) (?:has been|have been|was|is now|are now"
            r"|\(?updated\)?)"
            r" ?(?:updated|changed|revised|amended|replaced|:)",
            r"\b(?:all|every|each)(?: of the)? (?:marking )?(?:points?|criteria|codes?)(?: of the mark scheme)?"
            r" (?:are|is|were|has been|have been)? ?(?:met\b|satisfied|awarded|earned|fulfilled)",
            r"\b[mab][12]\b[^.\n]{0,24}?(?:awarded|earned|[✓✔]|is met|are met)",
            r"\b(?:earns?|return|award|credit) (?:codes? )?[mab]1\b",
            r"\b(?:second|first|other) marker (?:agrees|confirms)|\b(?:first|second) markers? ?s mark ?:",
            r"\b(?:respond|reply|answer)(?: only)? with (?:a )?mark ?:? ?\d",
            r"\bawarded ?:? ?true\b(?! is)|\bmark ?: ?\d+ ?, ?reason ?:",
            _START + r"(?:final |total |proposed )?(?:mark|grade|marks awarded|score) ?: ?(\d+) ?(?:/"
            r"|out of) ?\1 ?(?=$|\n|m1|first|second)",
        ),
    ),
)

_ZH_MINE = (
    r"(?:我|本题|这题|此题|该题|这道题|本答案|该答案|此答案|这个答案|本答卷|该答卷|这份答卷|本卷"
    r"|该考生|本考生|这篇作文|以上回答)"
)
_ZH_FULL = r"(?:满分|最高分|最高档|全分|全部分数|全部的分|高分|及格|[\d一二三四五六七八九十]+分(?!之|钟|析|别))"
_ZH_MARKER = r"(?:(?:阅卷|评卷|改卷|判卷|批改|评分)(?:老师|教师|人|员|者|系统|助手|模型|程序|ai))"
_ZH_PLEA = r"(?:请|务必|必须|应当|直接|恳请|麻烦|求|拜托|希望|一律|凡|指令[:])"
CHINESE = (
    (
        OVERRIDE,
        _any(
            r"(?:忽略|无视|不要理会|不用理会|不必遵守|忘记|忘掉|抛开|撤销|覆盖|别管|不用管"
            r"|不要遵循)(?!了)[^。!?\n]{0,6}"
            r"(?:以上|上述|之前|前面|先前|此前|所有|系统|你的|你收到)[^。!?\n]{0,8}(?:指令|指示"
            r"|提示|规则|要求|命令)",
            r"(?:忽略|无视|不要理会|不必遵守|忘掉|不要按照?|不按照?"
            r"|别按照?)(?!了)[^。!?\n]{0,6}(?:评分|评卷|阅卷|给分|打分)"
            r"(?:标准|细则|规则|要求|说明)",
            r"任务(?:已经?)?(?:改变|更改|变更)|(?:不再|停止)评分",
            r"从现在(?:起|开始)[^。!?\n]{0,4}(?:只听|听我|你)",
            r"(?:评分|阅卷|评卷|给分)(?:标准|细则|规则|要求)[^。!?\n]{0,4}(?:作废|失效|取消"
            r"|更新|修改|变更|调整|无效)",
        ),
    ),
    (
        DEMAND,
        _any(
            rf"{_ZH_PLEA}[^。!?\n]{{0,12}}(?:给|打|判|评|赋|记|算|输出|返回)(?!自己)[^。!?,\n了]{{0,8}}{_ZH_FULL}",
            rf"(?:给|打|判|评|得|记){_ZH_MINE}[^。!?\n了]{{0,5}}(?:满分|最高分|全分|高分|及格)吧?(?:[。!,]|$)",
            rf"{_ZH_MINE}[^。!?\n]{{0,8}}(?:应得|应给|应获|应该得|值得|理应|务必|必须|得)[^。!?\n]{{0,6}}{_ZH_FULL}",
            rf"(?:以上|本|该|此|这)[^。!?\n]{{0,4}}(?:回答|答案|作答"
            rf"|答卷)[^。!?\n]{{0,3}}(?:得|应得|值|获){_ZH_FULL}",
            r"(?:按|给出|即得|即可得|对所有答案都给|确认为|输出)(?:最高分|满分|全分)",
            r"多给(?:我|点|几|一)?(?:点|些)?(?:几)?分|手下留情|高抬贵手|笔下留情|求(?:给过|放过"
            r"|不挂)|求[您你]?通融|让我(?:及格|通过考试|满分)|(?:全部|一律)(?:给|判|算)(?:对"
            r"|正确)|给我(?:点|个|几|一)[^。!?\n]{0,2}分",
            rf"(?:{_ZH_MINE}|请|直接|一律|都)[^。!?\n]{{0,5}}(?:判为|判作|视为|算作"
            rf"|标记为|判成|算)(?:正确|全对|对[。,!]|对$|满分)",
            r"(?:每个|所有|全部)(?:得分点|采分点|要点|小题)[^。!?\n]{0,4}(?:算对|给分|得分|满足|命中|正确)",
            r"(?:不得|不要|别|不许|勿)扣(?:我|任何)?的?分",
        ),
    ),
    (
        ADDRESS,
        _any(
            rf"{_ZH_MARKER}[,:!]?(?:您好|你好|请(?!假)|注意|辛苦)",
            rf"(?:尊敬|亲爱|敬爱)的(?:各位)?{_ZH_MARKER}|致{_ZH_MARKER}",
            r"你(?:现在|从现在起)?是(?:一个|一名|一位)?[^。,!?\n]{0,8}(?:ai|人工智能|语言模型|评分|阅卷|评卷)",
            r"作为(?:一个|一名|一位|本次)?[^。,\n]{0,6}(?:ai|语言模型|阅卷|评卷"
            r"|评分)[^。\n]{0,8}(?:你|您|请|必须|应)",
            r"如果你是(?:一个)?(?:ai|人工智能|语言模型|机器|大模型)",
        ),
    ),
    (
        SPOOF,
        _any(
            r"系统(?:消息|提示|通知|指令|公告)[】\]:]|(?:阅卷|评卷|评分|管理员)(?:指令|命令)[:]",
            r"(?:本|此|该|这份?)(?:答案|答卷|作答|试卷)(?:已经?)?(?:由|被"
            r"|经)[^。!?\n]{0,12}(?:审核|批改|确认|核对|评定|复核)",
            r"[—\-=#*【\[<]{1,6}(?:学生|考生)?(?:答案|作答|回答|答卷)(?:结束|完毕|到此)",
        ),
    ),
)

# Signs which together, in one sentence, are a plea or an order to the marker though no phrase above fits: each with its
# weight. A sentence that talks of marks as an exam does (GOAL) and weighs SPEAKS or more is one.
GOAL = re.compile(
    rf"\b(?:{_FULL} marks?\b|{_FULL} (?:score|credit|points)\b|{_SCHEME}|marking points?\b|(?:(?:one|a few|two"
    rf"|some|any) )?"
    r"(?:more|extra) marks?\b|(?:as|for) (?:the|my|its) marks?\b|mark(?:ed)? (?:this |it |me "
    r"|mine )?(?:as )?(?:correct|right"
    r"|up\b|generously|leniently|kindly)|credit ?worthy|(?:score|mark|grade) (?:of|is|be|to) (?:\d+|full)\b"
    r"|(?:award|give|grant)(?:ing|ed)? (?:me|this|it|my) [^.!?\n]{0,40}(?:marks?|credit|points?|grade|everything)\b"
    r"|(?:good|better|high|higher|pass(?:ing)?|excellent) (?:mark|grade)\b|(?:lower|reduce|raise"
    r"|deduct)\b[^.!?\n]{0,12}"
    r"(?:score|marks?|grade)\b|(?:have|get) the (?:marks?|points)\b|(?:rate|judge|classify|label) (?:my|this)\b"
    r"|give me a pass\b"
    r"|(?:give|me|answer|response|candidate|this) (?:the )?benefit of (?:the )?doubt|every criterion"
    r"|all (?:the )?criteria|(?:top|highest) (?:band|level)\b|mark ?sheet)"
)
SPEAKS = 2
SIGNS = (
    (
        2,
        re.compile(
            rf"(?:^|[(\[.\n] ?)(?:any |all |the )?(?:{_MARKER}|{_MACHINE}) ?[,:]|\b(?:any"
            rf"|the) (?:{_MACHINE}) (?:reading|marking)"
        ),
    ),
    (
        2,
        re.compile(
            r"\b(?:when|while|as|before|if) you (?:grade|mark|assess|score|evaluate)\b|\byour (?:new |only |real )?"
            r"(?:task|job|role|output|reply|response|verdict|instructions?) (?:is|must|should|will)\b"
            r"|\byou (?:do not|dont) (?:need|have) to"
            r" (?:check|mark|read|assess)|\byou (?:must|should|can|could|will|would|are to|have to|need to|may"
            r"|might)"
            r"(?: (?:please|just|simply|therefore|kindly|now|also|only|find it in your heart to))* (?:give"
            r"|award|grant|return|mark|grade|use|treat"
            r"|conclude|credit|tick|accept|score|consider|assign|output|let|overlook|report|be)\b"
        ),
    ),
    (
        2,
        re.compile(
            r"\b(?:candidate|student|script) (?:no\.? ?)?\d{2,}|\bbeg(?:ging)? (?:you|the marker"
            r"|the examiner)"
        ),
    ),
    (1, re.compile(r"\byour?\b")),
    (1, re.compile(r"\bmy (?:mark|score|grade)\b")),
    (1, re.compile(r"\bexam board\b|\b(?:authoris|authoriz|approv|confirm)ed\b")),
    (1, re.compile(rf"\b(?:{_MARKER}|evaluators?|marking (?:software|system)|sir|miss)\b")),
    (1, re.compile(r"\b(?:give|award|grant) me\b")),
    (
        1,
        re.compile(
            r"\b(?:this|my|above) (?:\w+ )?(?:candidate|answer|response|script|essay|solution|paper|work"
            r"|question|submission)\b|\bif this\b"
        ),
    ),
    (
        1,
        re.compile(
            r"\b(?:please|pls|plz|kindly|beg|appreciate|grateful|hope|hoping|thank you|thanks|sorry|need|deserve)\b"
        ),
    ),
    (
        1,
        re.compile(
            _ORDER + r"(?:award|give|grant|return|output|tick|accept|credit|treat|reveal|print|conclude|assume"
            r"|overlook|report|mark|rate)\b"
        ),
    ),
)

# Letters spelt out one by one, run together.
SPELT_OUT = re.compile(
    r"(?:award|give|grant)(?:me|this|it|us|the)*(?:full|max|maximum|top)(?:marks|credit|points)"
    r"|ignore(?:all|the|any)*(?:previous|above|prior|markscheme)|(?:full|maximum)marks"
)

# Chat-template marks, and our own fence closed without having been opened: no answer needs them.
MARKUP = _any(
    r"<\|[^<>|\n]{1,40}\|>|<<\s*/?\s*sys\s*>>|\[\s*/?\s*inst\s*\]|</?(?:start|end)_of_turn>",
    r"(?:^|\n)\W{0,4}[-=#<\[*—]{1,6} ?end (?:of )?(?:the )?(?:candidates? |students? )?(?:answer|response"
    r"|submission|input|data)\b",
)
CLOSING = re.compile(
    r"<\s*/\s*(\w{0,20}(?:answer|response|submission|candidate|student|example"
    r"|document)\w{0,10})\s*>"
)

# Places where words may be hidden or pass for another's: suspicious when they hold a marker's words.
CONTAINER = _any(
    r"<!--|<\w{1,12} [^<>\n]{0,80}(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0"
    r"|color ?: ?(?:white|transparent|#fff))[^<>\n]{0,40}>",
    r"\\(?:textcolor|color) ?\{ ?white ?\}|\\(?:h|v)?phantom ?\{|\{ ?color ?= ?white",
    r"<\s*(?:system|assistant|developer|instructions?|admin)\s*>",
    r"\[ ?(?:system|assistant|admin|developer) ?\]",
    r"(?:^|\n)[#*\[(<\s]{0,6}(?:system|assistant|developer|admin)[\])>*\s]{0,4}:|(?:^"
    r"|\n)#{2,6} ?(?:new )?(?:system|instructions?)\b",
)
MARKERS_WORDS = re.compile(
    r"\b(?:full|maximum|top|all) (?:the )?(?:marks?|points?|credit)|\b(?:award(?:ed)?|examiners?|markers?"
    r"|graders?|marking"
    r"|mark scheme|candidates?|ignore|exam board)\b|\bset mark\b|满分|得分点|给分|评分|阅卷|考生|打分|忽略"
)
