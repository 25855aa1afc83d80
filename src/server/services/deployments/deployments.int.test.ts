import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ApplyResult, Deployment, DeploymentGuest } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import { systemScope } from '@/server/auth/scope';
import { queueBackend } from '@/server/jobs/backend';
import { directProvider, type Interference } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import { makePolicyLab, type PolicyLab } from '@/server/services/policies/testing/policy-lab.fixture';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { db } from '../../db/client';
import { requestSyncIn } from '../clusters/request-sync';
import { runClusterSync } from '../clusters/run-sync';
import { runDeployment } from './run-deployment';
import { scheduleDeployments } from './schedule-deployments';

vi.stubEnv('REDIS_URL', '');
beforeAll(() => queueBackend.prepare());

const FIVE = [100, 101, 102, 105, 200];
/** Set anew for each test: numbers are unique within a cluster only. */
let DEFINITION = {
  enforcement_mode: 'enforced',
  direction: 'in',
  sources: [''],
  targets: [''],
  default_action: 'none',
};
const at = (vmid: number) => `vmid:${lab.cluster.id}/${vmid}`;
const RULES = [
  { action: 'accept', protocol: 'tcp', destination_ports: ['22'] },
  { action: 'drop', protocol: 'tcp', destination_ports: ['23'] },
];

let lab: PolicyLab;
afterEach(() => lab.close());

/** A lab whose deployments go straight to the simulated API. */
async function setUp(): Promise<void> {
  // Sign-ins last a quarter of an hour of the lab's own time.
  lab = await makePolicyLab({ timeScale: 2 });
  DEFINITION = { ...DEFINITION, sources: ['10.20.22.0/24'], targets: FIVE.map(at) };
}
const create = (changes: object = {}) => lab.create({ definition: DEFINITION, rules: RULES, ...changes });
const run = (id: string, interfere?: Interference) =>
  runDeployment(id, {
    signal: new AbortController().signal,
    openProvider: () => directProvider(lab.control, interfere && { interfere }),
    pause: async () => {},
  });
async function post<T>(path: string, body?: object): Promise<{ status: number; body: T }> {
  return lab.json(path, { method: 'POST', ...(body && { body }) });
}
const get = async <T>(path: string): Promise<T> => (await lab.json(path)).body;
const waiting = async (policy: Policy): Promise<string[]> =>
  (
    await lab.sql<{ id: string }[]>`
      select id from deployments where policy_id = ${policy.id} and status in ('queued', 'running') order by id`
  ).map(({ id }) => id);
/** Asks for an apply and carries it out. */
async function apply(policy: Policy, interfere?: Interference): Promise<Deployment> {
  const { status, body } = await post<ApplyResult>(`/policies/${policy.id}/apply`);
  expect(status).toBe(202);
  expect(body).toMatchObject({ policy_mode: 'enforced', finished: false, success: false, dry_run: false });
  const id = body.clusters[0]?.deployment_id ?? '';
  await run(id, interfere);
  return get(`/deployments/${id}`);
}
const guestsOf = async (id: string) =>
  (await get<{ items: DeploymentGuest[] }>(`/deployments/${id}/guests?limit=500`)).items;
const lines = (vmid: number) =>
  (lab.control.firewall.guestFile(vmid) ?? '').split('\n').filter((line) => /^\|?(?:IN|OUT|GROUP) /.test(line));
const ours = (vmid: number, policy: Policy) => lines(vmid).filter((line) => line.includes(`p=${policy.id} `));
const foreign = (vmid: number) => lines(vmid).filter((line) => !line.includes('[fabric '));
/** Calls `hook` before each write, with its number. */
const beforeWrites = (hook: (write: number) => unknown): Interference =>
  (() => {
    let writes = 0;
    return async (request, execute) => {
      if (request.method !== 'GET') await hook(++writes);
      return execute();
    };
  })();

