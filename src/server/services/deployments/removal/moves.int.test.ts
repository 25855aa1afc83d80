import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyResult } from '@/domain/deployments';
import type { GuestFirewall } from '@/domain/guest-firewall';
import type { MappingPreview } from '@/domain/mapping-rule';
import type { Policy } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import type { AssignmentPreview, ResidualRulesList } from '@/domain/residual-rules';
import { ProviderError } from '@/server/providers/hypervisor/errors';
import { forgetReadings } from '@/server/services/firewall/live-reader';
import { collectFindings } from '@/server/services/notifications/facts/collect-findings';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { scheduleDeployments } from '../schedule-deployments';
import {
  beforeWrites,
  lab,
  prepareDeploymentLab,
  ours as rulesOf,
  run,
  switches,
} from '../testing/deployment-lab.fixture';

prepareDeploymentLab();

const MOVED = 102;
const STAYS = 101;

type Side = { tenant: { id: string }; project: { id: string }; as: () => Promise<{ authorization: string }> };
let ours: Side;
let theirs: Side;
let root: () => Promise<{ authorization: string }>;
let workload: string;

async function makeSide(name: string): Promise<Side> {
  const tenant = await makeTenant({ name: `${name} ${Date.now()}` });
  const user = await makeUser('admin', tenant);
  return { tenant, project: await makeProject(tenant), as: () => bearer(user) };
}

async function ask<T>(who: Side['as'], path: string, body?: object, method = body ? 'POST' : 'GET'): Promise<T> {
  forgetReadings();
  const response = await call(path, { method, headers: await who(), ...(body && { body }) });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text ? JSON.parse(text) : null) as T;
}

beforeEach(async () => {
  ours = await makeSide('ours');
  theirs = await makeSide('theirs');
  const admin = await makeUser('super_admin');
  root = () => bearer(admin);
  workload = await lab.id(MOVED);
  await assign(ours, [MOVED, STAYS]);
});

const assign = async ({ project }: Pick<Side, 'project'>, vmids: number[]) =>
  ask<{ changed: number }>(root, '/workloads/assign', {
    project_id: project.id,
    workload_ids: await Promise.all(vmids.map((vmid) => lab.id(vmid))),
  });

async function makePolicy(side: Side, changes: object = {}): Promise<Policy> {
  return ask(side.as, '/policies', {
    name: 'shop policy',
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.20.22.0/24'],
      targets: [`vmid:${lab.cluster.id}/${MOVED}`, `vmid:${lab.cluster.id}/${STAYS}`],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'], comment: 'secret of ours' }],
    ...changes,
  });
}

async function apply(side: Side, policy: Policy): Promise<string> {
  const result = await ask<ApplyResult>(side.as, `/policies/${policy.id}/apply`, {});
  const id = result.clusters[0]?.deployment_id ?? '';
  await run(id);
  return id;
}

const removals = async () =>
  (await lab.sql<{ id: string }[]>`select id from deployments where kind = 'removal' and status = 'queued'`).map(
    ({ id }) => id,
  );
const runRemovals = async () => {
  for (const id of await removals()) await run(id);
};

