import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { drive } from '@/server/enforcement/changes/rollout/testing/rollout-lab.fixture';
import {
  at,
  create,
  DEFINITION,
  lab,
  post,
  prepareDeploymentLab,
  RULES,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import type { Interference } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { runCli } from '../../run-cli';
import { remoteCommands } from '../remote-commands';

/** What happens to the writes of roll-outs, before each request, and to each printed line. */
type Intervention = {
  writes?: Interference;
  request?: (method: string, path: string) => Promise<void>;
  print?: (line: string) => void;
};

/** Of the test that runs. */
const state: { folder: string; token: string; intervention: Intervention } = {
  folder: '',
  token: '',
  intervention: {},
};

/** Gives each test of the file an empty lab with a folder for files, in which an administrator runs the commands. */
export function prepareRemoteLab(): void {
  prepareDeploymentLab();
  beforeEach(async () => {
    await lab.sql`truncate policies, security_groups, policy_tests, changes cascade`;
    state.folder = await mkdtemp(join(tmpdir(), 'fabric-file-'));
    await signInAs(await makeUser('super_admin'));
    state.intervention = {};
  });
  afterEach(() => rm(state.folder, { recursive: true }));
}

/** Whose token the commands use. */
export async function signInAs(user: Parameters<typeof bearer>[0]): Promise<void> {
  const { authorization = '' } = (await bearer(user)) as Record<string, string>;
  setToken(authorization.replace(/^Bearer /, ''));
}

export const setToken = (given: string): void => {
  state.token = given;
};

export function interveneWith(intervention: Intervention): void {
  state.intervention = intervention;
}

/** Calls the service without a socket; workers carry out what a request starts. */
const callService = async (url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> => {
  const path = url.replace('https://fabric.test/api/v1', '');
  await state.intervention.request?.(method, path);
  const sent = typeof body === 'string' ? { body } : {};
  const response = await call(path, { method, headers: headers as Record<string, string>, ...sent });
  const [, id] = /^\/changes\/([^/]+)\/apply$/.exec(path) ?? [];
  if (id !== undefined && response.ok) await drive(id, state.intervention.writes);
  return response;
};

export type Ran = { status: number; out: string; err: string };

/** Runs the command line in an environment with more variables. */
export async function runIn(variables: Record<string, string>, ...args: string[]): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const env = { NODE_ENV: 'test', FABRIC_URL: 'https://fabric.test', FABRIC_TOKEN: state.token, ...variables };
  const status = await runCli(remoteCommands({ env, fetch: callService, confirm: null }), args, {
    print: (line) => {
      out.push(line);
      state.intervention.print?.(line);
    },
    note: (line) => void err.push(line),
  });
  return { status, out: out.join('\n'), err: err.join('\n') };
}

export const run = (...args: string[]): Promise<Ran> => runIn({}, ...args);

export const toPath = (name: string) => join(state.folder, name);
export const write = (name: string, text: string): Promise<void> => writeFile(toPath(name), text);
export const exportTo = async (name: string, ...options: string[]): Promise<string> => {
  expect(await run('export', '-o', toPath(name), ...options)).toMatchObject({ status: 0, err: '' });
  return readFile(toPath(name), 'utf8');
};
export const apply = (name: string, ...options: string[]): Promise<Ran> =>
  run('apply', toPath(name), '--yes', '--no-replay', ...options);
export const plan = (name: string, ...options: string[]): Promise<Ran> =>
  run('plan', toPath(name), '--no-replay', ...options);

/** Policies, groups and tests of the installation, a tenant and a project, some of which name others by id. */
export async function fill() {
  const tenant = await makeTenant();
  const project = await makeProject(tenant, { name: 'Shop: "1"' });
  const owner = { tenant_id: tenant.id, project_id: project.id };
  const workload_ids = [await lab.id(101), await lab.id(100)];
  const group = await post<{ id: string }>('/security-groups', { name: 'web # 1', workload_ids, member_tags: ['x'] });
  await post('/security-groups', { name: 'web # 1', ...owner, description: 'line\nbreak' });
  const targets = [`sg:${group.body.id}`, at(102)];
  await create({ name: 'platform', definition: { ...DEFINITION, targets }, priority: 10, enabled: true });
  await create({ name: 'a later one', definition: { ...DEFINITION, enforcement_mode: 'audit' }, priority: 10 });
  const tenants = { definition: { ...DEFINITION, targets: ['sg:web # 1'], enforcement_mode: 'audit' }, rules: RULES };
  await post('/policies', { name: 'yes', ...owner, ...tenants });
  const test = { expect: 'deny', protocol: 'tcp', ports: ['9'], from: ['192.0.2.1', '!192.0.2.9'], to: [at(100)] };
  await post('/policy-tests', { ...test, name: 'platform test', reason: 'because' });
  await post('/policy-tests', { ...test, name: 'of a tenant', to: ['sg:web # 1'], ...owner });
  return { tenant, group: group.body };
}
