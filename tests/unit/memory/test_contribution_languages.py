"""Statements and questions of languages that need no question mark, told apart."""

from __future__ import annotations

import pytest

from wellworn.domain.memory.contribution import is_contribution


@pytest.mark.parametrize(
    "statement",
    [
        "仓库的钥匙在莎拉那里。",
        "网关的端口从今天起改为3200。",
        "会議室は三階にあります。",
        "デプロイには二人の承認が必要です。",
        "مفتاح المخزن عند سارة.",
        "مفتاح المخزن معلق خلف باب المطبخ",
        "三号泵的压力表坏了，读数比实际低两成",
        "大家早上好！仓库的门禁密码改成了7731，谢谢大家",
        "تغير منفذ البوابة إلى 3200 منذ اليوم.",
    ],
)
def test_statements_are_kept(statement):
    assert is_contribution(statement)


@pytest.mark.parametrize(
    "question",
    [
        "仓库的钥匙在哪里",
        "网关用的是什么端口？",
        "会議室はどこですか",
        "誰が承認しますか。",
        "أين مفتاح المخزن",
        "ما هو منفذ البوابة؟",
    ],
)
def test_questions_are_not_kept(question):
    assert not is_contribution(question)
