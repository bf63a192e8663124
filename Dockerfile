# The service, any role of it (ROLES). Needs NATS_URL and CLICKHOUSE_URL: see docker-compose.yml.
FROM node:22.23.3-bookworm-slim

WORKDIR /app
# The console's tsconfig.json extends the root's.
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY console ./console
# The console contains the runbook.
COPY docs/operations.md ./docs/operations.md
# The console is built of some of the sources too.
COPY core ./core
COPY clickhouse-schema ./clickhouse-schema
COPY models ./models
COPY actors ./actors
COPY streams ./streams
COPY src ./src
# `npm ci` refuses the lock file where builds for other platforms cannot be resolved.
RUN --mount=type=cache,target=/root/.npm npm install --omit=dev && node console/build.ts

RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
VOLUME /data
EXPOSE 8080

# Not through npm: signals must reach the service itself.
CMD ["node", "--max-semi-space-size=32", "--max-old-space-size=2000", "--no-allocation-site-pretenuring", "src/main.ts"]
