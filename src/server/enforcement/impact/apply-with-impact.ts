import type { ChangeItem } from '@/domain/change/items';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { findImpact, type ImpactRow } from '../queries/impacts';
import { contentHash, hashImpactContent } from './hashes';
import { findNewlyBlockedSince, formatConversation } from './newly-blocked';
import { findVisibleImpact, isOutdated, isSameReader } from './read-impact';

/** What the audit record of an apply keeps of the impact that was looked at; null: none was. */
export type Acknowledged = { readonly impact_id: string; readonly newly_blocked: number } | null;

const MOST_NAMED = 3;

type Asked = { readonly impact_id?: string; readonly acknowledge_newly_blocked?: number };

type Refusal = (reason: string, message: string, extra?: object) => AppError;

const createRefusal =
  (refusal: object, impact_id: string): Refusal =>
  (reason, message, extra = {}) =>
    new AppError('conflict', message, { extra: { ...refusal, message, reason, impact_id, ...extra } });

/** The impact that the caller names. @throws AppError `not_found` */
async function findOwnImpact(id: string, reader: ImpactReader): Promise<ImpactRow> {
  const row = await findVisibleImpact(reader, id);
  // One that was computed for a user who sees less says less.
  if (!isSameReader(row.reader, reader)) throw notFound('impact');
  return row;
}

function assertDone({ status }: ImpactRow, refuse: Refusal): void {
  if (status === 'done') return;
  const message =
    status === 'failed'
      ? 'The impact could not be computed. Compute it again.'
      : 'The impact is still being computed. Wait until it is done.';
  throw refuse('impact_not_done', message);
}

/** @returns how many conversations it newly blocks */
function assertCounted({ totals }: ImpactRow, acknowledged: number | undefined, refuse: Refusal): number {
  const newly_blocked = totals?.newly_blocked ?? 0;
  if (newly_blocked > 0 && acknowledged !== newly_blocked) {
    const message = `Applying blocks ${newly_blocked} observed conversations that are allowed now. To apply nevertheless, set acknowledge_newly_blocked to ${newly_blocked}.`;
    throw refuse('impact_not_acknowledged', message, { newly_blocked });
  }
  return newly_blocked;
}

/**
 * Refuses an apply whose caller looked at an impact that is not that of this apply, or that newly blocks conversations without
 * saying how many. Evaluated on what was last read; no cluster is contacted.
 * @param refusal what every refusal of the apply says
 * @throws AppError `not_found` for an impact not visible to the caller; `conflict` with `reason`
 */
export async function assertAcknowledged(
  policyId: string,
  { impact_id, acknowledge_newly_blocked }: Asked,
  reader: ImpactReader,
  refusal: object,
): Promise<Acknowledged> {
  if (impact_id === undefined) return null;
  const refuse = createRefusal(refusal, impact_id);
  const row = await findOwnImpact(impact_id, reader);
  const firewall = await readFirewallState();
  const policy = firewall.inputs.policies.find(({ id }) => id === policyId);
  const isThis = row.policy_id === policyId && 'leaves' in row.change && row.change.leaves === 'apply';
  if (!policy || !isThis || row.content_hash !== contentHash(policy)) {
    const message = 'The impact is that of another change. Compute the impact of the policy as it is stored.';
    throw refuse('impact_of_another_change', message);
  }
  assertDone(row, refuse);
  if (await isOutdated(row, firewall)) {
    throw refuse('impact_outdated', 'The live state changed since the impact was computed. Compute it again.');
  }
  return { impact_id, newly_blocked: assertCounted(row, acknowledge_newly_blocked, refuse) };
}

/**
 * The same for a change. What became live since does not matter, unless conversations of another client with another service would
 * be blocked by now: these were not acknowledged. What was observed since is replayed, which takes seconds.
 * @throws as `assertAcknowledged`
 */
export async function assertChangeAcknowledged(
  change: { readonly id: string; readonly items: readonly ChangeItem[] },
  { impact_id, acknowledge_newly_blocked }: Asked,
  reader: ImpactReader,
  refusal: object,
): Promise<Acknowledged> {
  if (impact_id === undefined) return null;
  const refuse = createRefusal(refusal, impact_id);
  const row = await findOwnImpact(impact_id, reader);
  if (row.change_id !== change.id || row.content_hash !== hashImpactContent({ items: change.items })) {
    throw refuse('impact_of_another_change', 'The impact is that of another change, or of earlier edits of this one.');
  }
  assertDone(row, refuse);
  const newly_blocked = assertCounted(row, acknowledge_newly_blocked, refuse);
  const appeared = await findNewlyBlockedSince(row);
  if (appeared.length > 0) {
    const names = appeared.slice(0, MOST_NAMED).map(formatConversation);
    const others = appeared.length - names.length;
    const list = [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ');
    const message = `Applying would by now block conversations that the impact does not show: ${list}. Compute the impact again.`;
    throw refuse('impact_outdated', message, { appeared: appeared.length });
  }
  return { impact_id, newly_blocked };
}

/**
 * Refuses to start a scheduled change that would by now block conversations that were not acknowledged. They are only counted: everyone
 * who sees the change reads why.
 * @throws AppError `conflict`
 */
export async function assertStillAcknowledged(impactId: string): Promise<void> {
  const row = await findImpact(db, impactId);
  const appeared = row ? (await findNewlyBlockedSince(row)).length : null;
  if (appeared === 0) return;
  const number = appeared === 1 ? 'one conversation' : `${appeared} conversations`;
  const message =
    appeared === null
      ? 'The impact that was acknowledged is not stored any more. Compute the impact again.'
      : `Applying would by now block ${number} that the impact does not show. Compute the impact again.`;
  throw new AppError('conflict', message, { extra: { reason: 'impact_outdated', impact_id: impactId } });
}
