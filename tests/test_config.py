from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.cli.settings import example_file
from edge.config import load_settings
from edge.errors import SettingsInvalid
from edge.settings import Settings
from edge.settings_file import SettingsFile
from edge.settings_keys import all_keys


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "edge.toml"


def load(config: Path, text: str | bytes = "", **environ: str) -> Settings:
    config.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_settings({"EDGE_CONFIG": str(config), **environ}, config.parent, 1000)


def refused(config: Path, text: str | bytes = "", **environ: str) -> SettingsInvalid:
    with pytest.raises(SettingsInvalid) as caught:
        load(config, text, **environ)
    return caught.value


def test_defaults_without_a_file(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path, 1000)
    assert settings.model.context == 4096
    assert set(settings.origins) == set(all_keys())
    assert set(settings.origins.values()) == {"default"}


def test_environment_goes_before_file_before_default(config: Path) -> None:
    text = '[model]\ncontext = 8192\nreply_tokens = 64\n[prompt]\nrole = "你是助手"\n'
    settings = load(config, text, EDGE_MODEL_CONTEXT="2048")
    assert (settings.model.context, settings.origins["model.context"]) == (2048, "environment")
    assert (settings.model.reply_tokens, settings.origins["model.reply_tokens"]) == (64, "file")
    assert (settings.model.threads, settings.origins["model.threads"]) == (0, "default")
    assert settings.prompt.role == "你是助手"


def test_every_setting_can_be_set_by_its_variable(config: Path) -> None:
    for key in all_keys().values():
        text = str(key.default).lower() if isinstance(key.default, bool) else str(key.default)
        settings = load(config, "", **{key.variable: text})
        value = getattr(getattr(settings, key.section), key.name)
        assert value == key.default
        assert type(value) is key.type
        assert settings.origins[key.dotted] == "environment"


def test_every_default_is_allowed_and_every_limit_holds(config: Path) -> None:
    for key in all_keys().values():
        for limit, step in ((key.rule.low, -1), (key.rule.high, 1)):
            if limit is not None:
                beyond = str(int(limit) + step) if key.type is int else str(limit + step)
                error = refused(config, "", **{key.variable: beyond})
                assert error.details["allowed"] == key.allowed


def test_the_example_is_the_defaults(config: Path) -> None:
    settings = load(config, example_file())
    assert set(settings.origins.values()) == {"default"}
    uncommented = "\n".join(
        line.removeprefix("#") if line.startswith("#") and not line.startswith("# ") else line
        for line in example_file().splitlines()
    )
    assert set(load(config, uncommented).origins.values()) == {"file"}
    assert load(config, uncommented).model == settings.model


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[model]\n# context\ncontxt = 2048\n", 3, "did you mean model.context?"),
        ("\n[modle]\ncontext = 2048\n", 2, "did you mean model?"),
        ("context = 2048\n", 1, "model.context"),
        ("model = 3\n", 1, "[model]"),
        ("[model]\n\ncontext = true\n", 3, "must be a whole number from 512 to 131072, not true"),
        ("[model]\ncontext = 2048.0\n", 2, "whole number"),
        ('[model]\ncontext = "2048"\n', 2, 'not the text "2048"'),
        ("[model]\ncontext = [2048]\n", 2, "not a list"),
        ("[model]\ncontext = {a = 1}\n", 2, "not a table"),
        ("[model]\nflash_attention = 1\n", 2, "true or false"),
        ("[model]\ncontext = 511\n", 2, "not 511"),
        ("[model]\ncontext = 99999999999999999999999\n", 2, "from 512"),
        ("[model]\ntemperature = nan\n", 2, "not nan"),
        ("[model]\ntemperature = -inf\n", 2, "not -inf"),
        ('[model]\nkv_type = "q4_0"\n', 2, "one of f16, q8_0"),
        ('[model]\nfile = "a\\u0000b"\n', 2, "text"),
        ("[recall]\nlimit = 1979-05-27\n", 2, "not 1979-05-27"),
        ('[prompt]\nrole = """\nlow_mark = 9\n"""\nlow_mark = 9.0\n', 5, "from 0.1 to 0.8"),
        ("recall.limit = 1000\n", 1, "from 0 to 100"),
        ("[model]\r\nreply_tokens = 3000\r\n", 2, "must be at most half of model.context (4096)"),
        ("[prompt]\nhigh_mark = 0.4\nlow_mark = 0.5\n", 3, "must be under prompt.high_mark"),
        ("[prompt]\nhigh_mark = 0.3\n", 2, "must be under"),
        ("[prompt]\nanchor_tokens = 2048\n", 2, "low_mark"),
        ('[model]\nkv_type = "q8_0"\nflash_attention = false\n', 2, "flash_attention"),
        ("[model\n", 1, "not TOML"),
        ("[model]\ncontext = \n", 2, "not TOML"),
        ("[model]\ncontext = 1\ncontext = 2\n", 3, "not TOML"),
        ('[prompt]\nrole = """never closed\n\n', 2, "not TOML"),
        ("a = " + "[" * 5000, 1, "not TOML"),
    ],
)
def test_mistakes_in_the_file(config: Path, text: str, line: int, words: str) -> None:
    error = refused(config, text)
    assert error.message.startswith(f"{config}:{line}: ")
    assert words in error.message
    assert (error.details["file"], error.details["line"]) == (str(config), line)


