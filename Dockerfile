# Builds with Swift, runs on plain Debian: Swift's own libraries are inside the program.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      libevent-dev libcurl4-openssl-dev libyaml-dev libsimdjson-dev zlib1g-dev libbrotli-dev libssl-dev libhiredis-dev \
      libsqlite3-dev libpango1.0-dev libgdk-pixbuf-2.0-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
COPY Sources ./Sources
# The package names its test targets, so their folders must be there; none is built.
COPY Tests ./Tests
RUN swift build -c release --static-swift-stdlib --product sluice \
 && install -D -m 0755 .build/release/sluice /built/sluice \
 && strip /built/sluice

FROM debian:bookworm-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      ca-certificates libevent-core-2.1-7 libcurl4 libyaml-0-2 libsimdjson14 zlib1g libbrotli1 libssl3 libhiredis0.14 \
      libsqlite3-0 \
      libpangocairo-1.0-0 libpango-1.0-0 libcairo2 libgdk-pixbuf-2.0-0 libglib2.0-0 libharfbuzz0b \
      fonts-open-sans fonts-dejavu-core fonts-wqy-microhei fonts-noto-color-emoji \
      fonts-tlwg-loma-otf fonts-lohit-deva fonts-lohit-beng-bengali fonts-lohit-guru fonts-lohit-gujr fonts-lohit-orya \
      fonts-lohit-taml fonts-lohit-telu fonts-lohit-knda fonts-lohit-mlym \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/*
COPY --from=build /built/sluice /usr/local/bin/sluice
COPY openapi /usr/share/sluice/openapi
# The records of uploaded images: a volume, or they end with the container.
RUN install -d -m 0700 -o 65532 -g 65532 /var/lib/sluice
ENV SLUICE_STATE=/var/lib/sluice
VOLUME /var/lib/sluice
# The contracts are found as ./openapi; mount others over this folder, or name them behind `serve`.
WORKDIR /usr/share/sluice
# Nobody in particular: no account, no home, no right to write anywhere.
USER 65532:65532
EXPOSE 8080
STOPSIGNAL SIGTERM
# Asks the port in SLUICE_PORT, so set that rather than --port.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["sluice", "health"]
ENTRYPOINT ["sluice"]
# The real upstreams; SLUICE_SAMPLE=1 starts the samples inside instead. Keys come from the environment or from mounted files.
CMD ["serve", "--host", "0.0.0.0"]
