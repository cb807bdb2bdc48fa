"""Sixty secrets in the sentences of people, half of them Chinese. All are made up; those with the form of a service's
keys are put together here, so that nobody takes this file for a leak."""

from __future__ import annotations

from dataclasses import dataclass

_LETTERS = "a7Kd93LmXq02ZtRw5BvY8cHnP4eJfG6sUi1o"


def _made(prefix: str, length: int, *, alphabet: str = _LETTERS) -> str:
    """A key with that prefix and as many characters behind it."""
    return prefix + "".join(alphabet[(7 * n + length) % len(alphabet)] for n in range(length))


_CAPITALS = "A7KD3LMXQ2ZTRW5BVYCHNP4EJFG6SUIO"


@dataclass(frozen=True, slots=True)
class SecretCase:
    """A message, the secret in it, and what it is called."""

    label: str
    secret: str
    template: str

    @property
    def message(self) -> str:
        return self.template.replace("{}", self.secret)


_ROWS = [
    ("API key", _made("sk-", 48), "my OpenAI key is {} please use it"),
    ("API key", _made("sk-proj-", 60), "export OPENAI_API_KEY={}"),
    ("API key", _made("sk-ant-api03-", 80), "用这个调用接口：{}，别外传"),
    ("API key", _made("sk_live_", 24), "Stripe gave me {}."),
    ("API key", _made("AKIA", 16, alphabet=_CAPITALS), "the AWS id {} is new"),
    ("API key", _made("AKIA", 16, alphabet=_CAPITALS[::-1]), "亚马逊的密钥编号是{}"),
    ("API key", _made("AIza", 35), "maps need {}"),
    ("API key", _made("AIza", 35, alphabet=_LETTERS[::-1]), "谷歌地图的key：{}"),
    ("API key", _made("LTAI", 20), "阿里云AccessKey是{}"),
    ("API key", _made("AKID", 32), "腾讯云的SecretId：{}"),
    ("API key", _made("", 40), "aws_secret_access_key = {}"),
    ("API key", _made("", 32), "the api key for the weather service is {}."),
    ("API key", _made("", 33), "天气服务的API密钥是{}"),
    ("API key", _made("", 24), "应用的client_secret: {}"),
    ("API key", _made("SG.", 22) + _made(".", 43), "SendGrid says {}"),
    ("token", _made("ghp_", 36), "git clone with {}"),
    ("token", _made("gho_", 36), "我的GitHub令牌 {} 快过期了"),
    ("token", _made("github_pat_", 60), "here you go: {}"),
    ("token", _made("github_pat_", 61), "个人访问令牌：{}"),
    ("token", _made("glpat-", 20), "GitLab 的 {} 能用"),
    ("token", _made("xoxb-", 40), "the bot runs on {}"),
    ("token", _made("xoxp-", 42), "Slack 机器人用的是{}。"),
    ("token", _made("hf_", 34), "模型要用{}下载"),
    ("token", _made("npm_", 36), "//registry.npmjs.org/:_authToken={}"),
    ("token", _made("eyJhbGci", 30) + _made(".eyJzdWIi", 40) + _made(".", 43), "网页的Cookie是 session={}"),
    ("token", _made("eyJhbGci", 31) + _made(".eyJzdWIi", 41) + _made(".", 44), "登录返回了{}，怎么解析？"),
    ("token", _made("", 32), "curl -H 'Authorization: Bearer {}' http://example.org"),
    ("token", _made("", 30), "请求头是 Authorization: Bearer {}"),
    ("token", _made("", 28), "my access token is {}"),
    ("token", _made("", 29), "访问令牌是{}，有效期一年"),
    ("token", "7316482905:AA" + _made("", 33), "电报机器人 {}"),
    (
        "private key",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nq83bX\n-----END RSA PRIVATE KEY-----",
        "look:\n{}\nthanks",
    ),
    (
        "private key",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1\n-----END OPENSSH PRIVATE KEY-----",
        "我的私钥：\n{}\n",
    ),
    ("password", "hunter2", "my wifi password is {}"),
    ("password", "swordfish", "The password is {}."),
    ("password", "Tr0ub4dor&3", "changed my password to {} yesterday"),
    ("password", "correct horse battery staple", 'my passphrase is "{}"'),
    ("password", "p4ssw0rd", "DB_PASSWORD={}"),
    ("password", "mellon77", "user: frodo password: {}"),
    ("password", "letmein99", "{} is my router password"),
    ("password", "s3cr3t", "postgres://bob:{}@db.example.org:5432/shop"),
    ("password", "Qw8!zzTop", "Server=db1;User Id=sa;Password={};Encrypt=yes"),
    ("password", "hunter2", "密码是{}，别告诉别人"),
    ("password", "a1b2c3d4", "我家WiFi密码：{}"),
    ("password", "135790", "手机锁屏密码{}"),
    ("password", "swordfish", "邮箱的密码是{}"),
    ("password", "zhang@2024", "我把密码改成了{}"),
    ("password", "芝麻开门", "口令是{}。"),
    ("password", "8848mt", "{}是我的路由器密码"),
    ("password", "redis77", "连接串是 redis://default:{}@10.0.0.5:6379"),
    ("PIN", "4821", "My PIN is {}."),
    ("PIN", "90210", "the pin for my debit card is {}"),
    ("PIN", "7316", "我的PIN码是{}"),
    ("card number", "4111 1111 1111 1111", "charge it to {} please"),
    ("card number", "5500000000000004", "My credit card number is {}"),
    ("card number", "6222020000000000008", "我的银行卡号是{}"),
    ("card number", "4012-8888-8888-1881", "信用卡 {} 还能用吗"),
    ("security code", "737", "the CVV is {}"),
    ("security code", "482", "卡的安全码是{}"),
    ("one-time code", "482913", "你的验证码是{}，5分钟内有效"),
    ("one-time code", "550913", "Your verification code is {}"),
    (
        "recovery phrase",
        "abandon ability able about above absent absorb abstract absurd abuse access accident",
        "my seed phrase is {}",
    ),
]

SECRETS = [SecretCase(*row) for row in _ROWS]
