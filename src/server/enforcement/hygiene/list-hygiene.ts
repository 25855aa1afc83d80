import {
  type FindingDetail,
  HYGIENE_DAYS,
  type HygieneFinding,
  type HygieneListInput,
  type HygieneSummary,
  type HygieneSummaryInput,
  type HygieneWitness,
} from '@/domain/hygiene/finding';
import { isFixable } from '@/domain/hygiene/fix';
import { toHarm } from '@/domain/hygiene/kinds';
import type { Page } from '@/domain/list';
import { isVisibleAt, isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { type PolicyInputs, policiesById } from '../policies/policy-inputs';
import {
  type FoundFindingRow,
  findFindingRow,
  listFindingRows,
  listFindingWorkloads,
  summarizeHygiene,
} from '../queries/hygiene';
import { readCheckTime } from './run-hygiene';

type StoredWitness = NonNullable<FindingDetail['witnesses']>[number];

/** A witness as far as the reader may see its policy. @param owner of what the finding is about */
function toWitness({ policies }: PolicyInputs, reach: Reach, owner: Owned, stored: StoredWitness): HygieneWitness {
  if (stored.policy_id === null) return { ...stored, policy_name: null };
  const policy = policiesById(policies).get(stored.policy_id);
  const hidden = { ...stored, text: null, policy_id: null, policy_name: null, rule_position: null };
  if (reach === 'all') return { ...stored, policy_name: policy?.name ?? null };
  if (!policy) return hidden;
  const isPlatform = policy.tenant_id === null;
  const isOpen = isPlatform ? policy.tenant_visibility === 'rules' : isVisibleAt(policy, owner, reach);
  if (isOpen) return { ...stored, policy_name: policy.name };
  return isPlatform && policy.tenant_visibility === 'name' ? { ...hidden, policy_name: policy.name } : hidden;
}

function toFinding(
  { detail, score, tenant_id, project_id, ...row }: FoundFindingRow,
  names: ReadonlyMap<string, string>,
  witness: (stored: StoredWitness, owner: Owned) => HygieneWitness,
  writable: Reach | null,
): HygieneFinding {
  const owner = { tenant_id, project_id };
  const mayFix = row.policy_id !== null && writable !== null && isWithinReach(owner, writable);
  return {
    ...row,
    harm: toHarm(score),
    workloads: (detail.workload_ids ?? []).flatMap((id) => {
      const name = names.get(id);
      return name === undefined ? [] : [{ id, name }];
    }),
    witnesses: (detail.witnesses ?? []).map((stored) => witness(stored, owner)),
    example: detail.example ?? null,
    unused: [...(detail.unused ?? [])],
    used: [...(detail.used ?? [])],
    reason: detail.reason ?? null,
    hits: detail.hits ?? null,
    last_hit_at: detail.last_hit_at ?? null,
    since: detail.since ?? null,
    actions: mayFix && isFixable({ ...row, detail }) ? ['fix'] : [],
  };
}

async function toFindings(
  reach: Reach,
  rows: readonly FoundFindingRow[],
  writable: Reach | null,
): Promise<HygieneFinding[]> {
  const ids = [...new Set(rows.flatMap(({ detail }) => detail.workload_ids ?? []))];
  const [{ inputs }, names] = await Promise.all([readFirewallState(), listFindingWorkloads(reach, ids)]);
  const witness = (stored: StoredWitness, owner: Owned) => toWitness(inputs, reach, owner, stored);
  return rows.map((row) => toFinding(row, names, witness, writable));
}

/** Findings about rules of visible policies and about unmanaged rules of visible workloads, as last checked. Four queries. */
export async function listHygiene(
  { reach }: Scope<'policy:read'>,
  input: HygieneListInput,
  writable: Reach | null,
): Promise<Page<HygieneFinding>> {
  const { items, ...page } = await listFindingRows(reach, input);
  return { ...page, items: await toFindings(reach, items, writable) };
}

/** @throws AppError `not_found` */
export async function readFinding(
  { reach }: Scope<'policy:read'>,
  id: string,
  writable: Reach | null,
): Promise<HygieneFinding> {
  const row = await findFindingRow(db, reach, id);
  const [finding] = row ? await toFindings(reach, [row], writable) : [];
  if (!finding) throw notFound('hygiene_finding');
  return finding;
}

/** How much was found of each kind, and about what nothing is claimed. Three queries. */
export async function readHygieneSummary(
  { reach }: Scope<'policy:read'>,
  { policy_id }: HygieneSummaryInput,
): Promise<HygieneSummary> {
  const [checked_at, found] = await Promise.all([readCheckTime(), summarizeHygiene(reach, policy_id)]);
  return { checked_at, days: HYGIENE_DAYS, ...found };
}