describe('a workload that moves to another tenant by hand', () => {
  it('loses the rules and switches of its former tenant, and both trails tell', async () => {
    const before = switches(MOVED);
    const policy = await makePolicy(ours);
    await apply(ours, policy);
    expect(rulesOf(MOVED, policy)).toHaveLength(1);
    expect(switches(MOVED)).not.toEqual(before);
    await assign(theirs, [MOVED]);
    await runRemovals();
    expect(rulesOf(MOVED, policy)).toEqual([]);
    expect(switches(MOVED)).toEqual(before);
    expect(rulesOf(STAYS, policy)).toHaveLength(1);
    const told = (await auditTrail()).filter(({ action }) => action.startsWith('workload.r'));
    expect(told.map(({ action, tenant_id }) => [action, tenant_id])).toEqual([
      ['workload.rules_left', ours.tenant.id],
      ['workload.rules_left', theirs.tenant.id],
      ['workload.residual_rules_removed', ours.tenant.id],
      ['workload.residual_rules_removed', theirs.tenant.id],
    ]);
    const theirTrail = JSON.stringify(told.filter(({ tenant_id }) => tenant_id === theirs.tenant.id));
    expect(theirTrail).not.toContain('shop policy');
    expect(theirTrail).not.toContain(policy.id);
    expect(await lab.sql`select 1 from residual_rules`).toHaveLength(0);
    // The removal is the system's: neither side reads the state of the other in it.
    for (const side of [ours, theirs]) {
      const { items } = await ask<{ items: { kind: string }[] }>(side.as, '/deployments');
      expect(items.map(({ kind }) => kind)).not.toContain('removal');
    }
  });

  it('is no business of the former policy: apply, reconcile, retry, cleanup and previews leave it out', async () => {
    const policy = await makePolicy(ours);
    const deployment = await apply(ours, policy);
    await assign(theirs, [MOVED]);
    const marked = rulesOf(MOVED, policy);
    const writes = async () =>
      (
        await lab.sql`select workload_id from deployment_guests where deployment_id <> ${deployment}
        and deployment_id not in (select id from deployments where kind = 'removal')`
      ).map((row) => row.workload_id);
    await apply(ours, policy);
    const { clusters } = await ask<ApplyResult>(ours.as, `/policies/${policy.id}/reconcile`, {});
    await run(clusters[0]?.deployment_id ?? '');
    expect(await writes()).not.toContain(workload);
    for (const path of [`/policies/${policy.id}/preview`, `/policies/${policy.id}/apply`]) {
      const answer = JSON.stringify(await ask(ours.as, path, path.endsWith('apply') ? { dry_run: true } : {}));
      expect(answer, path).not.toContain(workload);
    }
    for (const path of [
      `/policies/${policy.id}/guests`,
      `/policies/${policy.id}/cleanup-preview`,
      `/policies/${policy.id}/coverage`,
    ]) {
      expect(JSON.stringify(await ask(ours.as, path)), path).not.toContain(workload);
    }
    const { deployments } = await ask<Policy>(ours.as, `/policies/${policy.id}?fresh=true`);
    expect(deployments).toMatchObject([{ guests: 1, leftover: 0 }]);
    // Disabling removes rules where the policy may act, not there.
    await ask(ours.as, `/policies/${policy.id}`, { enabled: false }, 'PATCH');
    const [cleanup] = await lab.sql<
      { id: string }[]
    >`select id from deployments where kind = 'cleanup' and status = 'queued'`;
    await run(cleanup?.id ?? '');
    expect(rulesOf(STAYS, policy)).toEqual([]);
    expect(rulesOf(MOVED, policy)).toEqual(marked);
    expect(await writes()).not.toContain(workload);
    await runRemovals();
    expect(rulesOf(MOVED, policy)).toEqual([]);
  });

  it('is not written to by an apply that had begun before it moved', async () => {
    const policy = await makePolicy(ours, {
      definition: {
        enforcement_mode: 'enforced',
        sources: ['10.20.22.0/24'],
        targets: [`vmid:${lab.cluster.id}/${MOVED}`],
      },
    });
    const result = await ask<ApplyResult>(ours.as, `/policies/${policy.id}/apply`, {});
    const id = result.clusters[0]?.deployment_id ?? '';
    await run(
      id,
      beforeWrites((write) => (write === 1 ? assign(theirs, [MOVED]) : undefined)),
    );
    // The write that was under way, and none after it.
    expect(await lab.sql`select status, writes from deployment_guests where deployment_id = ${id}`).toEqual([
      { status: 'failed', writes: 1 },
    ]);
    await runRemovals();
    expect(rulesOf(MOVED, policy)).toEqual([]);
  });

  it('keeps the rules as residual while its cluster cannot be reached, and they are removed by a later try', async () => {
    const policy = await makePolicy(ours);
    await apply(ours, policy);
    await assign(theirs, [MOVED]);
    const unreachable: Parameters<typeof run>[1] = async () => {
      throw new ProviderError('unreachable', 'The cluster did not answer.', 'Check the network.');
    };
    for (const id of await removals()) await run(id, unreachable);
    expect(rulesOf(MOVED, policy)).toHaveLength(1);
    await lab.observe();
    // The new tenant sees what filters, and how often the removal was tried; not whose it is, or what it was called.
    const residual = await ask<ResidualRulesList>(theirs.as, `/workloads/${workload}/residual-rules`);
    expect(residual.items).toMatchObject([
      {
        mode: 'remove',
        attempts: 1,
        problem: { code: 'unreachable' },
        rules: [{ action: 'ACCEPT', destination_port: '22' }],
      },
    ]);
    const firewall = await ask<GuestFirewall>(theirs.as, `/workloads/${workload}/firewall`);
    expect(firewall.rules?.filter((rule) => rule.residual)).toHaveLength(1);
    const insights = await ask<{ active_firewall_rules: { residual: boolean }[] }>(
      theirs.as,
      `/workloads/${workload}/insights?include_rules=true`,
    );
    expect(insights.active_firewall_rules.filter(({ residual }) => residual)).toHaveLength(1);
    for (const secret of [policy.id, 'shop policy', 'secret of ours', ours.tenant.id]) {
      expect(JSON.stringify([residual, firewall, insights])).not.toContain(secret);
    }
    const gone = await call(`/workloads/${workload}/residual-rules`, { headers: await ours.as() });
    expect(gone.status).toBe(404);
    // Both are notified, each of its own side.
    const told = async ({ tenant }: Side) =>
      (await collectFindings([tenant.id], ['residual_rules'])).facts.map(({ object_id, detail }) => ({
        object_id,
        detail,
      }));
    expect(await told(theirs)).toEqual([
      {
        object_id: workload,
        detail:
          'Rules of one policy of a former tenant still filter the workload. Their removal is retried automatically.',
      },
    ]);
    expect(await told(ours)).toEqual([
      {
        object_id: null,
        detail:
          'Rules of one policy are still on the workload, which belongs to another tenant now. Their removal is retried automatically.',
      },
    ]);
    await scheduleDeployments();
    expect(await removals()).toEqual([]);
    await lab.sql`update residual_rules set attempted_at = now() - interval '1 hour'`;
    await scheduleDeployments();
    await runRemovals();
    expect(rulesOf(MOVED, policy)).toEqual([]);
    expect(await lab.sql`select 1 from residual_rules`).toHaveLength(0);
  });

  it('keeps its rules when it is back before they were removed', async () => {
    const policy = await makePolicy(ours);
    await apply(ours, policy);
    await assign(theirs, [MOVED]);
    await assign(ours, [MOVED]);
    await runRemovals();
    expect(rulesOf(MOVED, policy)).toHaveLength(1);
    expect(await lab.sql`select 1 from residual_rules`).toHaveLength(0);
  });

  it('shows beforehand what the move would remove, and where it has to wait', async () => {
    const policy = await makePolicy(ours);
    await apply(ours, policy);
    const input = { project_id: theirs.project.id, workload_ids: [workload, await lab.id(105)] };
    const preview = await ask<AssignmentPreview>(root, '/workloads/assign/preview', input);
    expect(preview).toMatchObject({
      changed: 2,
      moved: 2,
      workloads: [{ workload_id: workload, policies: 1, rules: 1 }],
      unreachable: [],
    });
    expect(preview.workloads[0]?.switches).toBeGreaterThan(0);
    const fault = lab.simulator.onRequest(
      { path: /firewall/ },
      { kind: 'respond', status: 500, reason: 'out of order' },
    );
    try {
      const blind = await ask<AssignmentPreview>(root, '/workloads/assign/preview', input);
      expect(blind.workloads).toMatchObject([{ rules: null, switches: null }]);
      expect(blind.unreachable).toEqual([{ cluster_id: lab.cluster.id, cluster_name: lab.cluster.name }]);
    } finally {
      fault.remove();
    }
    expect(rulesOf(MOVED, policy)).toHaveLength(1);
  });
});

