import type { NextConfig } from 'next';

const config: NextConfig = {
  output: 'standalone',
  poweredByHeader: false,
  reactStrictMode: true,
  typedRoutes: false,
  // `npm run check` and `npm test` check types of everything once; the build of a release need not do it again.
  typescript: { ignoreBuildErrors: true },
  transpilePackages: ['@fabric/agent-contract'],
  experimental: {
    // The entry answers the API with modules of its own; Next's copy of them is for `next dev`.
    preloadEntriesOnStart: false,
    // The standalone server has no maps of its pages: nothing would read them.
    turbopackSourceMaps: false,
    // A build on a machine that is thrown away afterwards writes nothing for the next one.
    turbopackFileSystemCacheForBuild: process.env.CI !== 'true',
    // Fewer, larger scripts for each page: they compress better together, and a page asks for half as many.
    turbopackChunking: { firstPageLoadPriority: 0.9, requestCost: 600_000, minChunkSize: 200_000 },
  },
  // Native or worker-thread packages stay outside the bundle and are loaded from node_modules at run time.
  serverExternalPackages: ['@node-rs/argon2', 'pino', 'bullmq', 'ioredis', 'postgres', 'pg'],
};

export default config;
