import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyResult } from '@/domain/deployments';
import type { GuestFirewall } from '@/domain/guest-firewall';
import type { MappingPreview } from '@/domain/mapping-rule';
import type { Policy } from '@/domain/policies';
import type { AssignmentPreview, ResidualRulesList } from '@/domain/residual-rules';
import { collectFindings } from '@/server/notifications/facts/collect-findings';
import { ProviderError } from '@/server/providers/hypervisor/errors';
import { auditTrail } from '@/test/audit-trail';
import { call } from '@/test/request';
import { scheduleDeployments } from '../schedule';
import {
  beforeWrites,
  lab,
  prepareDeploymentLab,
  policyRuleLines as rulesOf,
  run,
  switches,
} from '../testing/deployment-lab.fixture';
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

describe('a workload that is moved to another tenant manually', () => {
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
    const recorded = (await auditTrail()).filter(({ action }) => action.startsWith('workload.r'));
    expect(recorded.map(({ action, tenant_id }) => [action, tenant_id])).toEqual([
      ['workload.rules_left', ours.tenant.id],
      ['workload.rules_left', theirs.tenant.id],
      ['workload.residual_rules_removed', ours.tenant.id],
      ['workload.residual_rules_removed', theirs.tenant.id],
    ]);
    const theirTrail = JSON.stringify(recorded.filter(({ tenant_id }) => tenant_id === theirs.tenant.id));
    expect(theirTrail).not.toContain('shop policy');
    expect(theirTrail).not.toContain(policy.id);
    expect(await lab.sql`select 1 from residual_rules`).toHaveLength(0);
    // The removal is the system's: neither side reads the state of the other in it.
    for (const side of [ours, theirs]) {
      const { items } = await requestAs<{ items: { kind: string }[] }>(side.as, '/deployments');
      expect(items.map(({ kind }) => kind)).not.toContain('removal');
    }
  });

  it('leaves the former policy: apply, reconcile, retry, cleanup and previews leave it out', async () => {
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
    const { clusters } = await requestAs<ApplyResult>(ours.as, `/policies/${policy.id}/reconcile`, {});
    await run(clusters[0]?.deployment_id ?? '');
    expect(await writes()).not.toContain(workload);
    for (const path of [`/policies/${policy.id}/preview`, `/policies/${policy.id}/apply`]) {
      const answer = JSON.stringify(await requestAs(ours.as, path, path.endsWith('apply') ? { dry_run: true } : {}));
      expect(answer, path).not.toContain(workload);
    }
    for (const path of [
      `/policies/${policy.id}/guests`,
      `/policies/${policy.id}/cleanup-preview`,
      `/policies/${policy.id}/coverage`,
    ]) {
      expect(JSON.stringify(await requestAs(ours.as, path)), path).not.toContain(workload);
    }
    const { deployments } = await requestAs<Policy>(ours.as, `/policies/${policy.id}?fresh=true`);
    expect(deployments).toMatchObject([{ guests: 1, leftover: 0 }]);
    // Disabling removes rules where the policy may act, not there.
    await requestAs(ours.as, `/policies/${policy.id}`, { enabled: false }, 'PATCH');
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

  it('gets no writes from an apply that started before the move', async () => {
    const policy = await makePolicy(ours, {
      definition: {
        enforcement_mode: 'enforced',
        sources: ['10.20.22.0/24'],
        targets: [`vmid:${lab.cluster.id}/${MOVED}`],
      },
    });
    const result = await requestAs<ApplyResult>(ours.as, `/policies/${policy.id}/apply`, {});
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
    // The new tenant sees what filters, and how often the removal was tried, but not the owner or the name.
    const residual = await requestAs<ResidualRulesList>(theirs.as, `/workloads/${workload}/residual-rules`);
    expect(residual.items).toMatchObject([
      {
        mode: 'remove',
        attempts: 1,
        problem: { code: 'unreachable' },
        rules: [{ action: 'ACCEPT', destination_port: '22' }],
      },
    ]);
    const firewall = await requestAs<GuestFirewall>(theirs.as, `/workloads/${workload}/firewall`);
    expect(firewall.rules?.filter((rule) => rule.residual)).toHaveLength(1);
    const insights = await requestAs<{ active_firewall_rules: { residual: boolean }[] }>(
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
    const found = async ({ tenant }: Side) =>
      (await collectFindings([tenant.id], ['residual_rules'])).facts.map(({ object_id, detail }) => ({
        object_id,
        detail,
      }));
    expect(await found(theirs)).toEqual([
      {
        object_id: workload,
        detail: 'Rules of one policy of a former tenant still filter the workload. Removal is retried automatically.',
      },
    ]);
    expect(await found(ours)).toEqual([
      {
        object_id: null,
        detail:
          'Rules of one policy are still on the workload, which belongs to another tenant now. Removal is retried automatically.',
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
    const preview = await requestAs<AssignmentPreview>(root, '/workloads/assign/preview', input);
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
      const blind = await requestAs<AssignmentPreview>(root, '/workloads/assign/preview', input);
      expect(blind.workloads).toMatchObject([{ rules: null, switches: null }]);
      expect(blind.unreachable).toEqual([{ cluster_id: lab.cluster.id, cluster_name: lab.cluster.name }]);
    } finally {
      fault.remove();
    }
    expect(rulesOf(MOVED, policy)).toHaveLength(1);
  });
});

describe('a workload that a mapping rule moves', () => {
  it.each(['remove', 'keep'] as const)(
    'has the rules of its former tenant treated as this one set: %s',
    async (on_move) => {
      const policy = await makePolicy(ours);
      await apply(ours, policy);
      // Removing is what a tenant does that set nothing.
      if (on_move === 'keep') await requestAs(root, `/tenants/${ours.tenant.id}`, { on_move }, 'PATCH');
      await requestAs(root, '/workloads/follow-mapping-rules', { workload_ids: [workload] });
      await lab.sql`update workloads set project_id = ${ours.project.id}, project_assigned_by = 'rule', tags = ${[`goes-${on_move}`]} where id = ${workload}`;
      await lab.sql`delete from residual_rules`;
      await lab.sql`update deployments set status = 'failed', finished_at = now() where kind = 'removal' and status = 'queued'`;
      const rule = { source: 'tag', value: `goes-${on_move}`, project_id: theirs.project.id };
      const preview = await requestAs<MappingPreview>(root, '/mapping-rules/preview', { rule });
      expect(preview.moves).toMatchObject([{ workload_id: workload, rules_left: { policies: 1, mode: on_move } }]);
      await requestAs(root, '/mapping-rules', rule);
      expect(await removals()).toHaveLength(on_move === 'remove' ? 1 : 0);
      await lab.sql`update residual_rules set since = now() - interval '1 day'`;
      await scheduleDeployments();
      await runRemovals();
      expect(rulesOf(MOVED, policy)).toHaveLength(on_move === 'remove' ? 0 : 1);
      if (on_move === 'remove') return;
      // What was kept goes when the new tenant asks for it.
      expect(await requestAs(theirs.as, `/workloads/${workload}/residual-rules/remove`, {}, 'POST')).toEqual({
        requested: 1,
      });
      await runRemovals();
      expect(rulesOf(MOVED, policy)).toEqual([]);
      expect(await requestAs(theirs.as, `/workloads/${workload}/residual-rules`)).toEqual({ items: [] });
    },
  );
});
