import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { recordAudit } from '../audit/record';
import { systemScope } from '../auth/scope';
import { setUpDestinations } from './testing/destinations.fixture';

const sql = sqlClient();
const { create, getProgress, forward } = setUpDestinations();
const trail = async (after: number) => {
  const rows = await sql<{ id: string }[]>`select id from audit_records where seq > ${after} order by seq`;
  return rows.map(({ id }) => id);
};
const lastSeq = async () => Number((await sql`select max(seq) as seq from audit_records`)[0]?.seq);
type Sent = { id: string; omitted?: unknown };

describe('a receiver over HTTP that limits the size of a request', () => {
  /** A receiver that refuses larger requests, as a reverse proxy does. @returns a destination with it, and the records that it took */
  const startLimited = async (limit: number) => {
    const taken: Sent[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const isTaken = body.length <= limit;
        if (isTaken)
          taken.push(
            ...body
              .toString('utf8')
              .split('\n')
              .slice(0, -1)
              .map((line) => JSON.parse(line)),
          );
        response.writeHead(isTaken ? 200 : 413).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const after = await lastSeq();
    // Its own record is the first that it gets.
    const destination = await create({ kind: 'http', url: `http://127.0.0.1:${port}/`, streams: ['audit'] });
    const close = () => new Promise((resolve) => server.close(resolve));
    return { destination, taken, after, close };
  };
  /** Records with a name of so many characters, of which each is six bytes when it is escaped. */
  const makeNamed = async (lengths: readonly number[]) => {
    const entry = { action: 'forwarding_destination.tested', object_kind: 'forwarding_destination' } as const;
    for (const length of lengths)
      await db.transaction((tx) =>
        recordAudit(tx, systemScope('*', 'test'), { ...entry, object_name: '中'.repeat(length) }),
      );
  };

  it.each([
    [1_048_576, [2]],
    [50_000, [2, 4]],
    [400, [0, 1, 2, 3, 4]],
  ])('gets every record in order when it takes %i bytes; what is larger is shortened', async (limit, shortened) => {
    const { destination, taken, after, close } = await startLimited(limit);
    await makeNamed([1, 600_000, 1, 20_000]);
    await forward(destination);
    await close();
    expect(taken.map(({ id }) => id)).toEqual(await trail(after));
    expect(taken.flatMap(({ omitted }, n) => (omitted ? [n] : []))).toEqual(shortened);
    expect(await getProgress(destination.id, 'audit')).toMatchObject({
      ...{ sent: 5, lost: 0, waiting: 0, shortened: shortened.length, last_error: null },
    });
  });

  it('loses nothing when it refuses even the shortest record', async () => {
    const { destination, taken, close } = await startLimited(100);
    await makeNamed([600_000, 1]);
    await forward(destination);
    await close();
    expect(taken).toEqual([]);
    expect(await getProgress(destination.id, 'audit')).toMatchObject({
      ...{ sent: 0, lost: 0, waiting: 3, shortened: 0, last_error: expect.stringContaining('413') },
    });
  });
});
