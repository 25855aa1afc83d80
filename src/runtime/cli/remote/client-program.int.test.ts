import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { newApiToken } from '@/server/access/account/api-tokens';
import { hashToken } from '@/server/auth/session-tokens';
import { db } from '@/server/db/client';
import { apiTokens } from '@/server/db/schema/sign-in';
import {
  at,
  create,
  DEFINITION,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { env } from '@/server/lib/env';
import { bundled } from '@/test/bundle';
import { makeUser } from '@/test/factories';
import { fabric } from '../testing.fixture';

prepareDeploymentLab();
const program = bundled('src/runtime/client-main.ts');
const service = bundled('src/test/web-process.fixture.ts');
let web: ChildProcess | undefined;
afterAll(() => web?.kill());

/** The REST surface in a process of its own. @returns its address */
async function startWeb(): Promise<string> {
  const started = spawn(process.execPath, [service()], {
    env: {
      NODE_ENV: 'production',
      PATH: '/usr/bin:/bin',
      DATABASE_URL: env().DATABASE_URL,
      FABRIC_SECRET_KEY: 'client-program-secret-key-client-program',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  web = started;
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    started.once('message', (message) => resolve(message as { port: number }));
    started.once('exit', (code) => reject(new Error(`the web process ended with ${code}`)));
  });
  return `http://127.0.0.1:${port}`;
}

async function makeToken(permissions: (typeof apiTokens.$inferInsert)['permissions']): Promise<string> {
  const { token, prefix } = newApiToken();
  const { id: user_id } = await makeUser('super_admin');
  const row = { user_id, name: 'pipeline', prefix, permissions, expires_at: '2999-01-01T00:00:00Z' };
  await db.insert(apiTokens).values({ ...row, token_hash: hashToken(token) });
  return token;
}

it('runs as one file with an address and a token, over HTTP, within the permissions of the token', async () => {
  await create({ name: 'audited', definition: { ...DEFINITION, targets: [at(100)], enforcement_mode: 'audit' } });
  const reading = ['policy:read', 'group:read', 'policy_test:read'] as const;
  const writing = ['policy:write', 'group:write', 'policy_test:write'] as const;
  const variables = { FABRIC_URL: await startWeb(), FABRIC_TOKEN: await makeToken([...reading, ...writing]) };
  const run = (args: string[], input = '', more = {}) => fabric(program(), args, { ...variables, ...more }, input);

  const exported = await run(['export']);
  expect([exported.status, exported.stderr, exported.stdout]).toEqual([
    0,
    '',
    expect.stringContaining('- name: audited'),
  ]);
  expect(await run(['plan', '-'], exported.stdout)).toEqual({ status: 0, stdout: 'Nothing to change.\n', stderr: '' });
  const changed = await run(['plan', '-', '--json', '--no-replay'], exported.stdout.replace('audited', 'another'));
  expect([changed.status, JSON.parse(changed.stdout).operations.length]).toEqual([2, 1]);
  const mistake = await run(['plan', '-'], exported.stdout.replace('audit\n', 'adit\n'));
  expect([mistake.status, mistake.stderr]).toEqual([
    1,
    expect.stringMatching(/^-:\d+:7: policies\.0\.definition\.enf/),
  ]);

  const asked = await run(['apply', '-', '--no-replay'], exported.stdout.replace('audited', 'another'));
  expect([asked.status, asked.stderr]).toEqual([1, expect.stringContaining('Add --yes')]);
  const reader = { FABRIC_TOKEN: await makeToken([...reading]) };
  expect((await run(['export'], '', reader)).stdout).toBe(exported.stdout);
  const refused = await run(['plan', '-'], exported.stdout, reader);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('policy:write')]);
  expect((await run(['export'], '', { FABRIC_TOKEN: '' })).stderr).toMatch(/^Set FABRIC_TOKEN/);
});