def test_bytes_that_are_not_utf8_are_named_by_line(config: Path) -> None:
    assert refused(config, b"[model]\n# caf\xe9\n").message == f"{config}:2: it is not UTF-8"


def test_a_byte_order_mark_is_no_mistake(config: Path) -> None:
    assert load(config, b"\xef\xbb\xbf[model]\ncontext = 2048\n").model.context == 2048


def test_a_file_that_is_named_must_be_there(config: Path) -> None:
    with pytest.raises(SettingsInvalid, match="no such file") as caught:
        load_settings({"EDGE_CONFIG": str(config)}, config.parent, 1000)
    assert "edge settings --example" in caught.value.hint


def test_the_service_may_have_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = tmp_path / "service.toml"
    monkeypatch.setattr("edge.places.SERVICE_CONFIG", service)
    assert load_settings({"EDGE_CONFIG": str(service)}, tmp_path, 1000).places.config == service
    service.write_text("[model]\ncontext = 2048\n")
    assert load_settings({"EDGE_CONFIG": str(service)}, tmp_path, 1000).model.context == 2048


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match="cannot be read: Is a directory"):
        load_settings({"EDGE_CONFIG": str(tmp_path)}, tmp_path, 1000)


def test_a_file_that_is_far_too_large(config: Path) -> None:
    assert "at most" in refused(config, b"#" * 2_000_000).message


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("EDGE_MODEL_CONTEXT", "many", 'not "many"'),
        ("EDGE_MODEL_CONTEXT", "", 'not ""'),
        ("EDGE_MODEL_CONTEXT", "4096.0", "whole number"),
        ("EDGE_MODEL_CONTEXT", "１０２４x", "whole number"),
        ("EDGE_MODEL_FLASH_ATTENTION", "maybe", "true or false"),
        ("EDGE_MODEL_TOP_P", "nan", "from 0.05 to 1"),
        ("EDGE_MODEL_KV_TYPE", "q4", "one of f16, q8_0"),
        ("EDGE_PROMPT_ROLE", "\udcff", "text"),
        ("EDGE_MODEL_CTX", "1", "did you mean EDGE_MODEL_CONTEXT?"),
        ("EDGE_MODLE_CONTEXT", "1", "did you mean EDGE_MODEL_CONTEXT?"),
        ("EDGE_SOCKETS", "/tmp/x", "did you mean EDGE_SOCKET?"),
        ("EDGE_MODEL_REPLY_TOKENS", "4000", "half of model.context"),
        ("EDGE_PROMPT_LOW_MARK", "0.8", "under prompt.high_mark"),
    ],
)
def test_mistakes_in_the_environment(config: Path, variable: str, value: str, words: str) -> None:
    error = refused(config, "", **{variable: value})
    assert error.message.startswith(f"{variable}: ")
    assert words in error.message
    assert error.details["variable"] == variable


def test_variables_of_others_are_left_alone(config: Path) -> None:
    load(config, "", EDGE_SESSION="x", EDGE_CACHE_DIR="/x", EDGE_PATH="/opt/microsoft", LEDGE_MODEL_CTX="1")


@pytest.mark.parametrize(("text", "value"), [("yes", True), ("OFF", False), ("0", False), (" true ", True)])
def test_truths_in_the_environment(config: Path, text: str, value: bool) -> None:
    assert load(config, "", EDGE_MODEL_FLASH_ATTENTION=text).model.flash_attention is value


def test_a_whole_number_is_good_for_a_fraction(config: Path) -> None:
    settings = load(config, "[model]\ntemperature = 1\n")
    assert settings.model.temperature == 1.0
    assert type(settings.model.temperature) is float


lines = st.sampled_from(
    ["", "# context = 1", "[prompt]", "[prompt.x]", 'role = """\ncontext = 1\n"""', "a.b = [\n1,\n]"]
)


@given(st.lists(lines, max_size=5, unique=True))
def test_the_line_of_a_key_is_where_it_stands(before: list[str]) -> None:
    text = "\n".join([*before, "[model]", "context = 1", "[recall]"])
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    expected = text.split("\n[recall]")[0].count("\n") + 1
    assert SettingsFile(Path("x"), text, tables).line_of(("model", "context")) == expected
