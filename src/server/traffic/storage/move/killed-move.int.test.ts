import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { bundled } from '@/test/bundle';
import { startTestClickhouse } from '../clickhouse/test-clickhouse.fixture';

const { server } = await startTestClickhouse();
const program = bundled('src/runtime/fabric-main.ts');

const DAYS = 40;
const ROWS = 10;
const RUNNING = 'A move is running already';

/** Runs the command in a process of its own. @param killAfter kills it when it has printed so many lines of days */
async function runMove(killAfter = Number.POSITIVE_INFINITY) {
  const child = spawn(process.execPath, [program(), 'flow-store', 'move', '--to', 'postgres'], {
    env: {
      ...{ NODE_ENV: 'production', PATH: '/usr/bin:/bin', FABRIC_SECRET_KEY: 'killed-move-secret-key-killed-move-key' },
      ...{ DATABASE_URL: env().DATABASE_URL, CLICKHOUSE_URL: server?.url },
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    if (lines.filter((one) => one.includes('both stores agree')).length === killAfter) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { days: lines.filter((one) => one.includes('both stores agree')).length, lines, signal: child.signalCode };
}

it.skipIf(server === null)(
  'a process that is killed in the middle of a move leaves what the next one continues',
  async () => {
    await server?.run(`insert into rollup_hours (bucket_at, rollup_key, node_id, source_prefix, destination_prefix, protocol, service_port, decision,
      bytes, packets, flows, reports)
    select toStartOfHour(now()) - toIntervalDay(3 + intDiv(number, ${ROWS})), generateUUIDv4(), generateUUIDv4(), '10.0.0.0/24', '10.0.1.0/24', 'tcp',
      number, 'observed', number, 1, 1, 1 from numbers(${DAYS * ROWS})`);
    await sqlClient()`insert into flow_storage (engine) values ('clickhouse')`;
    const killed = await runMove(5);
    expect(killed).toMatchObject({ signal: 'SIGKILL' });
    // Its connection ends a moment after it.
    let finished = await runMove();
    while (finished.lines.some((line) => line.includes(RUNNING))) finished = await runMove();
    expect(finished.lines.slice(-1)).toEqual([expect.stringContaining('Filling in')]);
    const [moved] =
      await sqlClient()`select count(*)::int as rows, sum(bytes)::int as bytes, sum(flows)::int as flows from flow_rollup_hours`;
    const rows = DAYS * ROWS;
    expect(moved).toEqual({ rows, bytes: (rows * (rows - 1)) / 2, flows: rows });
    expect(killed.days + finished.days).toBeGreaterThanOrEqual(DAYS - 1);
    expect(killed.days + finished.days).toBeLessThanOrEqual(DAYS);
    expect(await server?.run('select count() from rollup_hours')).toBe('0');
  },
);
