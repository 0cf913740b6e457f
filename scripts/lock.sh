#!/bin/sh
# Resolve the dependencies of pyproject.toml into requirements/*.txt: every version pinned, every
# file hashed, for every platform and Python, and without the address of any index, so that
# whoever installs decides where from. Run by `make lock`; arguments go to the resolver
# (`scripts/lock.sh --upgrade`, `scripts/lock.sh --upgrade-package fastapi`).
set -eu
cd "$(dirname "$0")/.."

UV=${UV:-$(command -v uv || true)}
if [ -z "$UV" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    "${PYTHON:-python3}" -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet uv
    UV=$folder/bin/uv
fi

# resolve <name> <resolver arguments...>
resolve() {
    name=$1
    shift
    echo "locking requirements/$name.txt"
    "$UV" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-annotate \
        --custom-compile-command "make lock" \
        --output-file "requirements/$name.txt" "$@"
}

# Each lock is held to the ones before it, so that together they are one environment.
resolve runtime pyproject.toml "$@"
resolve build --group build --constraint requirements/runtime.txt "$@"
resolve dev --group dev --constraint requirements/runtime.txt \
    --constraint requirements/build.txt "$@"
resolve supply --group supply "$@"
resolve frameworks --group frameworks "$@"
resolve test-models --group test-models --no-deps "$@"
resolve model --group model --constraint requirements/dev.txt \
    --constraint requirements/runtime.txt "$@"
