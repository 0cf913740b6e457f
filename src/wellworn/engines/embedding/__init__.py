"""Embedding: text in, unit vectors out, without a network and without torch.

The shipped encoder is `MiniLM`; `choose_encoder` and `open_encoder` are for any other.
"""

from wellworn.engines.embedding.encoders import (
    choose_encoder,
    choose_for_sealed,
    is_same,
    open_encoder,
)
from wellworn.engines.embedding.minilm import MiniLM
from wellworn.engines.embedding.models import (
    AT_ONCE,
    PIECE_DIMENSIONS,
    Embedder,
    Encoded,
    FloatArray,
    Pace,
    Span,
    encode_paced,
    encode_question,
)
from wellworn.engines.embedding.order_model import OrderModel, open_pair_model
from wellworn.engines.embedding.records import RECORD_FILE, EncoderRecord
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.engines.embedding.windows import (
    MOST_QUERY_WINDOWS,
    Word,
    cut_windows,
    join_windows,
    select_windows,
)