describe('applying a policy', () => {
  it('puts exactly its rules at its guests, switches filters on, and leaves everything else as it is', async () => {
    await setUp();
    const before = new Map(FIVE.map((vmid) => [vmid, foreign(vmid)]));
    const policy = await create();
    const deployment = await apply(policy);
    expect(deployment).toMatchObject({ status: 'ok', progress_done: 5, progress_total: 5, guests: { ok: 5 } });
    for (const vmid of FIVE) {
      const own = ours(vmid, policy);
      expect(own.map((line) => line.replace(/ # .*/, ''))).toEqual([
        'IN ACCEPT -source 10.20.22.0/24 -p tcp -dport 22',
        'IN DROP -source 10.20.22.0/24 -p tcp -dport 23',
      ]);
      expect(own.every((line) => line.includes(` v=1 `) && line.includes(` g=${vmid}]`))).toBe(true);
      expect(lines(vmid).slice(0, 2)).toEqual(own);
      expect(foreign(vmid)).toEqual(before.get(vmid));
      expect(lab.control.enforcement.view(vmid).nics.every(({ live_flag }) => live_flag)).toBe(true);
    }
    // Nobody filtered the mail server before: what no policy speaks of still passes.
    expect(lab.control.firewall.guestFile(105)).toMatch(/policy_in: ACCEPT/);
    expect(lab.control.firewall.guestFile(102)).not.toMatch(/policy_in/);
    expect((await lab.fresh(policy.id)).deployment_status).toBe('active');
    const again = await apply(policy);
    expect(again).toMatchObject({ status: 'ok', writes: 0, guests: { unchanged: 5 } });
    const records = await lab.sql`select action from audit_records where object_id = ${policy.id} order by seq`;
    expect(records.map(({ action }) => action)).toEqual([
      'policy.created',
      'policy.apply_requested',
      'policy.applied',
      'policy.apply_requested',
      'policy.applied',
    ]);
    const [guest] = await guestsOf(deployment.id);
    const detail = await get(`/deployments/${deployment.id}/guests/${guest?.workload_id}`);
    expect(detail).toMatchObject({
      status: 'ok',
      changes: { added: 2, removed: 0, moved: 0, kept: 0 },
      plan: { total: expect.any(Number) },
      state_before: { rules: expect.any(Array) },
    });
  });

  it('answers a dry run without a call to the cluster, success apart from applied', async () => {
    await setUp();
    const policy = await create();
    const calls = lab.simulator.log.total;
    const { status, body } = await post<ApplyResult>(`/policies/${policy.id}/apply`, { dry_run: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      applied: false,
      dry_run: true,
      policy_mode: 'enforced',
      finished: true,
    });
    expect(body.clusters[0]?.guests).toHaveLength(5);
    expect(body.clusters[0]?.guests[0]).toMatchObject({ vmid: 100, status: 'planned', rules: 2, writes: 0 });
    expect(lab.simulator.log.total).toBe(calls);
    expect(await waiting(policy)).toEqual([]);
  });

  it('refuses audit mode and disabled policies with the mode in the answer', async () => {
    await setUp();
    for (const [changes, mode] of [
      [{ definition: { ...DEFINITION, enforcement_mode: 'audit' } }, 'audit'],
      [{ enabled: false }, 'enforced'],
    ] as const) {
      const policy = await create(changes);
      for (const dry_run of [false, true]) {
        const refused = await post(`/policies/${policy.id}/apply`, { dry_run });
        expect(refused).toMatchObject({
          status: 422,
          body: { code: 'refused', policy_mode: mode, success: false, applied: false, dry_run },
        });
      }
      expect(await waiting(policy)).toEqual([]);
    }
  });

  it('names rules that map to no workload, and writes nothing when there is none at all', async () => {
    await setUp();
    const nowhere = await create({ definition: { ...DEFINITION, targets: ['sg:nobody', 'tag:none'] } });
    const refused = await post<{ detail: string }>(`/policies/${nowhere.id}/apply`);
    expect(refused).toMatchObject({ status: 422, body: { policy_mode: 'enforced', success: false, applied: false } });
    expect(refused.body.detail).toMatch(/could not be mapped to a workload.*sg:nobody does not exist/);
    expect(await post(`/policies/${nowhere.id}/apply`, { dry_run: true })).toMatchObject({
      status: 200,
      body: { success: false, applied: false, dry_run: true, policy_mode: 'enforced' },
    });
    const partly = await create({ rules: [...RULES, { action: 'accept', protocol: 'icmpv6' }] });
    const deployment = await apply(partly);
    expect(deployment).toMatchObject({ status: 'partial', problems: [{ code: 'rule_without_workload' }] });
    expect(deployment.problems[0]?.message).toMatch(/Rule 3 \(accept icmpv6\)/);
    expect(ours(100, partly)).toHaveLength(2);
  });

  it('replaces an older version, and takes its rules from a guest that is no target any more', async () => {
    await setUp();
    const policy = await create();
    await apply(policy);
    const { body } = await lab.json(`/policies/${policy.id}`, {
      method: 'PATCH',
      body: {
        version: 1,
        definition: { ...DEFINITION, targets: [at(100), at(101)] },
        rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }],
      },
    });
    const changed = body as Policy;
    expect(await apply(changed)).toMatchObject({ status: 'ok', policy_version: changed.version, guests: { ok: 5 } });
    for (const vmid of [100, 101]) {
      expect(ours(vmid, policy)).toEqual([expect.stringMatching(/-dport 443 # .* v=2 /)]);
    }
    for (const vmid of [102, 105, 200]) expect(ours(vmid, policy)).toEqual([]);
    expect((await lab.sql`select 1 from policy_placements where policy_id = ${policy.id}`).length).toBe(2);
  });

  it('belongs to whoever may apply, within their tenant', async () => {
    await setUp();
    const policy = await create();
    const deployment = await apply(policy);
    const viewer = await bearer(await makeUser('viewer'));
    const stranger = await bearer(await makeUser('security_engineer', await makeTenant()));
    const ask = (path: string, headers: Record<string, string>, method = 'POST') => call(path, { method, headers });
    expect((await ask(`/policies/${policy.id}/apply`, viewer)).status).toBe(403);
    expect((await ask(`/deployments/${deployment.id}`, viewer, 'GET')).status).toBe(200);
    for (const path of [
      `/policies/${policy.id}/apply`,
      `/policies/${policy.id}/reconcile`,
      `/deployments/${deployment.id}/retry`,
    ]) {
      expect((await ask(path, stranger)).status).toBe(404);
    }
    for (const path of [`/deployments/${deployment.id}`, `/deployments/${deployment.id}/guests`]) {
      expect((await ask(path, stranger, 'GET')).status).toBe(404);
    }
    expect(await (await ask('/deployments', stranger, 'GET')).json()).toMatchObject({ items: [], total: 0 });
    expect(await (await ask('/policies/apply-pending', stranger)).json()).toEqual({ operations: [] });
  });
});

describe('a default of dropping', () => {
  it('comes with the policy and goes with it: what passed before passes again', async () => {
    await setUp();
    const targets = [at(100), at(105), at(110)];
    const policy = await create({ definition: { ...DEFINITION, targets, default_action: 'drop' } });
    const other = await create({ definition: { ...DEFINITION, targets: [at(105)], default_action: 'drop' } });
    await apply(policy);
    await apply(other);
    const policyIn = (vmid: number) => /policy_in: (\w+)/.exec(lab.control.firewall.guestFile(vmid) ?? '')?.[1];
    // Absent means dropping as soon as the filter is on.
    for (const vmid of [105, 110]) expect(['DROP', undefined]).toContain(policyIn(vmid));
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    for (const id of await waiting(policy)) await run(id);
    expect(policyIn(100)).toBe('DROP');
    expect(policyIn(110)).toBe('ACCEPT');
    // The other policy still asks for it.
    expect(policyIn(105)).not.toBe('ACCEPT');
    await lab.json(`/policies/${other.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    for (const id of await waiting(other)) await run(id);
    expect(policyIn(105)).toBe('ACCEPT');
  });
});

describe('cleaning up', () => {
  it.each([
    ['disabling', () => ({ enabled: false })],
    ['audit mode', () => ({ definition: { ...DEFINITION, enforcement_mode: 'audit' } })],
  ])('follows %s, at every guest that carries its rules', async (_, change) => {
    await setUp();
    const policy = await create();
    await apply(policy);
    const before = new Map(FIVE.map((vmid) => [vmid, foreign(vmid)]));
    lab.control.cloneGuest(100, 150, 'copy');
    await lab.settle();
    await lab.sync();
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, ...change() } });
    const [id = ''] = await waiting(policy);
    await run(id);
    expect(await get(`/deployments/${id}`)).toMatchObject({ kind: 'cleanup', status: 'ok', guests: { ok: 6 } });
    for (const vmid of [...FIVE, 150]) expect(ours(vmid, policy)).toEqual([]);
    for (const vmid of FIVE) expect(foreign(vmid)).toEqual(before.get(vmid));
    expect(await lab.sql`select 1 from policy_placements where policy_id = ${policy.id}`).toHaveLength(0);
  });

  it('follows deleting, tells per cluster what failed, and is done again by a retry', async () => {
    await setUp();
    const policy = await create();
    await apply(policy);
    expect((await lab.json(`/policies/${policy.id}`, { method: 'DELETE' })).status).toBeLessThan(300);
    const [id = ''] = await waiting(policy);
    lab.control.setQuorum(false);
    await run(id);
    const failed = await get<Deployment>(`/deployments/${id}`);
    expect(failed).toMatchObject({ status: 'failed', trigger: 'deleted', cluster_name: lab.cluster.name });
    expect((await guestsOf(id))[0]?.problems[0]).toMatchObject({ code: 'no_quorum', remedy: expect.any(String) });
    lab.control.setQuorum(true);
    const { status, body } = await post<Deployment>(`/deployments/${id}/retry`);
    expect(status).toBe(202);
    await run(body.id);
    expect(await get(`/deployments/${body.id}`)).toMatchObject({ status: 'ok', retry_of: id });
    for (const vmid of FIVE) expect(ours(vmid, policy)).toEqual([]);
  });

  it('leaves the rules when the policy is enforced again before it begins', async () => {
    await setUp();
    const policy = await create();
    await apply(policy);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    const [id = ''] = await waiting(policy);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 2, enabled: true } });
    await run(id);
    expect((await guestsOf(id)).map(({ problems }) => problems[0]?.code)).toEqual(
      Array(5).fill('policy_enforced_again'),
    );
    for (const vmid of FIVE) expect(ours(vmid, policy)).toHaveLength(2);
  });
});

describe('while others are at work', () => {
  it('two applies at once: one writer per guest, and the end is right', async () => {
    await setUp();
    const [one, two] = [await create(), await create({ priority: 5 })];
    const ids: string[] = [];
    for (const policy of [one, two]) {
      const { body } = await post<ApplyResult>(`/policies/${policy.id}/apply`);
      ids.push(body.clusters[0]?.deployment_id ?? '');
    }
    await Promise.all([...ids, ...ids].map((id) => run(id)));
    for (const vmid of FIVE) {
      expect(ours(vmid, one)).toHaveLength(2);
      expect(lines(vmid).slice(0, 4)).toEqual([...ours(vmid, two), ...ours(vmid, one)]);
    }
    for (const id of ids) expect(await get(`/deployments/${id}`)).toMatchObject({ status: 'ok', attempts: 1 });
  });

  it('a person who edits rules in between', async () => {
    await setUp();
    const policy = await create();
    const edits: string[] = [];
    const deployment = await apply(
      policy,
      beforeWrites((write) => {
        if (write > 40 || write % 2 === 0) return;
        const line = `IN ACCEPT -p tcp -dport ${1000 + write} -log nolog # by hand`;
        edits.push(line);
        lab.control.firewall.insertRule(102, line, 0);
      }),
    );
    expect(deployment.status).toBe('ok');
    expect(ours(102, policy)).toHaveLength(2);
    expect(lines(102).slice(0, 2)).toEqual(ours(102, policy));
    expect(foreign(102).filter((line) => line.includes('by hand'))).toEqual(edits.reverse());
  });

  it('a person who never stops is told of', async () => {
    await setUp();
    const policy = await create({ definition: { ...DEFINITION, targets: [at(102)] } });
    let n = 0;
    const deployment = await apply(policy, async (request, execute) => {
      if (request.method === 'PUT' || request.method === 'DELETE' || request.method === 'POST') {
        lab.control.firewall.insertRule(102, `IN ACCEPT -p tcp -dport ${1000 + n++} # by hand`, 0);
      }
      return execute();
    });
    expect(['ok', 'failed']).toContain(deployment.status);
    const [guest] = await guestsOf(deployment.id);
    if (deployment.status === 'failed') expect(guest?.problems[0]?.code).toBe('changed_meanwhile');
    else expect(lines(102).slice(0, 2)).toEqual(ours(102, policy));
  });

  it("a guest that migrates, one that is locked, one that is deleted, one whose number is another's", async () => {
    await setUp();
    const policy = await create({ definition: { ...DEFINITION, targets: [...FIVE, 110].map(at) } });
    lab.control.lockGuest(110, 'backup');
    lab.control.destroyGuest(200);
    lab.control.setConfig(101, { smbios1: 'uuid=00000000-0000-4000-8000-000000000001' });
    const deployment = await apply(
      policy,
      beforeWrites((write) => write % 3 === 0 && lab.control.migrate(102, write % 2 ? 'pve1' : 'pve2')),
    );
    expect(deployment.status).toBe('partial');
    const byVmid = new Map((await guestsOf(deployment.id)).map((guest) => [guest.vmid, guest]));
    expect(byVmid.get(102)).toMatchObject({ status: 'ok' });
    expect(byVmid.get(110)).toMatchObject({ status: 'partial', problems: [{ code: 'locked' }] });
    expect(ours(110, policy)).toHaveLength(2);
    expect(byVmid.get(200)).toMatchObject({ status: 'skipped', problems: [{ code: 'guest_missing' }] });
    expect(byVmid.get(101)).toMatchObject({ status: 'failed', problems: [{ code: 'another_guest' }] });
    expect(lab.control.firewall.guestFile(200)).toBeUndefined();
    expect(ours(101, policy)).toEqual([]);
    // Only what was not done is done again.
    lab.control.lockGuest(110, undefined);
    lab.control.setConfig(101, { smbios1: lab.control.guest(100).configText.match(/smbios1: (.*)/)?.[1] });
    await lab.sync();
    const { body } = await post<Deployment>(`/deployments/${deployment.id}/retry`);
    const asked: number[] = [];
    await run(body.id, async (request, execute) => {
      const vmid = Number(/\/(?:qemu|lxc)\/(\d+)\//.exec(request.path)?.[1]);
      if (vmid) asked.push(vmid);
      return execute();
    });
    expect(new Set(asked).has(100)).toBe(false);
    expect(new Set(asked).has(102)).toBe(false);
    expect(lab.control.enforcement.view(110).nics[0]?.live_flag).toBe(true);
  });

  it('a sync of the same cluster', async () => {
    await setUp();
    const policy = await create();
    const scope = systemScope('cluster:sync', 'test');
    await db.transaction((tx) => requestSyncIn(tx, scope, lab.cluster.id, 'manual'));
    const [deployment] = await Promise.all([
      apply(policy),
      runClusterSync(lab.cluster.id, { signal: new AbortController().signal }),
    ]);
    expect(deployment.status).toBe('ok');
    for (const vmid of FIVE) expect(ours(vmid, policy)).toHaveLength(2);
  });

  it('a change of the policy stops what was planned for the older version', async () => {
    await setUp();
    const policy = await create();
    const { body } = await post<ApplyResult>(`/policies/${policy.id}/apply`);
    const id = body.clusters[0]?.deployment_id ?? '';
    await run(
      id,
      beforeWrites(async (write) => {
        if (write !== 3) return;
        await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
      }),
    );
    for (const cleanup of await waiting(policy)) await run(cleanup);
    for (const vmid of FIVE) expect(ours(vmid, policy)).toEqual([]);
  });
});

describe('a worker that dies', () => {
  class Killed extends Error {}
  /** As a killed process leaves it: nothing is released, nothing more is stored. */
  const endLeases = async () => {
    await lab.sql`update deployments set lease_owner = 'dead', lease_at = now() - interval '31 seconds',
      status = 'running', finished_at = null where status in ('running', 'failed', 'partial')`;
    await lab.sql`update guest_firewalls set lease_owner = 'dead', lease_at = now() - interval '31 seconds'`;
    await lab.sql`update deployment_guests set status = 'running', finished_at = null where status = 'failed'`;
  };

  it('at any write is followed by one that ends with exactly the new rules', { timeout: 120_000 }, async () => {
    await setUp();
    const policy = await create();
    const files = new Map(lab.control.state.files);
    const configs = new Map([...lab.control.state.guests.values()].map((guest) => [guest.vmid, guest.configText]));
    let writes = 0;
    await apply(
      policy,
      beforeWrites(() => writes++),
    );
    const wanted = FIVE.map((vmid) => lines(vmid));
    expect(writes).toBeGreaterThan(15);
    for (let last = 1; last <= writes; last++) {
      lab.control.state.files.clear();
      for (const [path, text] of files) lab.control.state.files.set(path, text);
      for (const [vmid, text] of configs) lab.control.guest(vmid).configText = text;
      await lab.sql`delete from policy_placements`;
      const { body } = await post<ApplyResult>(`/policies/${policy.id}/apply`);
      const id = body.clusters[0]?.deployment_id ?? '';
      await run(
        id,
        beforeWrites((write) => {
          if (write >= last) throw new Killed();
        }),
      ).catch(() => undefined);
      await endLeases();
      await run(id);
      expect(await get(`/deployments/${id}`), `killed at write ${last}`).toMatchObject({ status: 'ok', attempts: 2 });
      expect(FIVE.map((vmid) => lines(vmid))).toEqual(wanted);
    }
  });

  it('three times has the deployment given up, with an audit record', async () => {
    await setUp();
    const policy = await create();
    const { body } = await post<ApplyResult>(`/policies/${policy.id}/apply`);
    const id = body.clusters[0]?.deployment_id ?? '';
    await lab.sql`update deployments set status = 'running', attempts = 3, lease_at = now() - interval '31 seconds' where id = ${id}`;
    await scheduleDeployments();
    expect(await get(`/deployments/${id}`)).toMatchObject({ status: 'failed', problems: [{ code: 'worker_died' }] });
    const [record] =
      await lab.sql`select action from audit_records where object_id = ${policy.id} order by seq desc limit 1`;
    expect(record?.action).toBe('policy.apply_failed');
  });
});

describe('apply all pending', () => {
  it('applies what was changed and what was never applied, and nothing else', async () => {
    await setUp();
    const [one, two] = [await create(), await create()];
    await create({ enabled: false });
    await apply(one);
    const pending = await post<{ operations: { policy_id: string; deployment_ids: string[] }[] }>(
      '/policies/apply-pending',
    );
    const named = pending.body.operations.map(({ policy_id }) => policy_id);
    expect(named).toContain(two.id);
    expect(named).not.toContain(one.id);
    const own = pending.body.operations.find(({ policy_id }) => policy_id === two.id);
    for (const id of own?.deployment_ids ?? []) await run(id);
    const again = await post<{ operations: { policy_id: string }[] }>('/policies/apply-pending');
    expect(again.body.operations.map(({ policy_id }) => policy_id)).not.toContain(two.id);
  });
});

describe('reconciling', () => {
  it('repairs what people changed, and removes what is left of a policy that is not enforced', async () => {
    await setUp();
    const policy = await create();
    await apply(policy);
    const file = lab.control.firewall.guestFile(100) ?? '';
    lab.control.firewall.setFile('firewall/100.fw', file.replace('-dport 22 #', '-dport 2222 #'));
    const reconciled = await post<ApplyResult>(`/policies/${policy.id}/reconcile`);
    await run(reconciled.body.clusters[0]?.deployment_id ?? '');
    expect(ours(100, policy)[0]).toMatch(/-dport 22 #/);
    const backup = lab.control.backupGuest(100);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    for (const id of await waiting(policy)) await run(id);
    lab.control.restoreGuest(100, backup);
    expect(ours(100, policy)).toHaveLength(2);
    const cleaned = await post<ApplyResult>(`/policies/${policy.id}/reconcile`);
    expect(cleaned.body).toMatchObject({ policy_mode: 'enforced', applied: false });
    await run(cleaned.body.clusters[0]?.deployment_id ?? '');
    expect(ours(100, policy)).toEqual([]);
  });
});

describe('the cluster as a whole', () => {
  it('that refuses the token is asked once, not once per guest', async () => {
    await setUp();
    const policy = await create();
    lab.control.revokeToken(lab.control.tokens.manager);
    let calls = 0;
    const deployment = await apply(policy, (_, execute) => {
      calls += 1;
      return execute();
    });
    expect(deployment).toMatchObject({ status: 'failed', guests: { failed: 5 } });
    expect((await guestsOf(deployment.id)).every(({ problems }) => problems[0]?.code === 'unauthorized')).toBe(true);
    expect(calls).toBeLessThan(15);
  });
});
