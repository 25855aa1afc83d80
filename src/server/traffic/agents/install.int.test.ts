import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentDetail, AgentInstall } from '@/domain/agent';
import { sqlClient } from '@/server/db/client';
import { bearer, makeCluster, makeNode, makeTenant, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { collectReplacedTokens } from '../../notifications/facts/traffic-facts';
import { provideBuiltAgent, readJson } from './testing/built-agent.fixture';
import { MACHINE_ID, makeFlows, makeHeartbeat } from './testing/heartbeat.fixture';

type Headers = Record<string, string>;
const sql = sqlClient();
const OTHER_MACHINE = 'fedcba9876543210fedcba9876543210';
const directory = provideBuiltAgent();
let admin: Headers;
let cluster: { id: string };
let node: { id: string; name: string };

beforeAll(async () => {
  cluster = await makeCluster();
  admin = await bearer(await makeUser('admin'));
});
beforeEach(async () => {
  node = await makeNode(cluster);
});

const install = (of = node, headers: Headers = {}) =>
  readJson<AgentInstall>(
    call('/agents/install', { method: 'POST', body: { node_id: of.id }, headers: { ...admin, ...headers } }),
    201,
  );
const enroll = (enrolment_token: string, values: Record<string, unknown> = {}) =>
  call('/agents/enrol', {
    method: 'POST',
    body: {
      protocol_version: 1,
      enrolment_token,
      machine_id: MACHINE_ID,
      node_name: node.name,
      agent_version: '0.2.0',
      ...values,
    },
  });
const enrolled = (token: string, values: Record<string, unknown> = {}) =>
  readJson<{ node_token: string; node_id: string; interval_seconds: number }>(enroll(token, values), 200);
const sendHeartbeat = (token: string, machine_id = MACHINE_ID) =>
  call('/agents/heartbeat', {
    method: 'POST',
    body: makeHeartbeat(makeFlows(1), { machine_id }),
    headers: { authorization: `Bearer ${token}` },
  });

describe('POST /agents/install', () => {
  it('gives a command that hands token and node name to the installer, whatever the name is', async () => {
    const odd = await makeNode(cluster, { name: `it's $(touch x) "n1"` });
    const { command, enrolment_token, node_name } = await install(odd);
    const bin = mkdtempSync(join(directory(), 'bin-'));
    const curl = `#!/bin/sh\necho 'printf "%s|%s|%s" "$FABRIC_ENROLMENT_TOKEN" "$FABRIC_NODE_NAME" "'"$2"'"'\n`;
    writeFileSync(join(bin, 'curl'), curl);
    chmodSync(join(bin, 'curl'), 0o755);
    const ran = spawnSync('sh', ['-c', command], {
      encoding: 'utf8',
      env: { NODE_ENV: 'test', PATH: `${bin}:/usr/bin:/bin` },
    });
    expect(ran.stdout).toBe(`${enrolment_token}|${node_name}|http://fabric.test/api/v1/agents/install.sh`);
  });

  it('keeps a hash of the token only, and says who asked', async () => {
    const { enrolment_token, expires_at } = await install();
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(59 * 60_000);
    const rows = await sql`select token_hash from agent_enrolments where node_id = ${node.id}`;
    expect(rows[0]?.token_hash).toMatch(/^[0-9a-f]{64}$/);
    const [record] =
      await sql`select * from audit_records where action = 'agent.install_requested' and object_id = ${node.id}`;
    expect(record).toMatchObject({ actor_kind: 'user', object_kind: 'node', object_name: node.name });
    expect(JSON.stringify(record)).not.toContain(enrolment_token);
  });

  it.each<[string, number, () => Promise<{ headers: Headers; id: string }>]>([
    ['a node that does not exist', 404, async () => ({ headers: admin, id: randomUUID() })],
    ['a viewer', 403, async () => ({ headers: await bearer(await makeUser('viewer')), id: node.id })],
    [
      'an administrator of one tenant',
      403,
      async () => ({ headers: await bearer(await makeUser('admin', await makeTenant())), id: node.id }),
    ],
    ['a stranger', 401, async () => ({ headers: {}, id: node.id })],
  ])('refuses %s with %i', async (_what, status, make) => {
    const { headers, id } = await make();
    await readJson(call('/agents/install', { method: 'POST', body: { node_id: id }, headers }), status);
  });

  it('says so when the service was built without the agent', async () => {
    vi.spyOn(process, 'cwd').mockReturnValueOnce('/');
    const problem = await readJson<{ detail: string }>(
      call('/agents/install', { method: 'POST', body: { node_id: node.id }, headers: admin }),
      503,
    );
    expect(problem.detail).toContain('npm run build');
  });
});

describe('the route of enrollment', () => {
  it('gives the node a token of its own, once, and writes it down without the token', async () => {
    const { enrolment_token } = await install();
    const answer = await enrolled(enrolment_token);
    expect(answer).toMatchObject({ node_id: node.id, interval_seconds: 30 });
    expect((await sendHeartbeat(answer.node_token)).status).toBe(200);
    const [record] = await sql`select * from audit_records where action = 'agent.enrolled' and object_id = ${node.id}`;
    expect(record).toMatchObject({ actor_kind: 'agent', object_name: node.name, after: { machine_id: MACHINE_ID } });
    const stored = JSON.stringify([record, await sql`select * from node_agents where node_id = ${node.id}`]);
    expect(stored).not.toContain(answer.node_token);
    expect(stored).not.toContain(enrolment_token);
  });

  it('takes the short and the long name of a machine, in any case', async () => {
    const { enrolment_token } = await install();
    await enrolled(enrolment_token, { node_name: `${node.name.toUpperCase()}.example.org` });
  });

  it('lets an agent be reinstalled and locks out the previous token and machine', async () => {
    const first = await enrolled((await install()).enrolment_token);
    await sendHeartbeat(first.node_token);
    const second = await enrolled((await install()).enrolment_token, { machine_id: OTHER_MACHINE });
    expect((await sendHeartbeat(first.node_token)).status).toBe(401);
    expect((await sendHeartbeat(second.node_token)).status).toBe(403);
    expect((await sendHeartbeat(second.node_token, OTHER_MACHINE)).status).toBe(200);
    const records = await sql`select before, after from audit_records
      where action = 'agent.enrolled' and object_id = ${node.id} order by seq`;
    expect(records.map(({ before, after }) => [before?.machine_id ?? null, after.machine_id])).toEqual([
      [null, MACHINE_ID],
      [MACHINE_ID, OTHER_MACHINE],
    ]);
  });

  it('reports that the token of an active agent was replaced, by whose enrollment, and from which machine', async () => {
    const replacement = async () => {
      const { items } = (await (await call(`/agents?q=${node.name}`, { headers: admin })).json()) as {
        items: AgentDetail[];
      };
      const detail = (await (await call(`/agents/${node.id}`, { headers: admin })).json()) as AgentDetail;
      expect(items[0]?.token_replacement).toEqual(detail.token_replacement);
      return detail.token_replacement;
    };
    const found = async () =>
      (await collectReplacedTokens('all')).facts.filter(({ object_id }) => object_id === node.id);
    const first = await enrolled((await install()).enrolment_token);
    // Nothing reported with the token before.
    await enrolled((await install()).enrolment_token);
    expect([await replacement(), await found()]).toEqual([null, []]);
    const { node_token } = await enrolled((await install()).enrolment_token);
    expect((await sendHeartbeat(first.node_token)).status).toBe(401);
    expect((await sendHeartbeat(node_token)).status).toBe(200);
    await enrolled((await install()).enrolment_token, { machine_id: OTHER_MACHINE });
    const [enrolment] = await sql`select id, created_by from agent_enrolments where node_id = ${node.id}
      order by used_at desc limit 1`;
    const [user] = await sql`select name from users where id = ${enrolment?.created_by}`;
    expect(await replacement()).toMatchObject({
      enrolment_id: enrolment?.id,
      user_id: enrolment?.created_by,
      user_name: user?.name,
      machine_id: OTHER_MACHINE,
      previous_machine_id: MACHINE_ID,
    });
    expect(await found()).toMatchObject([
      { key: `${node.id} ${enrolment?.id}`, detail: expect.stringContaining('another machine') },
    ]);
    const [record] = await sql`select after from audit_records
      where action = 'agent.enrolled' and object_id = ${node.id} order by seq desc limit 1`;
    expect(record?.after).toMatchObject({ replaced_reporting_agent: true });
  });

  const unknown = `fabric_enrol_${'a'.repeat(43)}`;
  const cases: [string, number, string, () => Promise<Response>][] = [
    ['that never was', 401, 'not valid', () => enroll(unknown)],
    [
      'that was used',
      410,
      'already used',
      async () => {
        const { enrolment_token } = await install();
        await enrolled(enrolment_token);
        return enroll(enrolment_token);
      },
    ],
    [
      'that expired',
      410,
      'expired',
      async () => {
        const { enrolment_token } = await install();
        const time = fakeClock();
        time.advance(3_600);
        try {
          return await enroll(enrolment_token);
        } finally {
          time.restore();
        }
      },
    ],
    [
      'of another node',
      422,
      'FABRIC_NODE_NAME',
      async () => enroll((await install()).enrolment_token, { node_name: 'elsewhere' }),
    ],
    [
      'of a node that was deleted',
      401,
      'not valid',
      async () => {
        const { enrolment_token } = await install();
        await sql`delete from nodes where id = ${node.id}`;
        return enroll(enrolment_token);
      },
    ],
    [
      'with a machine that has no id',
      400,
      'fields',
      async () => enroll((await install()).enrolment_token, { machine_id: 'x' }),
    ],
  ];
  it.each(cases)('refuses a token %s with %i', async (_what, status, text, attempt) => {
    const problem = await readJson<{ detail: string; node_token?: string }>(attempt(), status);
    expect(problem.detail).toContain(text);
    expect(problem.node_token).toBeUndefined();
  });

  it('works until the last moment of the hour, and after an attempt under the wrong name', async () => {
    const { enrolment_token } = await install();
    await enroll(enrolment_token, { node_name: 'elsewhere' });
    const time = fakeClock();
    time.advance(3_599);
    try {
      await enrolled(enrolment_token);
    } finally {
      time.restore();
    }
  });

  it('takes no token whose creator lost the right or the account', async () => {
    for (const lose of [
      (id: string) => sql`delete from role_assignments where user_id = ${id}`,
      (id: string) => sql`update users set active = false where id = ${id}`,
      (id: string) => sql`delete from users where id = ${id}`,
    ]) {
      const creator = await makeUser('admin');
      const { enrolment_token } = await install(node, await bearer(creator));
      await lose(creator.id);
      expect((await enroll(enrolment_token)).status).toBe(410);
    }
    expect((await enroll((await install()).enrolment_token)).status).toBe(200);
  });

  it('gives a token away once when it is used twice at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { enrolment_token } = await install();
      const answers = await Promise.all(Array.from({ length: 4 }, () => enroll(enrolment_token)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    }
  });
});
