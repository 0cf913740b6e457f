"""Reading: whether a text answers a question, and with which words.

Models of pairs are run by the engine `embedding`, and language models by `llm`; the one who opens a
reader passes them in.
"""

from wellworn.engines.reading.language_model_reader import (
    LanguageModelReader,
    TextReading,
    TextReadings,
)
from wellworn.engines.reading.models import (
    LATER,
    MOST_TEXTS,
    ORDER_QUESTION,
    Reader,
    Reading,
    get_logit,
    get_probability,
)
from wellworn.engines.reading.reader_service import ReaderService
from wellworn.engines.reading.readers import choose_for_sealed, open_reader, open_second_reader
from wellworn.engines.reading.second_reader import SecondReader
from wellworn.engines.reading.settings import ReadingSettings