describe('a workload that moves to another project of its tenant', () => {
  let other: { id: string };
  let policy: Policy;
  let ofTenant: Policy;
  beforeEach(async () => {
    other = await makeProject(ours.tenant);
    policy = await makePolicy(ours);
    ofTenant = await makePolicy(ours, { name: 'policy of the tenant', priority: 50 });
    await lab.sql`update policies set project_id = ${ours.project.id} where id = ${policy.id}`;
    await apply(ours, policy);
    await apply(ours, ofTenant);
  });
  const counts = () => [policy, ofTenant].map((one) => [MOVED, STAYS].map((vmid) => rulesOf(vmid, one).length));

  it('loses the rules of policies of the project, and keeps those of the tenant', async () => {
    expect(counts()).toEqual([
      [1, 1],
      [1, 1],
    ]);
    const input = { project_id: other.id, workload_ids: [workload] };
    const preview = await ask<AssignmentPreview>(root, '/workloads/assign/preview', input);
    expect(preview).toMatchObject({
      changed: 1,
      moved: 0,
      workloads: [{ workload_id: workload, policies: 1, rules: 1 }],
    });
    await assign({ project: other }, [MOVED]);
    expect(await removals()).toHaveLength(1);
    await runRemovals();
    expect(counts()).toEqual([
      [0, 1],
      [1, 1],
    ]);
    const told = (await auditTrail()).filter(
      ({ action, tenant_id }) => action.startsWith('workload.r') && tenant_id === ours.tenant.id,
    );
    expect(told.map(({ action }) => action)).toEqual(['workload.rules_left', 'workload.residual_rules_removed']);
    expect(JSON.stringify(told)).toContain('shop policy');
    // What acts on the project alone does not come back to it.
    await apply(ours, policy);
    const { clusters } = await ask<ApplyResult>(ours.as, `/policies/${policy.id}/reconcile`, {});
    await run(clusters[0]?.deployment_id ?? '');
    expect(counts()).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it('is not written to by an apply of the project that had begun before', async () => {
    await lab.sql`update security_rules set destination_ports = '{2222}' where policy_id = ${policy.id}`;
    await lab.sql`update policies set version = version + 1 where id = ${policy.id}`;
    const result = await ask<ApplyResult>(ours.as, `/policies/${policy.id}/apply`, {});
    await assign({ project: other }, [MOVED]);
    await run(result.clusters[0]?.deployment_id ?? '');
    const ports = (vmid: number) => rulesOf(vmid, policy).map((rule) => /-dport (\d+)/.exec(rule)?.[1]);
    expect([ports(MOVED), ports(STAYS)]).toEqual([['22'], ['2222']]);
    await runRemovals();
    expect(ports(MOVED)).toEqual([]);
  });

  it('keeps the rules as residual while its cluster cannot be reached, and has them again when it comes back', async () => {
    const unreachable: Parameters<typeof run>[1] = async () => {
      throw new ProviderError('unreachable', 'The cluster did not answer.', 'Check the network.');
    };
    await assign({ project: other }, [MOVED]);
    for (const id of await removals()) await run(id, unreachable);
    await lab.observe();
    expect((await ask<ResidualRulesList>(ours.as, `/workloads/${workload}/residual-rules`)).items).toMatchObject([
      { attempts: 1, rules: [{ action: 'ACCEPT' }] },
    ]);
    const { facts } = await collectFindings([ours.tenant.id], ['residual_rules']);
    expect(facts).toMatchObject([
      { object_id: workload, detail: expect.stringContaining('of a former project still filter the workload') },
    ]);
    await lab.sql`update residual_rules set attempted_at = now() - interval '1 hour'`;
    await assign(ours, [MOVED]);
    expect(await lab.sql`select 1 from residual_rules`).toHaveLength(0);
    await scheduleDeployments();
    await runRemovals();
    expect(counts()).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });
});

describe('a policy that is given to a project of its tenant', () => {
  it('is shown to lose the rules of other workloads, loses them when it is saved, and can go back to the tenant', async () => {
    const other = await makeProject(ours.tenant);
    const policy = await makePolicy(ours);
    await apply(ours, policy);
    await assign({ project: other }, [MOVED]);
    expect([MOVED, STAYS].map((vmid) => rulesOf(vmid, policy).length)).toEqual([1, 1]);
    const give = { project_id: ours.project.id };
    const preview = await ask<PolicyPreview>(ours.as, `/policies/${policy.id}/preview`, give);
    // What is not saved would be the next version, so its rules carry another mark.
    expect(
      preview.clusters[0]?.guests.map(({ vmid, changes }) => [vmid, changes?.added.length, changes?.removed.length]),
    ).toEqual([
      [STAYS, 1, 1],
      [MOVED, 0, 1],
    ]);
    expect(await ask(ours.as, `/policies/${policy.id}`, give, 'PATCH')).toMatchObject({
      version: 2,
      project_id: ours.project.id,
      project_name: expect.any(String),
    });
    await runRemovals();
    expect([MOVED, STAYS].map((vmid) => rulesOf(vmid, policy).length)).toEqual([0, 1]);
    expect(await lab.sql`select 1 from residual_rules`).toHaveLength(0);
    const [record] = (await auditTrail()).filter(
      ({ action, object_id }) => action === 'policy.updated' && object_id === policy.id,
    );
    expect(record).toMatchObject({ before: { project_id: null }, after: { project_id: ours.project.id } });
    await ask(ours.as, `/policies/${policy.id}`, { project_id: null }, 'PATCH');
    await apply(ours, policy);
    expect([MOVED, STAYS].map((vmid) => rulesOf(vmid, policy).length)).toEqual([1, 1]);
  });

  it('is refused while it is deployed, for a project of others, and for a policy of the installation', async () => {
    const policy = await makePolicy(ours);
    const change = async (who: Side['as'], id: string, project_id: string | null) =>
      (await call(`/policies/${id}`, { method: 'PATCH', headers: await who(), body: { project_id } })).status;
    expect(await change(ours.as, policy.id, theirs.project.id)).toBe(400);
    const result = await ask<ApplyResult>(ours.as, `/policies/${policy.id}/apply`, {});
    expect(await change(ours.as, policy.id, ours.project.id)).toBe(409);
    await run(result.clusters[0]?.deployment_id ?? '');
    expect(await change(ours.as, policy.id, ours.project.id)).toBe(200);
    const platform = await ask<Policy>(root, '/policies', {
      name: `of the platform ${Date.now()}`,
      definition: { enforcement_mode: 'audit', sources: ['any'], targets: ['any'] },
    });
    expect(await change(root, platform.id, ours.project.id)).toBe(422);
  });

  it('needs the right at both ends, also for groups, which stay where policies name them', async () => {
    const person = await makeUser('admin', ours.tenant);
    await lab.sql`update role_assignments set project_id = ${ours.project.id} where user_id = ${person.id}`;
    const as = () => bearer(person);
    const definition = { enforcement_mode: 'audit', sources: ['any'], targets: ['sg:shop group'] };
    const group = await ask<{ id: string; project_id: string }>(as, '/security-groups', { name: 'shop group' });
    const policy = await ask<Policy>(as, '/policies', { name: 'of the project', definition });
    expect([group.project_id, policy.project_id]).toEqual([ours.project.id, ours.project.id]);
    const change = async (who: Side['as'], path: string, project_id: string | null) =>
      (await call(path, { method: 'PATCH', headers: await who(), body: { project_id } })).status;
    expect(await change(as, `/policies/${policy.id}`, null)).toBe(403);
    expect(await change(as, `/security-groups/${group.id}`, null)).toBe(403);
    // The policy of the project would not find the group any more.
    expect(await change(ours.as, `/security-groups/${group.id}`, null)).toBe(409);
    expect(await change(ours.as, `/policies/${policy.id}`, null)).toBe(200);
    expect(await change(ours.as, `/security-groups/${group.id}`, null)).toBe(200);
    expect(await change(as, `/policies/${policy.id}`, ours.project.id)).toBe(404);
  });
});

describe('a workload that a mapping rule moves', () => {
  it.each(['remove', 'keep'] as const)(
    'has the rules of its former tenant treated as this one set: %s',
    async (on_move) => {
      const policy = await makePolicy(ours);
      await apply(ours, policy);
      // Removing is what a tenant does that set nothing.
      if (on_move === 'keep') await ask(root, `/tenants/${ours.tenant.id}`, { on_move }, 'PATCH');
      await ask(root, '/workloads/follow-mapping-rules', { workload_ids: [workload] });
      await lab.sql`update workloads set project_id = ${ours.project.id}, project_assigned_by = 'rule', tags = ${[`goes-${on_move}`]} where id = ${workload}`;
      await lab.sql`delete from residual_rules`;
      await lab.sql`update deployments set status = 'failed', finished_at = now() where kind = 'removal' and status = 'queued'`;
      const rule = { source: 'tag', value: `goes-${on_move}`, project_id: theirs.project.id };
      const preview = await ask<MappingPreview>(root, '/mapping-rules/preview', { rule });
      expect(preview.moves).toMatchObject([{ workload_id: workload, rules_left: { policies: 1, mode: on_move } }]);
      await ask(root, '/mapping-rules', rule);
      expect(await removals()).toHaveLength(on_move === 'remove' ? 1 : 0);
      await lab.sql`update residual_rules set since = now() - interval '1 day'`;
      await scheduleDeployments();
      await runRemovals();
      expect(rulesOf(MOVED, policy)).toHaveLength(on_move === 'remove' ? 0 : 1);
      if (on_move === 'remove') return;
      // What was kept goes when the new tenant asks for it.
      expect(await ask(theirs.as, `/workloads/${workload}/residual-rules/remove`, {}, 'POST')).toEqual({
        requested: 1,
      });
      await runRemovals();
      expect(rulesOf(MOVED, policy)).toEqual([]);
      expect(await ask(theirs.as, `/workloads/${workload}/residual-rules`)).toEqual({ items: [] });
    },
  );
});
