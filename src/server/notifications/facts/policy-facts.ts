import type { Fact } from '@/domain/notifications/condition';
import { describeDrift } from '@/domain/notifications/drift';
import { db } from '../../db/client';
import { listFailingNodes, listUncertainNodes } from '../../enforcement/guest-firewall/failing-nodes';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { type FoundDriftRow, listOpenDrift } from '../../enforcement/queries/drifts';
import { listUnpassedTests } from '../../enforcement/queries/policy-tests';
import { listResidualSummaries } from '../../enforcement/queries/residual-rules';
import { groupBy } from '../../lib/group-by';
import { listFailedSyncs } from '../queries/notification-facts';
import type { Collector } from './collect-findings';

/** Where a policy drifted first, and since when. */
function describeFirst([first, ...more]: readonly FoundDriftRow[]): string[] {
  if (!first) return [];
  const rest = more.length > 0 ? ` and ${more.length} more` : '';
  const at = new Date(first.first_seen_at).toISOString();
  return [`${first.subject} on ${first.workload_name} (${first.vmid})${rest}, first seen ${at}.`];
}

/** Visible policies whose live rules are not as written; no cluster is queried. */
export const collectDriftedPolicies: Collector = async (reach) => {
  const firewall = await readFirewallState();
  const facts: Fact[] = [];
  const unknown: string[] = [];
  const drifted: { id: string; name: string; drift: string }[] = [];
  for (const policy of firewall.inputs.policies) {
    if (reach !== 'all' && !(policy.tenant_id !== null && reach.includes(policy.tenant_id))) continue;
    const drift = describeDrift(firewall.standingOf(policy));
    if (drift === 'unknown') unknown.push(policy.id);
    else if (drift !== null) drifted.push({ id: policy.id, name: policy.name, drift });
  }
  const open = await listOpenDrift(
    db,
    drifted.map(({ id }) => id),
  );
  const differences = groupBy(open, ({ policy_id }) => policy_id);
  for (const { id, name, drift } of drifted) {
    const object = { object_kind: 'policy', object_id: id, object_name: name } as const;
    const detail = [drift, ...describeFirst(differences.get(id) ?? [])].join(' ');
    facts.push({ condition: 'policy_drifted', key: id, ...object, detail });
  }
  return { facts, unknown };
};

/** Visible policy tests that fail, with the event that made them fail where it is the tenant's own. */
export const collectFailingTests: Collector = async (reach) => {
  const unpassed = await listUnpassedTests(db, reach);
  const facts = unpassed.flatMap(({ id, name, result, caused_by }): Fact[] => {
    if (result !== 'fail') return [];
    const shown = caused_by && (reach === 'all' || reach.includes(caused_by.tenant_id ?? ''));
    const object = { object_kind: 'policy_test', object_id: id, object_name: name } as const;
    const detail = shown ? caused_by.text : 'The policy test fails.';
    return [{ condition: 'policy_test_failing', key: id, ...object, detail }];
  });
  return { facts, unknown: unpassed.flatMap(({ id, result }) => (result === 'fail' ? [] : [id])) };
};

/** Nodes whose stored firewall cannot be compiled, from what was last read; no cluster is asked. */
export const collectFailingNodes: Collector = async () => {
  const [failing, unknown] = await Promise.all([listFailingNodes(), listUncertainNodes()]);
  const facts = failing.map(({ node_id, node_name, message }): Fact => {
    const object = { object_kind: 'node', object_id: node_id, object_name: node_name } as const;
    return { condition: 'node_firewall_not_compiling', key: node_id, ...object, detail: message };
  });
  return { facts, unknown };
};

/** Clusters whose last sync failed. */
export const collectFailedSyncs: Collector = async () => ({
  facts: (await listFailedSyncs(db)).map((cluster) => ({
    condition: 'sync_failed',
    key: cluster.cluster_id,
    object_kind: 'cluster',
    object_id: cluster.cluster_id,
    object_name: cluster.cluster_name,
    detail: cluster.last_sync_error ?? 'The last sync failed.',
  })),
});

const policiesText = (count: number) => (count === 1 ? 'one policy' : `${count} policies`);

/**
 * Visible workloads with rules of a former tenant or project, and removed workloads that still have rules of a visible
 * tenant: by the name that they had then.
 */
export const collectResidualRules: Collector = async (reach) => ({
  facts: (await listResidualSummaries(reach)).map(
    ({ workload_id, workload_name, owned, policies, mode, within_tenant }) => {
      const former = within_tenant ? 'project' : 'tenant';
      const what = owned
        ? `Rules of ${policiesText(policies)} of a former ${former}`
        : `Rules of ${policiesText(policies)}`;
      const where = owned
        ? 'still filter the workload'
        : 'are still on the workload, which belongs to another tenant now';
      const then = mode === 'remove' ? 'Removal is retried automatically.' : 'They stay until a user removes them.';
      return {
        condition: 'residual_rules',
        key: `${workload_id} ${owned ? (within_tenant ? 'project' : 'here') : 'gone'}`,
        object_kind: 'workload',
        object_id: owned ? workload_id : null,
        object_name: workload_name,
        detail: `${what} ${where}. ${then}`,
      };
    },
  ),
});
