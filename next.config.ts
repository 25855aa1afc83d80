import type { NextConfig } from 'next';

const config: NextConfig = {
  output: 'standalone',
  poweredByHeader: false,
  reactStrictMode: true,
  typedRoutes: false,
  // The one route that is not a page is for `next dev`: in production the entry answers the API with modules of its own.
  pageExtensions: process.env.NODE_ENV === 'production' ? ['tsx'] : ['tsx', 'ts'],
  // `npm run check` and `npm test` check types of everything once; the build of a release need not do it again.
  typescript: { ignoreBuildErrors: true },
  transpilePackages: ['@fabric/agent-contract'],
  experimental: {
    // The standalone server has no maps of its pages: nothing would read them.
    turbopackSourceMaps: false,
    // A build on a machine that is thrown away afterwards writes nothing for the next one.
    turbopackFileSystemCacheForBuild: process.env.CI !== 'true',
    // Fewer, larger scripts for each page: they compress better together, and a page asks for half as many.
    turbopackChunking: { firstPageLoadPriority: 0.9, requestCost: 600_000, minChunkSize: 200_000 },
  },
  // Native code that the bundles load, for the image that has no other packages.
  outputFileTracingIncludes: { '/*': ['node_modules/@node-rs/argon2*/**/*'] },
  // Native or worker-thread packages stay outside the bundle and are loaded from node_modules at run time.
  serverExternalPackages: ['@node-rs/argon2', 'pino', 'bullmq', 'ioredis', 'postgres', 'pg'],
};

export default config;
