# haplospin on Debian 12:
#   docker build -t haplospin .
#   docker run --rm -u "$(id -u):$(id -g)" -v "$PWD:/data" haplospin haplospin impute --ref ...
# --build-arg TORCH=OFF builds without training and LibTorch, which is most of the image.
FROM debian:12-slim AS build
ARG TORCH=ON
WORKDIR /src
COPY scripts/setup scripts/setup
RUN scripts/setup && apt-get install -qy --no-install-recommends dpkg-dev file && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cmake -S . -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DHAPLOSPIN_TESTS=OFF -DHAPLOSPIN_TORCH=${TORCH} \
 && cmake --build /build \
 && cpack --config /build/CPackConfig.cmake -G DEB -B /package

# The package installs its dependencies. OpenBLAS is several times faster than the BLAS that LibTorch depends on, and
# Nextflow needs ps.
FROM debian:12-slim
ARG TORCH=ON
COPY --from=build /package/haplospin_*.deb /tmp/
RUN apt-get update -q \
 && apt-get install -qy --no-install-recommends /tmp/haplospin_*.deb procps \
      $(if [ "$TORCH" = ON ]; then echo libopenblas0-openmp; fi) \
 && rm -rf /var/lib/apt/lists/* /tmp/haplospin_*.deb \
 && useradd --create-home haplospin
USER haplospin
WORKDIR /data
# No ENTRYPOINT: workflow managers run a shell in the image, and not all of them can override it.
CMD ["haplospin", "--help"]
