# The same binary as anywhere, and the engine library beside it.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /rollsmith .

FROM node:22-bookworm-slim AS engine
WORKDIR /engine
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund && mv node_modules/@chdb/lib-*/libchdb.so /libchdb.so

# The engine is built for glibc.
FROM debian:bookworm-slim
RUN useradd --uid 10001 --create-home rollsmith && install -d -o rollsmith -g rollsmith /data
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=engine /libchdb.so /usr/lib/libchdb.so
COPY --from=build /rollsmith /usr/bin/rollsmith
COPY LICENSE /usr/share/doc/rollsmith/LICENSE
USER rollsmith
WORKDIR /data
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/usr/bin/rollsmith"]
# There is no login: publish the port on loopback only, or put a proxy with one
# in front.
CMD ["serve", "--addr", "0.0.0.0:8080", "--allow-remote-without-auth", "--data", "/data"]
