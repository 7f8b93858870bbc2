# Builds without a network from dist/, which holds crdlint's wheel and those of its dependencies (docs/ci.md).
FROM python:3.13-slim@sha256:9662417aace5ae7b8e2609cce472b72a8958e134ba372808abe9cc1a0c0125e6 AS install
COPY dist/*.whl /wheels/
RUN python -m venv --without-pip /opt/crdlint \
    && python -m pip --python /opt/crdlint/bin/python install --no-cache-dir --no-index --find-links /wheels 'crdlint[html,suites]'

FROM python:3.13-slim@sha256:9662417aace5ae7b8e2609cce472b72a8958e134ba372808abe9cc1a0c0125e6
LABEL org.opencontainers.image.title="crdlint" \
      org.opencontainers.image.description="Checks CustomResourceDefinitions offline, exactly as kube-apiserver does" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=install /opt/crdlint /opt/crdlint
ENV PATH="/opt/crdlint/bin:${PATH}" \
    CRDLINT_CACHE_DIR=/tmp/crdlint
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["crdlint"]
CMD ["--help"]
