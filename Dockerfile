# One image for web, worker and migrations; see compose.yaml. It contains Next's standalone server and the bundles, without
# a full node_modules, and runs as an unprivileged user. DATABASE_URL, REDIS_URL and FABRIC_SECRET_KEY are required.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY agent/package.json agent/
COPY agent/contract/package.json agent/contract/
COPY packages/bench/package.json packages/bench/
COPY packages/simulator/package.json packages/simulator/
RUN --mount=type=cache,target=/root/.npm npm ci --include=dev
COPY . .
RUN node scripts/build.mjs
# Packages of the agent for both architectures, which the service offers to nodes.
RUN --mount=type=cache,target=/root/.npm node agent/package.mjs --bundle dist/agent

FROM node:22-bookworm-slim
# One arena of the C library for all threads, as the supervisor sets it: less memory.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 MALLOC_ARENA_MAX=1
WORKDIR /app
COPY --from=build /app/.next/standalone .next/standalone
COPY --from=build /app/dist dist
COPY --from=build /app/drizzle drizzle
# Native modules that the bundles need, as traced by Next.
RUN ln -s .next/standalone/node_modules node_modules
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/web.mjs"]
