import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { switchFlowStorage } from '@/server/traffic/storage/flow-storage';
import { startFreshProcess } from '@/test/fresh-process';
import { prepareStores } from './prepare-stores';

describe('prepareStores while ClickHouse answers with an error', () => {
  const database = () => env().DATABASE_URL ?? '';
  let server: Server;
  let answer = { code: '', text: '' };

  beforeAll(async () => {
    server = createServer((_, response) => {
      response.writeHead(500, answer.code ? { 'x-clickhouse-exception-code': answer.code } : {});
      response.end(answer.text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close());
  afterEach(() => sqlClient()`truncate flow_storage`);

  it.each([
    ['202', 'TOO_MANY_SIMULTANEOUS_QUERIES'],
    ['516', 'AUTHENTICATION_FAILED'],
    ['243', 'NOT_ENOUGH_SPACE'],
    ['241', 'MEMORY_LIMIT_EXCEEDED'],
    ['', '<html>502 Bad Gateway</html>'],
  ])('starts, and a switch names the remedy: %s %s', async (code, name) => {
    answer = { code, text: code ? `Code: ${code}. DB::Exception: as it is. (${name})\n` : name };
    await startFreshProcess({ CLICKHOUSE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/fabric` });
    await prepareStores({ DATABASE_URL: database() });
    await expect(switchFlowStorage(database(), 'clickhouse')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Flow storage (ClickHouse)'),
    });
  });

  it('does not start when ClickHouse does not know a statement of this release', async () => {
    answer = { code: '47', text: 'Code: 47. DB::Exception: as it is. (UNKNOWN_IDENTIFIER)\n' };
    await startFreshProcess({ CLICKHOUSE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/fabric` });
    await expect(prepareStores({ DATABASE_URL: database() })).rejects.toThrow('as it is');
  });
});
