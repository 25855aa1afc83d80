import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import { readLive, unreachable } from '@/server/enforcement/changes/rollout/testing/rollout-lab.fixture';
import { at, create, DEFINITION, get, lab } from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { makeFlow, makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { bearer, makeAgent, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { apply, exportTo, interveneWith, plan, prepareRemoteLab, run, write } from './testing/remote-lab.fixture';

prepareRemoteLab();

/** A file that adds a rule to a policy of one workload. */
async function prepareEdit(more: object = {}): Promise<void> {
  await create({ name: 'https', definition: { ...DEFINITION, targets: [at(100)] }, ...more });
  const text = await exportTo('all.yaml');
  await write('all.yaml', text.replace(/rules:\n/, 'rules:\n      - action: accept\n        protocol: udp\n'));
}

const findChange = async (): Promise<Change> => {
  const [found] = (await get<{ items: { id: string }[] }>('/changes')).items;
  return get(`/changes/${found?.id}`);
};

describe('the end of an apply', () => {
  it('rolls back when a workload cannot be written, with exit status 4, if requested', async () => {
    await prepareEdit();
    const before = readLive(100);
    const down = unreachable(100);
    // Reachable again by the time of the rollback.
    interveneWith({
      writes: async (request, execute) =>
        (await findChange()).state === 'rolling_back' ? execute() : down(request, execute),
    });
    const { status, err } = await apply('all.yaml', '--roll-back-on-failure');
    expect([status, err]).toEqual([4, expect.stringContaining('The change was rolled back: https://fabric.test/')]);
    expect(readLive(100)).toEqual(before);
  });

  it('waits for confirmation with a time to confirm, and says until when', async () => {
    await prepareEdit();
    const { status, out } = await apply('all.yaml', '--confirm-within', '600');
    const { state, confirm_until, id } = await findChange();
    expect([status, state]).toEqual([0, 'awaiting_confirmation']);
    expect(out).toContain(`rolled back unless confirmed until ${confirm_until}: https://fabric.test/changes/${id}`);
    expect(await apply('all.yaml', '--confirm-within', 'soon')).toMatchObject({
      status: 1,
      err: expect.stringContaining('--confirm-within requires a number of seconds'),
    });
  });

  it('waits for the approval of someone else, and applies what was approved', async () => {
    const tenant = await makeTenant();
    await lab.sql`update tenants set approvals_required = 1, approval_scope = 'all' where id = ${tenant.id}`;
    const definition = { enforcement_mode: 'audit', sources: ['any'], targets: ['any'] };
    const policy = { name: 'p', tenant: tenant.name, definition };
    await write('one.yaml', JSON.stringify({ version: 1, policies: [policy] }));
    expect(await apply('one.yaml', '--wait-for-approval', '0')).toMatchObject({ status: 3 });

    const approver = await bearer(await makeUser('super_admin'));
    interveneWith({
      request: async (method, path) => {
        const [, id] = /^\/changes\/([^/]+)$/.exec(path) ?? [];
        if (method !== 'GET' || id === undefined || (await get<Change>(path)).state !== 'in_review') return;
        const { status } = await call(`${path}/approve`, { method: 'POST', body: {}, headers: approver });
        expect(status).toBe(200);
      },
    });
    const { status, out, err } = await apply('one.yaml', '--wait-for-approval', '60');
    expect([status, out, err]).toEqual([
      0,
      expect.stringContaining('Applied.'),
      expect.stringContaining('Waiting for'),
    ]);
    expect(await plan('one.yaml')).toMatchObject({ status: 0 });
  });

  it('refuses a file with more edits than a change can hold, and stores nothing', async () => {
    const security_groups = Array.from({ length: 501 }, (_, n) => ({ name: `g${n}` }));
    await write('many.yaml', JSON.stringify({ version: 1, security_groups }));
    expect(await apply('many.yaml')).toMatchObject({
      status: 1,
      err: expect.stringContaining('This needs 501 edits, and a change has at most 500. Apply it in parts'),
    });
    expect(await get('/changes')).toMatchObject({ total: 0 });
  });
});

it('prints flows as they come', async () => {
  const [node] = await lab.sql<{ id: string }[]>`select id from nodes limit 1`;
  const agent = await makeAgent({ id: node?.id ?? '' });
  let polls = 0;
  const reported = new Date().toISOString();
  interveneWith({
    request: async (_, path) => {
      if (!path.startsWith('/flows/tail') || ++polls !== 2) return;
      const flow = makeFlow({ source_ip: '192.0.2.77', first_seen_at: reported, observed_at: reported });
      await call('/agents/heartbeat', { method: 'POST', body: makeHeartbeat([flow]), headers: agent });
    },
    print: () => {
      throw new Error('interrupted');
    },
  });
  const { out } = await run('flows', '--follow');
  expect([polls, out.split('\n').length, out]).toEqual([2, 1, expect.stringContaining('192.0.2.77')]);
});
