import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyResult } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import type { AssignmentPreview, ResidualRulesList } from '@/domain/residual-rules';
import { collectFindings } from '@/server/notifications/facts/collect-findings';
import { ProviderError } from '@/server/providers/hypervisor/errors';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeProject, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { scheduleDeployments } from '../schedule';
import { lab, prepareDeploymentLab, policyRuleLines as rulesOf, run } from '../testing/deployment-lab.fixture';
import {
  apply,
  MOVED,
  makeMoves,
  makePolicy,
  removals,
  requestAs,
  runRemovals,
  type Side,
  STAYS,
} from './moves.fixture';

prepareDeploymentLab();

let { ours, theirs, root, workload, assign } = {} as Awaited<ReturnType<typeof makeMoves>>;
beforeEach(async () => {
  ({ ours, theirs, root, workload, assign } = await makeMoves());
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
    const preview = await requestAs<AssignmentPreview>(root, '/workloads/assign/preview', input);
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
    const recorded = (await auditTrail()).filter(
      ({ action, tenant_id }) => action.startsWith('workload.r') && tenant_id === ours.tenant.id,
    );
    expect(recorded.map(({ action }) => action)).toEqual(['workload.rules_left', 'workload.residual_rules_removed']);
    expect(JSON.stringify(recorded)).toContain('shop policy');
    // What acts on the project alone does not come back to it.
    await apply(ours, policy);
    const { clusters } = await requestAs<ApplyResult>(ours.as, `/policies/${policy.id}/reconcile`, {});
    await run(clusters[0]?.deployment_id ?? '');
    expect(counts()).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it('gets no writes from an apply of the former project that started before the move', async () => {
    await lab.sql`update security_rules set destination_ports = '{2222}' where policy_id = ${policy.id}`;
    await lab.sql`update policies set version = version + 1 where id = ${policy.id}`;
    const result = await requestAs<ApplyResult>(ours.as, `/policies/${policy.id}/apply`, {});
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
    expect((await requestAs<ResidualRulesList>(ours.as, `/workloads/${workload}/residual-rules`)).items).toMatchObject([
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
  it('shows the loss of rules of other workloads, loses them when saved, and can return to the tenant', async () => {
    const other = await makeProject(ours.tenant);
    const policy = await makePolicy(ours);
    await apply(ours, policy);
    await assign({ project: other }, [MOVED]);
    expect([MOVED, STAYS].map((vmid) => rulesOf(vmid, policy).length)).toEqual([1, 1]);
    const give = { project_id: ours.project.id };
    const preview = await requestAs<PolicyPreview>(ours.as, `/policies/${policy.id}/preview`, give);
    // What is not saved would be the next version, so its rules carry another mark.
    expect(
      preview.clusters[0]?.guests.map(({ vmid, changes }) => [vmid, changes?.added.length, changes?.removed.length]),
    ).toEqual([
      [STAYS, 1, 1],
      [MOVED, 0, 1],
    ]);
    expect(await requestAs(ours.as, `/policies/${policy.id}`, give, 'PATCH')).toMatchObject({
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
    await requestAs(ours.as, `/policies/${policy.id}`, { project_id: null }, 'PATCH');
    await apply(ours, policy);
    expect([MOVED, STAYS].map((vmid) => rulesOf(vmid, policy).length)).toEqual([1, 1]);
  });

  it('returns an error while it is deployed, for a project of another tenant, and for a policy of the installation', async () => {
    const policy = await makePolicy(ours);
    const change = async (who: Side['as'], id: string, project_id: string | null) =>
      (await call(`/policies/${id}`, { method: 'PATCH', headers: await who(), body: { project_id } })).status;
    expect(await change(ours.as, policy.id, theirs.project.id)).toBe(400);
    const result = await requestAs<ApplyResult>(ours.as, `/policies/${policy.id}/apply`, {});
    expect(await change(ours.as, policy.id, ours.project.id)).toBe(409);
    await run(result.clusters[0]?.deployment_id ?? '');
    expect(await change(ours.as, policy.id, ours.project.id)).toBe(200);
    const platform = await requestAs<Policy>(root, '/policies', {
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
    const group = await requestAs<{ id: string; project_id: string }>(as, '/security-groups', { name: 'shop group' });
    const policy = await requestAs<Policy>(as, '/policies', { name: 'of the project', definition });
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
