import { MAX_PREVIEWED } from '@/domain/choices';
import type { MappingPreview, MappingPreviewInput } from '@/domain/mapping-rule';
import { computeLayout } from '@/domain/policy/plan/layout';
import { planGuest } from '@/domain/policy/plan/plan-guest';
import { switchChanges } from '@/domain/policy/plan/switch-changes';
import type { WorkloadAssignment } from '@/domain/project';
import type { AssignmentPreview } from '@/domain/residual-rules';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { intentFor, toUntouchedRow } from '../enforcement/deployments/guest-work';
import { readLive, type TimedGuest } from '../enforcement/guest-firewall/live-reader';
import { toGuestFilter } from '../enforcement/guest-firewall/read-guest-live';
import { readFirewallState } from '../enforcement/policies/firewall-state/read-firewall-state';
import { readInstance } from '../enforcement/policies/policy-inputs';
import { listOrigins } from '../enforcement/queries/guest-firewalls';
import { listAppliedAt } from '../enforcement/queries/policy-placements';
import { findLeftBehind } from '../enforcement/queries/residual-rules';
import { clock } from '../lib/clock';
import { groupBy } from '../lib/group-by';
import { newId } from '../lib/ids';
import { notFound } from '../lib/refusals';
import { lockAssignable } from '../tenancy/lock-assignable';
import { findMappingRule, listEnabledRules } from '../tenancy/queries/mapping-rules';
import { findProject } from '../tenancy/queries/projects';
import { noSuchMappingRule } from './mapping-rules';
import { countMatches, findPlacements, type WeighedRule } from './queries/mapping-placements';

/**
 * What assigning workloads manually would remove from their firewalls: rules of policies of the tenants and projects
 * that lose them, with their live state. Nothing is changed.
 * @throws AppError `not_found` for a project or workload that is not visible
 */
export async function previewAssignment(
  scope: Scope<'workload:write'>,
  { project_id, workload_ids }: WorkloadAssignment,
): Promise<AssignmentPreview> {
  const project = project_id === null ? null : await findProject(db, scope.tenants, project_id);
  if (project_id !== null && !project) throw notFound('project');
  const found = await db.transaction((tx) => lockAssignable(tx, scope, workload_ids));
  const tenant_id = project?.tenant_id ?? null;
  const changing = found.filter((workload) => workload.project_id !== project_id);
  const moving = changing.filter((workload) => workload.tenant_id !== tenant_id);
  const { inputs } = await readFirewallState();
  const left = groupBy(
    await findLeftBehind(
      db,
      inputs.instance,
      changing.map(({ id }) => ({ workload_id: id, tenant_id, project_id })),
    ),
    ({ workload_id }) => workload_id,
  );
  const ids = [...left.keys()];
  const [origins, applied] = await Promise.all([listOrigins(db, ids), listAppliedAt(db, ids)]);
  const rowOf = new Map(origins.map((row) => [row.workload_id, row]));
  const appliedAt = groupBy(applied, (row) => row.workload_id);
  const concerned = ids.flatMap((id) => inputs.workloads.get(id) ?? []);
  const snapshots = new Map<string, TimedGuest>();
  await Promise.all(
    [...groupBy(concerned, ({ cluster_id }) => cluster_id)].map(async ([clusterId, list]) => {
      const { guests } = await readLive(clusterId, list, { fresh: true });
      for (const [id, snapshot] of guests) snapshots.set(id, snapshot);
    }),
  );
  const workloads = concerned.map((workload) => {
    const gone = new Set(left.get(workload.id)?.map(({ policy_id }) => policy_id));
    const [first = ''] = gone;
    const row = rowOf.get(workload.id) ?? toUntouchedRow(workload.id);
    const stay = (appliedAt.get(workload.id) ?? []).filter(({ policy_id }) => !gone.has(policy_id));
    const known = { row, placements: stay };
    const intent = { ...intentFor(inputs, first, 'cleanup', { workload, desired: null }, known), scope: gone };
    const snapshot = snapshots.get(workload.id);
    const before = snapshot ? toGuestFilter(snapshot.state) : null;
    const { id: workload_id, name, vmid, cluster_id } = workload;
    return {
      workload_id,
      name,
      vmid,
      cluster_id,
      cluster_name: inputs.clusters.get(cluster_id)?.name ?? '',
      policies: gone.size,
      rules: before && computeLayout(before.rules, intent).stale.length,
      switches: before && switchChanges(before, planGuest(before, intent).after).length,
    };
  });
  const unread = new Map(
    workloads.filter(({ rules }) => rules === null).map(({ cluster_id, cluster_name }) => [cluster_id, cluster_name]),
  );
  return {
    changed: changing.length,
    moved: moving.length,
    workloads: workloads.sort((a, b) => a.name.localeCompare(b.name) || a.vmid - b.vmid),
    unreachable: [...unread].map(([cluster_id, cluster_name]) => ({ cluster_id, cluster_name })),
  };
}

const toProjectRef = (
  project_id: string | null,
  project_name: string | null,
  tenant_id: string | null,
  tenant: string | null,
) =>
  project_id !== null && project_name !== null && tenant_id !== null && tenant !== null
    ? { project_id, project_name, tenant_id, tenant_name: tenant }
    : null;

/**
 * What storing a rule, or deleting one, would move, computed as it is carried out.
 * @throws AppError `not_found` when the rule to change or delete does not exist
 */
export async function previewMappingRule(
  _scope: Scope<'mapping:read'>,
  { rule, rule_id }: MappingPreviewInput,
): Promise<MappingPreview> {
  const known = rule_id === undefined ? null : await findMappingRule(db, rule_id);
  if (rule_id !== undefined && !known) throw noSuchMappingRule();
  const id = rule_id ?? newId();
  const others = (await listEnabledRules(db)).filter((one) => one.id !== id);
  const draft: WeighedRule | null = rule
    ? { ...rule, id, created_at: known?.created_at ?? clock.now().toISOString() }
    : null;
  const rules = draft && rule?.enabled ? [...others, draft] : others;
  const [matches, { items, total }] = await Promise.all([
    countMatches(db, draft ? [...others, draft] : known ? [...others, known] : others, id),
    findPlacements(db, rules, { limit: MAX_PREVIEWED }),
  ]);
  const moving = items.filter(({ from_project_id, to_project_id }) => from_project_id !== to_project_id);
  const left = groupBy(
    await findLeftBehind(
      db,
      await readInstance(db),
      moving.map(({ workload_id, to_tenant_id, to_project_id }) => ({
        workload_id,
        tenant_id: to_tenant_id,
        project_id: to_project_id,
      })),
    ),
    ({ workload_id }) => workload_id,
  );
  const leftAt = (workloadId: string) => {
    const rows = left.get(workloadId);
    if (!rows) return null;
    const keeps = rows.some(({ on_move }) => on_move === 'keep');
    return { policies: rows.length, mode: keeps ? ('keep' as const) : ('remove' as const) };
  };
  return {
    ...matches,
    moves_total: total,
    moves: items.map((item) => ({
      workload_id: item.workload_id,
      workload_name: item.workload_name,
      vmid: item.vmid,
      cluster_id: item.cluster_id,
      cluster_name: item.cluster_name,
      from: toProjectRef(item.from_project_id, item.from_project_name, item.from_tenant_id, item.from_tenant_name),
      to: toProjectRef(item.to_project_id, item.to_project_name, item.to_tenant_id, item.to_tenant_name),
      rules_left: leftAt(item.workload_id),
    })),
  };
}
