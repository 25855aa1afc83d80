import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentEnrollment, AgentEnrollmentCreated, AgentInstall } from '@/domain/agent';
import type { Page } from '@/domain/list';
import { sqlClient } from '@/server/db/client';
import { bearer, makeCluster, makeNode, makeTenant, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { MACHINE_ID, makeFlows, makeHeartbeat } from './testing/heartbeat.fixture';

type Headers = Record<string, string>;
type Node = { id: string; name: string };
const OTHER_MACHINE = 'fedcba9876543210fedcba9876543210';
let directory: string;
let admin: Headers;
let cluster: { id: string; name: string };
let nodes: Node[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-enrolments-test-'));
  const build = spawnSync(process.execPath, ['agent/build.mjs', join(directory, 'dist', 'agent')], {
    encoding: 'utf8',
  });
  expect(build.status, build.stderr).toBe(0);
  vi.spyOn(process, 'cwd').mockReturnValue(directory);
  admin = await bearer(await makeUser('admin'));
}, 60_000);
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  cluster = await makeCluster();
  nodes = [await makeNode(cluster, { name: 'pve1' }), await makeNode(cluster, { name: 'pve2' })];
});

async function json<T>(response: Response | Promise<Response>, status: number): Promise<T> {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  return text === '' ? (null as T) : JSON.parse(text);
}
const create = (input: object = {}, headers = admin) =>
  call('/agents/enrollments', { method: 'POST', body: { cluster_id: cluster.id, ...input }, headers });
const created = (input: object = {}) => json<AgentEnrollmentCreated>(create(input), 201);
const enroll = (token: string, node_name: string, machine_id = MACHINE_ID) =>
  call('/agents/enrol', {
    method: 'POST',
    body: { protocol_version: 1, enrolment_token: token, machine_id, node_name, agent_version: '0.2.0' },
  });
const enrolled = (token: string, name: string, machine_id = MACHINE_ID) =>
  json<{ node_token: string; node_id: string }>(enroll(token, name, machine_id), 200);
const sendHeartbeat = (token: string, machine_id = MACHINE_ID) =>
  call('/agents/heartbeat', {
    method: 'POST',
    body: makeHeartbeat(makeFlows(1), { machine_id }),
    headers: { authorization: `Bearer ${token}` },
  });
const list = async () =>
  (await json<Page<AgentEnrollment>>(call(`/agents/enrollments?cluster_id=${cluster.id}`, { headers: admin }), 200))
    .items;
const runLater = async <T>(seconds: number, work: () => Promise<T>): Promise<T> => {
  const time = fakeClock();
  time.advance(seconds);
  try {
    return await work();
  } finally {
    time.restore();
  }
};

