import { describe, expect, it } from 'vitest';
import type { ApplyResult, Deployment } from '@/domain/deployments';
import { systemScope } from '@/server/auth/scope';
import { db } from '../../db/client';
import { requestSyncIn } from '../../sync/request-sync';
import { runClusterSync } from '../../sync/run-sync';
import { scheduleDeployments } from './schedule';
import {
  apply,
  at,
  beforeWrites,
  create,
  DEFINITION,
  FIVE,
  get,
  lab,
  lines,
  policyRuleLines,
  post,
  prepareDeploymentLab,
  readGuestResults,
  run,
  unmanagedRuleLines,
  waiting,
} from './testing/deployment-lab.fixture';

prepareDeploymentLab();

describe('while others are at work', () => {
  it('two concurrent applies use one writer per guest and reach the right state', async () => {
    const [one, two] = [await create(), await create({ priority: 5 })];
    const ids: string[] = [];
    for (const policy of [one, two]) {
      const { body } = await post<ApplyResult>(`/policies/${policy.id}/apply`);
      ids.push(body.clusters[0]?.deployment_id ?? '');
    }
    await Promise.all([...ids, ...ids].map((id) => run(id)));
    for (const vmid of FIVE) {
      expect(policyRuleLines(vmid, one)).toHaveLength(2);
      expect(lines(vmid).slice(0, 4)).toEqual([...policyRuleLines(vmid, two), ...policyRuleLines(vmid, one)]);
    }
    for (const id of ids) expect(await get(`/deployments/${id}`)).toMatchObject({ status: 'ok', attempts: 1 });
  });

  it('a person who edits rules in between', async () => {
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
    expect(policyRuleLines(102, policy)).toHaveLength(2);
    expect(lines(102).slice(0, 2)).toEqual(policyRuleLines(102, policy));
    expect(unmanagedRuleLines(102).filter((line) => line.includes('by hand'))).toEqual(edits.reverse());
  });

  it('a user who never stops editing is reported', async () => {
    const policy = await create({ definition: { ...DEFINITION, targets: [at(102)] } });
    let n = 0;
    const deployment = await apply(policy, async (request, execute) => {
      if (request.method === 'PUT' || request.method === 'DELETE' || request.method === 'POST') {
        lab.control.firewall.insertRule(102, `IN ACCEPT -p tcp -dport ${1000 + n++} # by hand`, 0);
      }
      return execute();
    });
    expect(['ok', 'failed']).toContain(deployment.status);
    const [guest] = await readGuestResults(deployment.id);
    if (deployment.status === 'failed') expect(guest?.problems[0]?.code).toBe('changed_meanwhile');
    else expect(lines(102).slice(0, 2)).toEqual(policyRuleLines(102, policy));
  });

  it("a guest that migrates, one that is locked, one that is deleted, one whose number is another's", async () => {
    const policy = await create({ definition: { ...DEFINITION, targets: [...FIVE, 110].map(at) } });
    lab.control.lockGuest(110, 'backup');
    lab.control.destroyGuest(200);
    lab.control.setConfig(101, { smbios1: 'uuid=00000000-0000-4000-8000-000000000001' });
    const deployment = await apply(
      policy,
      beforeWrites((write) => write % 3 === 0 && lab.control.migrate(102, write % 2 ? 'pve1' : 'pve2')),
    );
    expect(deployment.status).toBe('partial');
    const byVmid = new Map((await readGuestResults(deployment.id)).map((guest) => [guest.vmid, guest]));
    expect(byVmid.get(102)).toMatchObject({ status: 'ok' });
    expect(byVmid.get(110)).toMatchObject({ status: 'partial', problems: [{ code: 'locked' }] });
    expect(policyRuleLines(110, policy)).toHaveLength(2);
    expect(byVmid.get(200)).toMatchObject({ status: 'skipped', problems: [{ code: 'guest_missing' }] });
    expect(byVmid.get(101)).toMatchObject({ status: 'failed', problems: [{ code: 'another_guest' }] });
    expect(lab.control.firewall.guestFile(200)).toBeUndefined();
    expect(policyRuleLines(101, policy)).toEqual([]);
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
    const policy = await create();
    const scope = systemScope('cluster:sync', 'test');
    await db.transaction((tx) => requestSyncIn(tx, scope, lab.cluster.id, 'manual'));
    const [deployment] = await Promise.all([
      apply(policy),
      runClusterSync(lab.cluster.id, { signal: new AbortController().signal }),
    ]);
    expect(deployment.status).toBe('ok');
    for (const vmid of FIVE) expect(policyRuleLines(vmid, policy)).toHaveLength(2);
  });

  it('a change of the policy stops what was planned for the older version', async () => {
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
    for (const vmid of FIVE) expect(policyRuleLines(vmid, policy)).toEqual([]);
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

  it('leaves a state from which the next one ends with exactly the new rules, at any write', async () => {
    const policy = await create();
    const files = new Map(lab.control.state.files);
    const configs = new Map([...lab.control.state.guests.values()].map((guest) => [guest.vmid, guest.configText]));
    let writes = 0;
    await apply(
      policy,
      beforeWrites(() => writes++),
    );
    const desired = FIVE.map((vmid) => lines(vmid));
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
      expect(FIVE.map((vmid) => lines(vmid))).toEqual(desired);
    }
  });

  it('fails the deployment after three attempts, with an audit record', async () => {
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
    const policy = await create();
    await apply(policy);
    const file = lab.control.firewall.guestFile(100) ?? '';
    lab.control.firewall.setFile('firewall/100.fw', file.replace('-dport 22 #', '-dport 2222 #'));
    const reconciled = await post<ApplyResult>(`/policies/${policy.id}/reconcile`);
    await run(reconciled.body.clusters[0]?.deployment_id ?? '');
    expect(policyRuleLines(100, policy)[0]).toMatch(/-dport 22 #/);
    const backup = lab.control.backupGuest(100);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { version: 1, enabled: false } });
    for (const id of await waiting(policy)) await run(id);
    lab.control.restoreGuest(100, backup);
    expect(policyRuleLines(100, policy)).toHaveLength(2);
    const cleaned = await post<ApplyResult>(`/policies/${policy.id}/reconcile`);
    expect(cleaned.body).toMatchObject({ policy_mode: 'enforced', applied: false });
    await run(cleaned.body.clusters[0]?.deployment_id ?? '');
    expect(policyRuleLines(100, policy)).toEqual([]);
  });
});

describe('the cluster as a whole', () => {
  it('gets one request, not one per guest, when it rejects the token', async () => {
    const policy = await create();
    lab.control.revokeToken(lab.control.tokens.manager);
    let calls = 0;
    const deployment = await apply(policy, (_, execute) => {
      calls += 1;
      return execute();
    });
    expect(deployment).toMatchObject({ status: 'failed', guests: { failed: 5 } });
    expect((await readGuestResults(deployment.id)).every(({ problems }) => problems[0]?.code === 'unauthorized')).toBe(
      true,
    );
    expect(calls).toBeLessThan(15);
  });
});
