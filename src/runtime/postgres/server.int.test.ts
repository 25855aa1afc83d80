import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { initializePostgres } from './initialize';
import { findPostgresProgram } from './program';
import { databaseUrl, findFreePort, startPostgres } from './server';

it('ends although a session of it does not', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'fabric-postgres-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true, maxRetries: 10 }));
  const program = findPostgresProgram(join(parent, 'postgresql'));
  const directory = join(parent, 'postgres');
  await initializePostgres(program, directory, { password: 'secret', sync: false });
  const lines: string[] = [];
  const server = await startPostgres(program, {
    directory,
    port: await findFreePort(),
    settings: {},
    onLine: (line) => lines.push(line),
    stopTimeoutMs: 300,
  });
  onTestFinished(() => server.stop('immediate'));
  const client = postgres(databaseUrl(server.port, 'secret', 'postgres'), { max: 1, onnotice: () => {} });
  onTestFinished(() => client.end({ timeout: 0 }));
  const [session] = await client<{ pid: number }[]>`select pg_backend_pid() as pid`;
  process.kill(session?.pid ?? 0, 'SIGSTOP');
  await server.stop('fast');
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(lines.filter((line) => line.includes('did not end'))).toEqual([
    'did not end within 0.3 s; ending it immediately',
  ]);
});
