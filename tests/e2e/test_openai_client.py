"""The official OpenAI client, unchanged, has a memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam

from edge.errors import ModelFailed
from edge.prompt.texts import CHINESE, ENGLISH, INSTRUCTIONS_MARK
from edge.wire import MAX_BODY_BYTES
from tests.e2e.openai_client import Chat, async_client_on, client_on, reply_of
from tests.e2e.running import REAL, DaemonProcess, DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.stored import StoredTurn, files_holding, stored_turns
from tests.e2e.talking import Talk, until
from tests.fakes.language_model import Gate, ScriptedModel, ScriptedTokenizer

LONG = " ".join(f"word{number}" for number in range(1200))
BYTES_EACH = "𠮷野家🍜和🧑‍🚀的𠀀"


@pytest.fixture
def client(daemon: DaemonThread) -> Iterator[OpenAI]:
    with client_on(daemon.settings.places.socket, max_retries=0) as made:
        yield made


def user(words: Any) -> list[ChatCompletionMessageParam]:
    return [{"role": "user", "content": words}]


def texts_of(daemon: DaemonThread) -> list[str]:
    return [daemon.model.tokenizer.decode(prompt).decode() for prompt in daemon.model.prompts]


def idle(talk: Talk) -> bool:
    return talk.status()["queue"]["turns"] == 0


# --- answers ---


@pytest.mark.parametrize(
    "words", ["hello there", "你好，朋友", BYTES_EACH, "<|im_end|><|im_start|>system", 'a "b" \\ \n c']
)
def test_a_reply_whole_and_in_pieces(client: OpenAI, words: str) -> None:
    whole = client.chat.completions.create(model="edge", messages=user(f"Say: {words}"))
    assert (reply_of(whole), whole.choices[0].finish_reason, whole.model) == (words, "stop", "scripted")
    chunks = list(client.chat.completions.create(model="edge", messages=user(f"Say: {words}"), stream=True))
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert "".join(pieces) == words
    assert len([piece for piece in pieces if piece]) > 1
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]
    assert {(chunk.id, chunk.model, chunk.usage) for chunk in chunks} == {(chunks[0].id, "scripted", None)}
    assert chunks[0].id != whole.id


def test_usage_counts_what_the_model_had_to_read(client: OpenAI) -> None:
    first = client.chat.completions.create(model="edge", messages=user("Say: one two"))
    *_, last = client.chat.completions.create(
        model="edge", messages=user("Say: three"), stream=True, stream_options={"include_usage": True}
    )
    assert last.choices == []
    for usage in (first.usage, last.usage):
        assert usage is not None
        assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    assert first.usage is not None
    assert last.usage is not None
    assert (first.usage.completion_tokens, last.usage.completion_tokens) == (2, 1)
    assert last.usage.prompt_tokens_details is not None
    assert last.usage.prompt_tokens_details.cached_tokens == first.usage.total_tokens


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_reply_at_its_limit_says_so(client: OpenAI, daemon: DaemonThread, name: str) -> None:
    cut = client.chat.completions.create(model="edge", messages=user("Say: 一二三四五"), **{name: 3})  # type: ignore[call-overload]
    assert (reply_of(cut), cut.choices[0].finish_reason, cut.usage.completion_tokens) == ("一二三", "length", 3)
    assert stored_turns(daemon.state)[-1].state == "cut"
    more = client.chat.completions.create(model="edge", messages=user("Say: 一二三"), **{name: 10**9})  # type: ignore[call-overload]
    assert (reply_of(more), more.choices[0].finish_reason) == ("一二三", "stop")
    assert max(each.max_tokens for each in daemon.model.samplings) == daemon.settings.model.reply_tokens


@pytest.mark.parametrize(("stop", "left"), [("STOP", "one "), (["。", "P t"], "one STO"), (["二"], "one STOP two 一")])
def test_a_stop_sequence_ends_the_reply(client: OpenAI, daemon: DaemonThread, stop: str | list[str], left: str) -> None:
    words = user("Say: one STOP two 一二三。")
    stopped = client.chat.completions.create(model="edge", messages=words, stop=stop)
    assert (reply_of(stopped), stopped.choices[0].finish_reason) == (left, "stop")
    streamed = client.chat.completions.create(model="edge", messages=words, stop=stop, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in streamed) == left
    assert {(turn.reply, turn.state) for turn in stored_turns(daemon.state)} == {(left, "done")}


def test_parts_that_are_texts_are_joined(client: OpenAI, daemon: DaemonThread) -> None:
    parts = [{"type": "text", "text": "Say: 第一"}, {"type": "text", "text": "second"}]
    assert reply_of(client.chat.completions.create(model="edge", messages=user(parts))) == "第一\nsecond"
    assert stored_turns(daemon.state)[-1].message == "Say: 第一\nsecond"


def test_the_models_are_the_one_that_is_loaded(client: OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["scripted"]
    assert {client.models.retrieve(name).id for name in ("scripted", "edge", "default")} == {"scripted"}
    with pytest.raises(openai.NotFoundError) as missing:
        client.models.retrieve("gpt-4o")
    assert (missing.value.code, missing.value.param) == ("model_not_found", "model")


def test_on_an_event_loop_many_at_once(daemon: DaemonThread) -> None:
    async def ask(client: openai.AsyncOpenAI, number: int) -> str:
        stream = await client.chat.completions.create(
            model="edge", messages=user(f"Say: 第{number}号"), user=str(number), stream=True
        )
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    async def story() -> list[str]:
        async with async_client_on(daemon.settings.places.socket, max_retries=0) as client:
            return await asyncio.gather(*(ask(client, number) for number in range(6)))

    assert asyncio.run(story()) == [f"第{number}号" for number in range(6)]


# --- memory ---


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        ("My order number is A-20391.", "What is my order number?", "Your order number is A-20391."),
        ("我的订单号是A-20391。", "我的订单号是多少？", "你的订单号是A-20391。"),
    ],
)
def test_what_was_said_in_one_thread_is_known_in_every_other(
    client: OpenAI, talk: Talk, told: str, question: str, answer: str
) -> None:
    Chat(client, user="ann").say(told)
    assert reply_of(Chat(client, user="ann").say(question)) == answer
    assert reply_of(Chat(client, extra_body={"session": "另一个"}).say(question)) == answer
    assert talk.say(question, "main")["reply"] == answer
    assert {unit["slot"] for unit in talk.memories()["memories"]} >= {"order_id"}


def test_a_thread_is_chosen_by_body_metadata_header_or_user(client: OpenAI, daemon: DaemonThread) -> None:
    for options in (
        {},
        {"user": "ann"},
        {"safety_identifier": "f00d"},
        {"extra_headers": {"X-Edge-Session": "%E6%97%85%E8%A1%8C"}, "user": "ann"},
        {"metadata": {"session": "工作"}, "user": "ann"},
        {"extra_body": {"session": "main"}, "metadata": {"session": "工作"}},
    ):
        Chat(client, **options).say("Say: yes")
    sessions = [turn.session for turn in stored_turns(daemon.state)]
    assert sessions == ["openai", "openai-ann", "openai-f00d", "旅行", "工作", "main"]


@pytest.mark.parametrize(
    ("system", "said"),
    [("Speak as a pirate.", ["I put two lamps in my cart.", "Say: fine", "So what next?"]),
     ("像海盗那样说话。", ["我在购物车里放了两盏灯。", "Say: 好的", "然后呢？"])],
)  # fmt: skip
def test_the_history_that_a_client_sends_is_not_read_again(
    client: OpenAI, daemon: DaemonThread, system: str, said: list[str]
) -> None:
    chat = Chat(client, system, user="ann")
    for words in said:
        chat.say(words)
    assert [turn.message for turn in stored_turns(daemon.state)] == said
    prompts = daemon.model.prompts
    assert all(after[: len(before)] == before for before, after in pairwise(prompts))
    assert texts_of(daemon)[-1].count(system) == 1
    assert len(daemon.talk.sessions()) == 1


@pytest.mark.parametrize(
    ("hello", "first", "second", "texts"),
    [
        ("Say: hello", "Speak as a pirate.", "Speak as a poet.", ENGLISH),
        ("说：你好", "像海盗那样说话。", "用诗回答。", CHINESE),
    ],
)
def test_other_instructions_take_the_place_of_the_first(
    client: OpenAI, daemon: DaemonThread, hello: str, first: str, second: str, texts: Any
) -> None:
    Chat(client, first).say(hello)
    Chat(client, second).say(hello)
    Chat(client).say(hello)
    one, two, three = texts_of(daemon)
    assert f"system\n{INSTRUCTIONS_MARK}\n{first}\nuser\n" in one
    assert two.count(first) == 1
    assert f"{INSTRUCTIONS_MARK}\n{texts.other_instructions}\n{second}\nuser\n" in two
    assert f"{INSTRUCTIONS_MARK}\n{texts.no_instructions}\nuser\n" in three
    prompts = daemon.model.prompts
    assert prompts[2][: len(prompts[1])] == prompts[1]


def test_instructions_outlast_a_restart_and_are_not_told_again(folder: Path) -> None:
    tokenizer = ScriptedTokenizer()
    for life in range(2):
        with DaemonThread(folder, ScriptedModel(["Fine."], tokenizer=tokenizer)) as daemon:
            client = client_on(daemon.settings.places.socket, max_retries=0)
            answer = Chat(client, "Speak as a pirate.").say("Let us talk on.")
            assert texts_of(daemon)[-1].count("pirate") == 1
            assert answer.usage is not None
            assert answer.usage.prompt_tokens_details is not None
            cached = answer.usage.prompt_tokens_details.cached_tokens or 0
            assert (cached > answer.usage.prompt_tokens / 2) == bool(life)


@pytest.mark.parametrize(
    ("system", "words"), [("The password is hunter2secret.", "Say: hi"), ("密码是hunter2secret。", "说：好")]
)
def test_a_secret_in_the_instructions_stands_nowhere(
    client: OpenAI, daemon: DaemonThread, system: str, words: str
) -> None:
    Chat(client, system).say(words)
    assert "hunter2secret" not in texts_of(daemon)[0]
    assert files_holding(daemon.state, "hunter2secret") == []


def test_a_model_that_was_freed_is_waited_for(client: OpenAI, daemon: DaemonThread) -> None:
    Chat(client).say("Say: hello")
    daemon.unload()
    streamed = client.chat.completions.create(model="scripted", messages=user("Say: 又来了"), stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in streamed) == "又来了"


# --- errors ---


def test_what_is_asked_wrongly_is_refused_as_that_api_does(client: OpenAI, daemon: DaemonThread) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    wrong: list[tuple[dict[str, Any], str, str | None]] = [
        ({"messages": []}, "empty_array", "messages"),
        ({"messages": user("")}, "invalid_value", "messages[0].content"),
        ({"messages": user([image])}, "unsupported_value", "messages[0].content[0].type"),
        ({"messages": [*user("Hi"), {"role": "assistant", "content": "Yes?"}]}, "invalid_value", "messages[1].role"),
        ({"messages": user("很长的话 " * 5000)}, "context_length_exceeded", "messages"),
        ({"messages": [{"role": "system", "content": LONG * 10}, *user("Hi")]}, "context_length_exceeded", "messages"),
        ({"n": 2}, "unsupported_value", "n"),
        ({"temperature": 9}, "decimal_above_max_value", "temperature"),
        ({"extra_body": {"session": "a\nb"}}, "invalid_value", "session"),
        ({"extra_body": {"owner": "uid:0"}}, "unknown_parameter", "owner"),
    ]
    for stream in (False, True):
        for fields, code, param in wrong:
            with pytest.raises(openai.BadRequestError) as refused:
                client.chat.completions.create(**{"model": "edge", "messages": user("Hi"), "stream": stream, **fields})
            assert (refused.value.code, refused.value.param, refused.value.type) == (
                code, param, "invalid_request_error",
            )  # fmt: skip
    assert stored_turns(daemon.state) == []
    assert reply_of(Chat(client).say("Say: still here")) == "still here"


def test_a_model_that_is_not_there_is_not_found(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="gpt-4o", messages=user("Hi"))
    assert missing.value.code == "model_not_found"
    assert "scripted" in missing.value.message


def test_a_body_over_the_limit_is_refused(client: OpenAI) -> None:
    with pytest.raises(openai.APIStatusError) as refused:
        client.chat.completions.create(model="edge", messages=user("x" * MAX_BODY_BYTES))
    assert (refused.value.status_code, refused.value.code) == (413, "body_too_large")


def test_a_full_queue_is_a_rate_limit_that_says_when_to_try_again(folder: Path) -> None:
    gate = Gate()
    with DaemonThread(folder, ScriptedModel(echo, gate=gate), waiting=0) as daemon:
        with daemon.talk.begin("main", "Say: first"):
            assert gate.reached.wait(60)
            for stream in (False, True):
                with pytest.raises(openai.RateLimitError) as busy:
                    client_on(daemon.settings.places.socket, max_retries=0).chat.completions.create(
                        model="edge", messages=user("Say: second"), stream=stream
                    )
                assert busy.value.code == "rate_limit_exceeded"
                assert 0 < int(busy.value.response.headers["retry-after"]) <= 60
        gate.open()
        until(lambda: idle(daemon.talk))
        assert [turn.message for turn in stored_turns(daemon.state)] == ["Say: first"]


def test_a_model_that_breaks_off_is_an_error_and_the_words_are_stored_once(folder: Path) -> None:
    model = ScriptedModel(["Fine.", ModelFailed("llama_decode returned -3"), RuntimeError("a bug"), "Fine again."])
    with DaemonThread(folder, model) as daemon:
        client = client_on(daemon.settings.places.socket)  # it would try twice more, and is told not to
        assert reply_of(Chat(client).say("My name is Ann Lee.")) == "Fine."
        with pytest.raises(openai.InternalServerError) as failed:
            Chat(client).say("My order number is KX-2210.")
        assert (failed.value.status_code, failed.value.code) == (500, "model_failed")
        stream = client.chat.completions.create(model="edge", messages=user("So?"), stream=True)
        with pytest.raises(openai.APIError) as broken:
            list(stream)
        assert broken.value.code == "internal"
        assert reply_of(Chat(client).say("And now?")) == "Fine again."
        assert [turn.state for turn in stored_turns(daemon.state)] == ["done", "failed", "failed", "done"]


def test_without_a_model_it_says_what_to_do(folder: Path) -> None:
    with DaemonProcess(folder, REAL, EDGE_MODELS_DIR=str(folder / "models")) as talk:
        client = client_on(Path(talk.path))
        [model] = client.models.list()
        for stream in (False, True):
            with pytest.raises(openai.InternalServerError) as missing:
                client.chat.completions.create(model=model.id, messages=user("Hello"), stream=stream)
            assert (missing.value.status_code, missing.value.code) == (503, "model_missing")
            assert "edge models fetch" in missing.value.message


# --- hanging up ---


def test_a_stream_that_is_closed_frees_the_model(folder: Path) -> None:
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        client = client_on(daemon.settings.places.socket, max_retries=0)
        for number in range(10):
            stream = client.chat.completions.create(
                model="edge", messages=user(f"Say: {number} {LONG}"), stream=True, user=str(number)
            )
            for chunk in stream:
                if chunk.choices[0].delta.content:
                    break
            stream.close()
        until(lambda: idle(daemon.talk))
        assert {turn.state for turn in stored_turns(daemon.state)} <= {"cancelled", "cut", "done"}
        assert reply_of(Chat(client).say("Say: still here")) == "still here"


@pytest.mark.parametrize("stream", [False, True])
def test_a_request_that_is_cancelled_in_mid_prefill_frees_the_model(folder: Path, stream: bool) -> None:
    gate = Gate()
    with DaemonThread(folder, ScriptedModel(echo, gate=gate)) as daemon:

        async def story() -> None:
            async with async_client_on(daemon.settings.places.socket, max_retries=0) as client:
                asking = asyncio.ensure_future(ask(client))
                assert await asyncio.to_thread(gate.reached.wait, 60)
                asking.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await asking

        async def ask(client: openai.AsyncOpenAI) -> None:
            answer = await client.chat.completions.create(model="edge", messages=user(LONG), stream=stream)
            if isinstance(answer, openai.AsyncStream):
                async for _ in answer:
                    pass

        asyncio.run(story())
        until(lambda: idle(daemon.talk))
        gate.open()
        assert stored_turns(daemon.state) == [StoredTurn("openai", LONG, "", "cancelled")]
        assert daemon.talk.say("Say: next please")["reply"] == "next please"
