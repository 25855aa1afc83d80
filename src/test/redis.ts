import { inject } from 'vitest';

/**
 * URL of a Redis database that no other test file uses at the same time. Guard suites with `skipIf(inject('redisServerUrl') === null)`.
 * @throws Error when this machine has no redis-server.
 */
export function redisUrl(): string {
  const server = inject('redisServerUrl');
  if (!server) throw new Error('redis-server is missing');
  return `${server}/${Number(process.env.VITEST_POOL_ID ?? 0) % 64}`;
}
