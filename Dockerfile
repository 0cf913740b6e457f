# One server in a container: without root, and with nothing to write but its data folder and /tmp.
# docs/how-to/install-and-keep-running.md says how to start it; compose.yaml runs it.
ARG PYTHON=3.13-slim-bookworm

FROM python:${PYTHON} AS build
ENV PATH=/opt/wellworn/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/wellworn
WORKDIR /build
COPY requirements/build.txt requirements/runtime.txt requirements/
RUN pip install --require-hashes -r requirements/build.txt -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
RUN pip install --no-deps --no-build-isolation . && pip uninstall --yes editables hatchling pip

FROM python:${PYTHON}
# Sources that are git repositories are read with it.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 wellworn \
    && useradd --uid 10001 --gid wellworn --home-dir /data --no-create-home wellworn \
    && install --directory --owner=wellworn --group=wellworn --mode=700 /data
COPY --from=build /opt/wellworn /opt/wellworn
ENV PATH=/opt/wellworn/bin:$PATH PYTHONDONTWRITEBYTECODE=1 WELLWORN_HOME=/data
USER 10001:10001
VOLUME /data
EXPOSE 3200
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:3200/health/ready', timeout=4)"]
ENTRYPOINT ["wellworn"]
CMD ["serve", "--host", "0.0.0.0", "--port", "3200"]
