import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisearch.text.sentences import first_sentence, sentence_ends, sentences


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        ("en", ["A lamp shines.", "It is bright."]),
        ("en", ["He met Dr. Vale in St. Orm, near the U.S. border.", "It rained."]),
        ("en", ["She lived in the U.S.", "The house is gone."]),
        ("en", ["J. R. Vale wrote it c. 1850, i.e. early.", "It sold well."]),
        ("en", ["Written by J.K. Vale in 1900.", "It sold 3.5 million copies."]),
        ("en", ['He said "Go now."', "They went."]),
        ("en", ["Is it lit?", "Yes!", "Good."]),
        ("en", ["The lamp (made in 1850. Rare now.) is old.", "It glows."]),
        ("en", ["It costs 5 (five.", "Then it fell."]),
        ("en", ["Wait... what is it?"]),
        ("en", ["Lamps, oil, etc. are sold.", "Wicks too."]),
        ("en", ["It weighs No. 5 on the scale."]),
        ("de", ["Er starb am 3. Oktober 1900 in St. Orm.", "Das Haus steht."]),
        ("de", ["König Ludwig XIV. Vale lebte z. B. hier.", "Er starb."]),
        ("fr", ["M. Vale habitait av. Foch.", "Il est mort."]),
        ("ru", ["Он родился в 1900 г. в Орме.", "Это город."]),
        ("ja", ["これは灯です。", "明るい（とても。本当に）です。"]),
        ("zh", ["這是燈。", "很亮！", "「好。」", "他說。"]),
        ("hi", ["यह दीपक है।", "यह उज्ज्वल है।"]),
        ("xx", ["Una lampa.", "Bela luz."]),
    ],
)
def test_sentences(language: str, wanted: list[str]) -> None:
    joiner = "" if language in ("ja", "zh") else " "
    assert sentences(joiner.join(wanted), language) == wanted


def test_lines_end_sentences() -> None:
    assert sentences("Lamps may refer to:\nLamp A, a lamp. It is tall\n\nLamp B", "en") == [
        "Lamps may refer to:",
        "Lamp A, a lamp.",
        "It is tall",
        "Lamp B",
    ]


def test_first_sentence() -> None:
    assert first_sentence("\n 123 \nA lamp. It glows.", "en") == "A lamp."
    assert first_sentence("no stop at all", "en") == "no stop at all"
    assert first_sentence("", "en") == ""
    assert first_sentence("… 12", "en") == ""


LANGUAGES = st.sampled_from(["en", "de", "zh", "xx", "pt-br"])


@given(st.text(alphabet="Aa1 .!?()[]\"'。\n—“”", max_size=80), LANGUAGES)
def test_sentences_cover_the_text(text: str, language: str) -> None:
    joined = "".join("".join(sentence.split()) for sentence in sentences(text, language))
    assert joined == "".join(text.split())


@given(st.text(max_size=80), LANGUAGES)
def test_ends_ascend_to_the_end(text: str, language: str) -> None:
    ends = list(sentence_ends(text, 0, len(text), language))
    assert ends == sorted(set(ends))
    assert ends[-1:] == ([len(text)] if text else [])
    first = first_sentence(text, language)
    assert first in text


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ('She said "No." Then she left.', "en", ['She said "No."', "Then she left."]),
        ("It is No. 5 of ten. No. It is not.", "en", ["It is No. 5 of ten.", "No.", "It is not."]),
        ("„Nein.“ Dann ging sie.", "de", ["„Nein.“", "Dann ging sie."]),
        ("« Non. » Puis elle partit.", "fr", ["« Non. »", "Puis elle partit."]),
        ("यह दीप है।वह तेल है।", "hi", ["यह दीप है।", "वह तेल है।"]),
        ("灯だ。「油だ。」明るい！", "ja", ["灯だ。", "「油だ。」", "明るい！"]),
        ("هذا مصباح؟ نعم.", "ar", ["هذا مصباح؟", "نعم."]),
        ("She waited… Then she left... and came.", "en", ["She waited…", "Then she left... and came."]),
        ("It is 3.5 m long. It is 4.", "en", ["It is 3.5 m long.", "It is 4."]),
        ("Am 5. Mai kam sie. Er blieb.", "de", ["Am 5. Mai kam sie.", "Er blieb."]),
        ("ตะเกียง น้ำมัน", "th", ["ตะเกียง น้ำมัน"]),
    ],
)
def test_sentences_of_many_scripts(text: str, language: str, wanted: list[str]) -> None:
    assert sentences(text, language) == wanted
