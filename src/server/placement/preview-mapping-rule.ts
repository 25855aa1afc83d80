import { MAX_PREVIEWED, type MappingPreview, type MappingPreviewInput } from '@/domain/mapping-rule';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { readInstance } from '../enforcement/policies/world/load-policy-world';
import { findLeftBehind } from '../enforcement/queries/residual-rules';
import { clock } from '../lib/clock';
import { groupBy } from '../lib/group-by';
import { newId } from '../lib/ids';
import { findMappingRule, listEnabledRules } from '../tenancy/queries/mapping-rules';
import { noSuchMappingRule } from './mapping-rules';
import { countMatches, findPlacements, type WeighedRule } from './queries/mapping-placements';

const placeOf = (
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
      from: placeOf(item.from_project_id, item.from_project_name, item.from_tenant_id, item.from_tenant_name),
      to: placeOf(item.to_project_id, item.to_project_name, item.to_tenant_id, item.to_tenant_name),
      rules_left: leftAt(item.workload_id),
    })),
  };
}
