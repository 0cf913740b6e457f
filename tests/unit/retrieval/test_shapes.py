"""What a text looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.retrieval.text import detect_shape
from wellworn.engines.retrieval.weights import LONG_MESSAGE_WORDS, SECTION_WORDS

PYTHON = '''
def loaded(folder: Path, *, threads: int) -> Engine:
    """Load the model from a folder."""
    model = _checked(folder / MODEL_FILE, MODEL_SHA256)
    tokenizer = Tokenizer.from_buffer(_checked(folder / TOKENIZER_FILE))
    for name in ("a", "b"):
        tokenizer.set(name, None)
    return Engine(model, tokenizer)
'''
JAVASCRIPT = """
export async function fetchAll(urls) {
  const results = [];
  for (const url of urls) {
    const response = await fetch(url, { method: "GET" });
    results.push(await response.json());
  }
  return results;
}
"""
GO = """
// Open opens the store at path.
func Open(path string) (*Store, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &Store{file: file}, nil
}
"""
RUST = """
impl Store {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path)?;
        let mut lines = Vec::new();
        lines.push(file.metadata()?.len());
        Ok(Store { file, lines })
    }
}
"""
JAVA = """
@Override
public List<String> names(int limit) {
    List<String> found = new ArrayList<>();
    for (User user : users) {
        found.add(user.getName());
    }
    return found;
}
"""
PROSE = (
    "Lichen grows on the north side of the old wall, and nobody asks it why. "
    "It is slower than moss (which likes rain) and older than the village.\n"
)
MARKDOWN = f"""# Installing

{PROSE}
Install it with one command:

```sh
pip install wellworn
```

{PROSE}
- It needs Python 3.11.
- It needs no network.

{PROSE}
"""


LETTER = """Dear all:
the meeting of the whole house is moved,
to Friday (at noon);
please come
"""


@pytest.mark.parametrize(
    "text",
    [PYTHON, JAVASCRIPT, GO, RUST, JAVA],
    ids=["python", "javascript", "go", "rust", "java"],
)
@pytest.mark.parametrize("times", [1, 8])
def test_code_is_code_however_long(text: str, times: int):
    assert detect_shape("thought", text * times) == "code"


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (PROSE, "note"),
        (PROSE * 4, "section"),
        (MARKDOWN, "section"),
        ("Rotate keys every 30 days.", "note"),
        ("- milk\n- bread\n- (perhaps) tea", "note"),
        ("# One\n## Two\n### Three\n#### Four", "note"),
        (LETTER, "note"),
        ("x = f(y);", "note"),
        ("", "note"),
        (" \n\t\n", "note"),
        ("🦉\n🦉\n🦉", "note"),
        ("{}\n{}\n{}", "code"),
        ("word " * (SECTION_WORDS - 1), "note"),
        ("word " * SECTION_WORDS, "section"),
        ("a" * 10_000, "note"),
    ],
)
def test_a_thought_is_told_by_form_and_length(text: str, shape: str):
    assert detect_shape("thought", text) == shape


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("I moved in June.", "turn"),
        ("", "turn"),
        ("word " * (LONG_MESSAGE_WORDS - 1), "turn"),
        ("word " * LONG_MESSAGE_WORDS, "long_message"),
        (PYTHON, "turn"),
        (PYTHON * 8, "long_message"),
        (MARKDOWN * 3, "long_message"),
    ],
)
def test_a_turn_is_told_by_length_alone(text: str, shape: str):
    assert detect_shape("turn", text) == shape


@pytest.mark.parametrize("speaker", ["user", "Human", "ASSISTANT", "ai"])
def test_a_short_turn_of_a_chat_with_an_assistant_is_a_message(speaker: str):
    assert detect_shape("turn", "I moved in June.", speaker) == "message"
    assert detect_shape("turn", "word " * LONG_MESSAGE_WORDS, speaker) == "long_message"
    assert detect_shape("thought", "I moved in June.", speaker) == "note"


@pytest.mark.parametrize("speaker", ["Ana", "aina", "useful", ""])
def test_a_name_that_is_no_role_changes_no_shape(speaker: str):
    assert detect_shape("turn", "I moved in June.", speaker) == "turn"


@given(st.text(), st.sampled_from(["thought", "turn"]))
def test_every_text_has_a_shape_of_its_kind(text: str, kind: str):
    shapes = {"thought": {"note", "section", "code"}, "turn": {"turn", "long_message"}}
    assert detect_shape(kind, text) in shapes[kind]


@given(st.text(max_size=200))
def test_white_space_around_a_text_changes_nothing(text: str):
    assert detect_shape("thought", f"\n  {text}\n\n") == detect_shape("thought", text)


def test_only_the_beginning_of_a_text_is_looked_at():
    assert detect_shape("thought", PYTHON * 20 + PROSE * 1_000) == "code"
    assert detect_shape("thought", PROSE * 100 + PYTHON * 1_000) == "section"
