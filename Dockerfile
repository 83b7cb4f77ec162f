# Mailroom in a small image: `docker build -t mailroom .`, then see compose.yaml and docs/operations.md.

FROM node:22.21.1-bookworm-slim AS build
WORKDIR /app
# For the SQLite driver, where there is no prebuilt one.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
COPY . .
RUN deploy/build-image.sh /image

FROM node:22.21.1-bookworm-slim
# What docs/operations.md backs up with: of Postgres the client of its newest version, which dumps all that we run on.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates postgresql-common rsync sqlite3 \
  && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
  && apt-get install -y --no-install-recommends postgresql-client-18 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HTTP_HOST=0.0.0.0 SMTP_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /image ./
# SQLite, files and the secret key, where no other places are set.
RUN mkdir data && chown node:node data
VOLUME /app/data
USER node
EXPOSE 3000 2525
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HTTP_PORT || 3000}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Room for young objects (docs/decisions/0035).
CMD ["node", "--max-semi-space-size=32", "bundle/main.js"]
