"""The composition root: the only place where parts are chosen and put together."""

from wellworn.application.bootstrap.auditing import open_audit
from wellworn.application.bootstrap.carrying import carry_vectors, forget_shared_vectors
from wellworn.application.bootstrap.changeover import (
    ROWS,
    STAGED,
    TAKEN,
    WHOLE,
    can_change_encoder,
    change_encoder,
)
from wellworn.application.bootstrap.embedders import (
    INDEXES,
    MARK,
    find_embedder,
    read_mark,
    write_mark,
)
from wellworn.application.bootstrap.opening import INDEXED, open_app
from wellworn.application.bootstrap.reading import open_reading
from wellworn.application.bootstrap.records import (
    DATABASE,
    ELSEWHERE,
    MOVE,
    MoveMark,
    has_records,
    mark_moved,
    open_records,
    read_mark_of_move,
    read_move,
    require_file,
    require_settled,
    write_mark_of_move,
)
from wellworn.application.bootstrap.turns import TURNS