describe('an enrollment token for many nodes', () => {
  it('enrolls every node of its cluster by name, as often as it says', async () => {
    const { enrolment_token, max_uses, command } = await created();
    expect(max_uses).toBe(2);
    expect(command).toContain(`FABRIC_ENROLMENT_TOKEN='${enrolment_token}' sh`);
    expect(command).not.toContain('FABRIC_NODE_NAME');
    const [first, second] = [
      await enrolled(enrolment_token, 'pve1'),
      await enrolled(enrolment_token, 'PVE2.example.org'),
    ];
    expect([first.node_id, second.node_id]).toEqual(nodes.map(({ id }) => id));
    expect((await sendHeartbeat(first.node_token)).status).toBe(200);
    expect((await enroll(enrolment_token, 'pve1')).status).toBe(410);
    expect(await list()).toMatchObject([
      { state: 'used', uses: 2, enrolled: [{ node_name: 'pve1' }, { node_name: 'pve2' }] },
    ]);
  });

  it('gives exactly 10 node tokens to 50 simultaneous enrollments with 10 uses', async () => {
    const many = await Promise.all(Array.from({ length: 50 }, (_, i) => makeNode(cluster, { name: `node${i}` })));
    const { enrolment_token } = await created({ max_uses: 10 });
    const answers = await Promise.all(many.map(({ name }) => enroll(enrolment_token, name)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(40);
    const [stored] = await sqlClient()`select count(*)::int as agents from node_agents where token_hash is not null
      and node_id in ${sqlClient()(many.map(({ id }) => id))}`;
    expect(stored?.agents).toBe(10);
  });

  it('does not replace the token of a node that reported recently; the install command of the node does', async () => {
    const { enrolment_token } = await created({ max_uses: 9 });
    const { node_token } = await enrolled(enrolment_token, 'pve1');
    await sendHeartbeat(node_token);
    for (const machine of [MACHINE_ID, OTHER_MACHINE]) {
      const problem = await json<{ detail: string }>(enroll(enrolment_token, 'pve1', machine), 409);
      expect(problem.detail).toContain('install command of this node');
    }
    // Silent for an hour is a reboot, not a node to be had.
    await sqlClient()`update node_agents set status = 'silent' where node_id = ${nodes[0]?.id ?? ''}`;
    await runLater(3_600, async () => expect((await enroll(enrolment_token, 'pve1')).status).toBe(410));
    const long = await created({ max_uses: 9, expires_in_minutes: 10_080 });
    await runLater(3_600, async () => expect((await enroll(long.enrolment_token, 'pve1')).status).toBe(409));
    expect((await sendHeartbeat(node_token)).status).toBe(200);
    expect((await list()).find(({ id }) => id === long.id)).toMatchObject({ uses: 0 });
    const install = await json<AgentInstall>(
      call('/agents/install', { method: 'POST', body: { node_id: nodes[0]?.id }, headers: admin }),
      201,
    );
    await enrolled(install.enrolment_token, 'pve1');
    expect((await sendHeartbeat(node_token)).status).toBe(401);
    // The new token has not reported yet; the node still did.
    await runLater(120, async () =>
      expect((await enroll(long.enrolment_token, 'pve1', OTHER_MACHINE)).status).toBe(409),
    );
  });

  it('enrolls a node again whose token has not reported for a day', async () => {
    const { enrolment_token } = await created({ max_uses: 9, expires_in_minutes: 10_080 });
    await sendHeartbeat((await enrolled(enrolment_token, 'pve1')).node_token);
    await sqlClient()`update node_agents set status = 'silent' where node_id = ${nodes[0]?.id ?? ''}`;
    await runLater(24 * 3_600 + 60, () => enrolled(enrolment_token, 'pve1', OTHER_MACHINE));
  });

  it('lets the same machine repeat an interrupted installation, and no other machine', async () => {
    const { enrolment_token } = await created({ max_uses: 9 });
    await enrolled(enrolment_token, 'pve1');
    expect((await enroll(enrolment_token, 'pve1', OTHER_MACHINE)).status).toBe(409);
    await enrolled(enrolment_token, 'pve1');
  });

  it('gives a new node to one of two machines that claim it at the same moment by two tokens', async () => {
    const tokens = [await created(), await created()];
    for (const { name } of nodes) {
      const answers = await Promise.all(
        tokens.map(({ enrolment_token }, i) => enroll(enrolment_token, name, i === 0 ? MACHINE_ID : OTHER_MACHINE)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  it('works only for the selected nodes of its cluster', async () => {
    const other = await makeCluster();
    await makeNode(other, { name: 'pve9' });
    const { enrolment_token, max_uses } = await created({ node_ids: [nodes[1]?.id] });
    expect(max_uses).toBe(1);
    for (const name of ['pve1', 'pve9', 'elsewhere'])
      expect((await json<{ detail: string }>(enroll(enrolment_token, name), 422)).detail).toContain('FABRIC_NODE_NAME');
    await enrolled(enrolment_token, 'pve2');
    const foreign = await makeNode(other, { name: 'pve1' });
    await json(create({ node_ids: [nodes[0]?.id, foreign.id] }), 422);
  });

  it('rejects a node that left the cluster', async () => {
    await sqlClient()`update nodes set missing_since = now() where id = ${nodes[0]?.id ?? ''}`;
    const { enrolment_token, max_uses } = await created();
    expect(max_uses).toBe(1);
    expect((await enroll(enrolment_token, 'pve1')).status).toBe(422);
  });

  it('ends by time, by revocation, and with the permission of its creator', async () => {
    const expiring = await created({ expires_in_minutes: 10 });
    await runLater(600, async () => expect((await enroll(expiring.enrolment_token, 'pve1')).status).toBe(410));
    const revoked = await created();
    await json(call(`/agents/enrollments/${revoked.id}`, { method: 'DELETE', headers: admin }), 204);
    expect((await json<{ detail: string }>(enroll(revoked.enrolment_token, 'pve1'), 410)).detail).toContain('revoked');
    await json(call(`/agents/enrollments/${revoked.id}`, { method: 'DELETE', headers: admin }), 410);
    const creator = await makeUser('admin');
    const { enrolment_token } = await json<AgentEnrollmentCreated>(create({}, await bearer(creator)), 201);
    await sqlClient()`update users set active = false where id = ${creator.id}`;
    expect((await enroll(enrolment_token, 'pve1')).status).toBe(410);
    const states = async () => (await list()).map(({ state }) => state);
    expect(await runLater(600, states)).toEqual(['active', 'revoked', 'expired']);
  });

  it('causes records of creation, use and revocation without its text', async () => {
    const { id, enrolment_token } = await created({ description: 'rack 4' });
    await enrolled(enrolment_token, 'pve1');
    await json(call(`/agents/enrollments/${id}`, { method: 'DELETE', headers: admin }), 204);
    const records = await sqlClient()`select action, actor_kind, object_name, after from audit_records
      where object_id = ${id} or after ->> 'enrolment_id' = ${id} order by seq`;
    expect(records.map(({ action }) => action)).toEqual([
      'agent.enrollment_created',
      'agent.enrolled',
      'agent.enrollment_revoked',
    ]);
    expect(records[0]).toMatchObject({ actor_kind: 'user', object_name: 'rack 4', after: { max_uses: 2 } });
    const stored = JSON.stringify([records, await sqlClient()`select * from agent_enrolments where id = ${id}`]);
    expect(stored).not.toContain(enrolment_token);
    expect(JSON.stringify(await list())).not.toContain(enrolment_token);
  });

  it('remains available for later nodes by number while every node reports', async () => {
    const { enrolment_token } = await created();
    for (const { name } of nodes) await sendHeartbeat((await enrolled(enrolment_token, name)).node_token);
    await json(create(), 409);
    await json(create({ node_ids: [nodes[0]?.id] }), 409);
    const later = await created({ max_uses: 1 });
    await makeNode(cluster, { name: 'pve3' });
    await enrolled(later.enrolment_token, 'pve3');
  });

  it.each<[string, number, object, () => Promise<Headers>]>([
    ['a viewer', 403, {}, async () => bearer(await makeUser('viewer'))],
    ['an administrator of one tenant', 403, {}, async () => bearer(await makeUser('admin', await makeTenant()))],
    ['a cluster that does not exist', 404, { cluster_id: '0190f3a0-0000-7000-8000-00000000dead' }, async () => admin],
    ['a token without end', 400, { expires_in_minutes: 10_081 }, async () => admin],
    ['a token with any number of uses', 400, { max_uses: 501 }, async () => admin],
  ])('returns an error for %s with %i', async (_what, status, input, headers) => {
    await json(create(input, await headers()), status);
  });
});
