import { describe, inject } from 'vitest';

/**
 * URL of a Redis database that no other test file uses at the same time. Only inside `describeRedis`.
 * @throws Error when this machine has no redis-server.
 */
export function redisUrl(): string {
  const server = inject('redisServerUrl');
  if (!server) throw new Error('redis-server is missing');
  return `${server}/${Number(process.env.VITEST_POOL_ID ?? 0) % 64}`;
}

/** A suite that needs a real Redis. Without redis-server it is listed as skipped; in CI the run fails before. */
export const describeRedis = describe.skipIf(inject('redisServerUrl') === null);
