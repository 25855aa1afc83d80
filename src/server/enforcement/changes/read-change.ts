import { isApproved } from '@/domain/change/approval';
import type { Change, ChangeListInput, ChangeSummary } from '@/domain/change/change';
import type { ChangeItem } from '@/domain/change/items';
import { findNextWindow } from '@/domain/change/maintenance';
import { EDITABLE_STATES } from '@/domain/change/states';
import type { Page } from '@/domain/list';
import { isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import type { Scope, Session } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { notFound } from '../../lib/refusals';
import * as repository from '../queries/change-list';
import { findChangeSummary, findReverting } from '../queries/change-list';
import { listWaveWorkloads, listWorkloadNames } from '../queries/change-waves';
import {
  type ChangeReviewRow,
  type ChangeRow,
  type ChangeTransitionRow,
  findChange,
  listChangeOwners,
  readChangeHistory,
} from '../queries/changes';
import { readMaintenanceWindows } from './approval-rules';
import { isItemVisible } from './change-access';
import { listActions } from './list-actions';
import { readApprovalStatus } from './review/approval-status';
import { compileOnce } from './review/compile-once';
import { revalidateApprovals } from './review/revalidate';
import { summarizeWaves } from './summarize-waves';

/** One page of the changes visible to the caller. */
export const listChanges = ({ reach }: Scope<'policy:read'>, input: ChangeListInput): Promise<Page<ChangeSummary>> =>
  repository.listChanges(reach, input);

/** Shown instead of what may name owners that are not visible to the reader. */
const NOT_VISIBLE = 'Not visible to you';

const getTenants = (owners: readonly Owned[]) => new Set(owners.map(({ tenant_id }) => tenant_id));

/** Whether someone may act for an owner that is visible, so that the reader may know who it is. */
const actsForVisible = ({ tenant_ids }: ChangeReviewRow, visible: readonly Owned[]): boolean =>
  tenant_ids === null || visible.some(({ tenant_id }) => tenant_id !== null && tenant_ids.includes(tenant_id));

function toReview(row: ChangeReviewRow, visible: readonly Owned[], isPartial: boolean): Change['reviews'][number] {
  const { id, actor_id, actor_name, decision, comment, created_at: at, revoked } = row;
  const known = !isPartial || actsForVisible(row, visible);
  const by = known ? { id: actor_id, name: actor_name } : { id: null, name: NOT_VISIBLE };
  return { id, by, decision, comment: isPartial ? '' : comment, at, revoked };
}

function toTransition(
  row: ChangeTransitionRow,
  known: ReadonlySet<string | null> | null,
): Change['transitions'][number] {
  const { from, to, created_at: at, actor_id, actor_name, comment } = row;
  const isShown = known === null || known.has(actor_id);
  const by = isShown ? { id: actor_id, name: actor_name } : { id: null, name: NOT_VISIBLE };
  return { from, to, at, by, comment: known === null ? comment : '' };
}

/** Whether a change changes rules on a hypervisor: as it compiles now, or once it is applied as it was reviewed. */
async function isEnforcing(row: ChangeRow): Promise<boolean> {
  if (EDITABLE_STATES.some((state) => state === row.state)) return (await compileOnce(row)).note.enforcing;
  return row.compiled?.enforcing ?? true;
}

async function readApprovals(
  row: ChangeRow,
  owners: readonly Owned[],
  visible: readonly Owned[],
  reviews: readonly ChangeReviewRow[],
  tenants: ChangeSummary['tenants'],
): Promise<Change['approvals']> {
  const shown = getTenants(visible);
  const status = await readApprovalStatus(db, row, owners, reviews, await isEnforcing(row));
  return status
    .filter(({ tenant_id }) => shown.has(tenant_id))
    .map((one) => ({ ...one, tenant_name: tenants.find(({ id }) => id === one.tenant_id)?.name ?? null }));
}

type Difference = Change['changed_since_review'];

/** What compiled differently since the submission, at workloads that are visible. */
async function readDifference({ changed_since_review: found }: ChangeRow, reach: Reach): Promise<Difference> {
  if (!found) return null;
  const names = await listWorkloadNames(
    db,
    reach,
    found.workloads.map(({ workload_id }) => workload_id),
  );
  const workloads = found.workloads.flatMap(({ workload_id, change }) => {
    const workload_name = names.get(workload_id);
    return workload_name === undefined ? [] : [{ workload_id, workload_name, change }];
  });
  return { at: found.at, workloads };
}

/** When the next maintenance window of all owners opens; null: now, or none is defined. */
async function readNextWindow(owners: readonly Owned[]): Promise<string | null> {
  const windows = await readMaintenanceWindows(db, getTenants(owners));
  const now = clock.now().getTime();
  const next = findNextWindow([...windows.values()], now);
  return next === null || next === now ? null : new Date(next).toISOString();
}

/** What of a change may name owners that the reader does not see. */
function hideTexts({ waves, problems, break_glass_reason }: ChangeRow) {
  return {
    waves: waves.canaries?.by === 'count' ? waves : { ...waves, canaries: null },
    problems: problems.map(({ code }) => ({ code, message: NOT_VISIBLE, remedy: null })),
    break_glass_reason: break_glass_reason === null ? null : NOT_VISIBLE,
    impact_id: null,
    managed_by: null,
  };
}

/** An item without the project that its object leaves, where the reader does not see that one. */
function hideFormerProject(item: ChangeItem, reach: Reach): ChangeItem {
  if (!('moved_from' in item) || !item.moved_from) return item;
  const { project_id } = item.moved_from;
  const isSeen = project_id == null || isWithinReach({ tenant_id: item.tenant_id, project_id }, reach);
  return isSeen ? item : { ...item, moved_from: {} };
}

async function describeChange(session: Session, reach: Reach, row: ChangeRow, summary: ChangeSummary): Promise<Change> {
  const [owners, history, waves, reverted_by] = await Promise.all([
    listChangeOwners(db, row.id),
    readChangeHistory(db, row.id),
    listWaveWorkloads(db, reach, row.id),
    findReverting(db, row.id),
  ]);
  const visible = owners.filter((owner) => isWithinReach(owner, reach));
  // What expires was approved with the policy.
  const approvals =
    row.expiry === null ? await readApprovals(row, owners, visible, history.reviews, summary.tenants) : [];
  const isPartial = visible.length < owners.length;
  const items = row.items
    .filter((item) => isItemVisible(session, reach, item))
    .map((item) => hideFormerProject(item, reach));
  const reviews = history.reviews.map((review) => toReview(review, visible, isPartial));
  // Who acts for the installation or a visible owner is known; of others it is only known that someone acted.
  const known = isPartial ? new Set([row.created_by, ...reviews.map(({ by }) => by.id)]) : null;
  const { confirm_within_seconds, on_failure, rollback_on_failed_check, scheduled_at, within_maintenance } = row;
  const { problems, impact_id, break_glass_reason, log_new_rules, removes_log, managed_by } = row;
  return {
    ...summary,
    items,
    hidden_items: row.items.length - items.length,
    ...{ confirm_within_seconds, on_failure, rollback_on_failed_check, scheduled_at, within_maintenance },
    ...{ waves: row.waves, problems, impact_id, break_glass_reason, log_new_rules, removes_log, managed_by },
    ...(isPartial && hideTexts(row)),
    next_window_at: await readNextWindow(owners),
    approvals,
    reviews,
    changed_since_review: await readDifference(row, reach),
    transitions: history.transitions.map((transition) => toTransition(transition, known)),
    rollout: summarizeWaves(waves),
    expiry: row.expiry,
    reverts: row.reverts,
    reverted_by,
    actions: listActions(session, row, owners, history.reviews, {
      isReverted: reverted_by !== null,
      isApproved: isApproved(approvals),
    }),
  };
}

/**
 * A change as the caller sees it: with the items of visible owners, and the number of others. What may name these others is left out.
 * @throws AppError `not_found`
 */
export async function readChange({ reach }: { readonly reach: Reach }, session: Session, id: string): Promise<Change> {
  const found = await findChange(db, reach, id);
  if (!found) throw notFound('change');
  const isRevoked = await revalidateApprovals(found);
  const [row, summary] = await Promise.all([
    isRevoked ? findChange(db, reach, id) : found,
    findChangeSummary(db, reach, id),
  ]);
  if (!row || !summary) throw notFound('change');
  return describeChange(session, reach, row, summary);
}
