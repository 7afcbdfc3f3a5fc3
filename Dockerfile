# leadsheet in a container: an unprivileged user, a root that may be read-only, and two places of its own,
# /leadsheet/config and /leadsheet/state. docs/install.md has the commands.

# A tag may be moved to another image; a digest may not. A release is built from a digest (docs/install.md, docs/decisions.md):
#   docker build --build-arg NODE_IMAGE="$(docker buildx imagetools inspect node:24-slim --format 'node:24-slim@{{.Manifest.Digest}}')" .
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY scripts/node scripts/node
# No script of a package is needed to compile, so none is run.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts/build.ts scripts/licences.ts scripts/
COPY src src
RUN node scripts/build.ts
# The image has what the package has: `files` of package.json decides for both.
COPY README.md LICENSE CHANGELOG.md ./
COPY config/example.yaml config/leadsheet.schema.json config/
COPY docs docs
RUN npm pack --ignore-scripts --silent && mkdir /package && tar -xzf leadsheet-*.tgz -C /package --strip-components=1

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# Of a machine with much memory V8 keeps 134 MB for new objects alone (docs/performance.md, "Many jobs in one daemon").
ENV NODE_OPTIONS=--max-semi-space-size=16
# The program stands apart from the folders that are mounted, so that no mount hides a part of it.
WORKDIR /opt/leadsheet
COPY --from=build /package ./
# npm makes a program executable when it installs a package.
RUN chmod +x dist/main.js && ln -s /opt/leadsheet/dist/main.js /usr/local/bin/leadsheet \
 && install -d -o node -g node /leadsheet /leadsheet/config /leadsheet/state

# Paths in the configuration are relative to here.
WORKDIR /leadsheet
USER node
VOLUME ["/leadsheet/config", "/leadsheet/state"]
EXPOSE 4000

# Where server.listen has another port, say so in LEADSHEET_HEALTH_URL; with `server: null`, switch the check off.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(process.env.LEADSHEET_HEALTH_URL ?? 'http://127.0.0.1:4000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# The program itself is process 1: it gets the signals, and ends within ten seconds of the first.
ENTRYPOINT ["leadsheet"]
CMD ["run"]
