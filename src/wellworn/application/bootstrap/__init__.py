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
    LEFT_TURNS,
    MOVE,
    TURNS,
    MoveMark,
    has_records,
    leave_turns,
    mark_moved,
    open_records,
    read_mark_of_move,
    read_move,
    require_file,
    require_settled,
    take_turns,
    write_mark_of_move,
)
