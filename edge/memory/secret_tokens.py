"""Keys and tokens with a shape of their own: `ghp_...`, `-----BEGIN PRIVATE KEY-----`."""

from __future__ import annotations

import re

from edge.memory.secret_shapes import Label, Shape

_START, _END = r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9_-])"
_WHOLE_FILE = 1 << 31


def _own(label: Label, keys: str, pattern: str) -> Shape:
    pattern = f"{_START}(?P<secret>{pattern}){_END}"
    return Shape(label, tuple(keys.split()), re.compile(pattern, re.ASCII))


TOKENS = (
    _own(
        Label.API_KEY,
        "sk- sk_ rk_",
        r"(?:sk-(?:ant-|proj-|svcacct-|or-)?|[sr]k_(?:live|test)_)(?=[\w-]{0,400}\d)[\w-]{16,400}",
    ),
    _own(Label.API_KEY, "whsec_ shpat_ dop_v1_ glsa_", r"(?:whsec|shpat|dop_v1|glsa)_[\w+/=]{24,128}"),
    _own(Label.API_KEY, "akia asia akid ltai", r"(?:AKIA|ASIA)[A-Z2-7]{16}|AKID[A-Za-z0-9]{32}|LTAI[A-Za-z0-9]{12,20}"),
    _own(Label.API_KEY, "aiza gocspx-", r"AIza[\w-]{35}|GOCSPX-[\w-]{20,40}"),
    _own(Label.API_KEY, "sg.", r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    _own(Label.TOKEN, "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _own(
        Label.TOKEN,
        "github_pat_ glpat- npm_ pypi- hf_",
        r"(?:github_pat_|glpat-|npm_|pypi-|hf_)(?=[\w-]{0,255}\d)[\w-]{20,255}",
    ),
    _own(Label.TOKEN, "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    _own(Label.TOKEN, "ya29.", r"ya29\.[\w-]{20,512}"),
    _own(Label.TOKEN, "eyj", r"eyJ[\w-]{8,4096}\.[\w-]{8,8192}(?:\.[\w-]{4,4096}={0,2})?"),
    Shape(
        Label.TOKEN,
        (":aa",),
        re.compile(rf"{_START}(?P<secret>\d{{8,10}}:AA[\w-]{{33}}){_END}", re.ASCII),
        before=12,
        behind=60,
    ),
    _own(Label.PRIVATE_KEY, "age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{40,80}"),
    Shape(
        Label.TOKEN,
        ("bearer",),
        re.compile(r"(?i)\bbearer[ \t]{1,4}(?P<secret>(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{12,4096}={0,2})", re.ASCII),
    ),
    Shape(Label.TOKEN, ("hooks.slack.com",), re.compile(r"hooks\.slack\.com/services/(?P<secret>[\w/]{20,100})")),
    Shape(
        Label.PASSWORD,
        ("basic",),
        re.compile(
            r"(?i)\bauthorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?basic[ \t]{1,4}"
            r"(?P<secret>[A-Za-z0-9+/]{8,512}={0,2})"
        ),
        before=40,
        behind=540,
    ),
    Shape(Label.PASSWORD, ("://",), re.compile(r"://[^\s/?#:@'\"]{0,64}:(?P<secret>[^\s/?#@'\"]{1,128})@(?=[\w\[])")),
    Shape(
        Label.PRIVATE_KEY,
        ("private key-----",),
        re.compile(
            r"(?s)(?P<secret>-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z))"
        ),
        before=60,
        behind=_WHOLE_FILE,
    ),
)
