import type { ImpactReader } from '@/domain/impact/stored-impact';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { contentHash } from './hashes';
import { findVisibleImpact, isOutdated, isSameReader } from './read-impact';

/** What the audit record of an apply keeps of the impact that was looked at; null: none was. */
export type Acknowledged = { readonly impact_id: string; readonly newly_blocked: number } | null;

type Asked = { readonly impact_id?: string; readonly acknowledge_newly_blocked?: number };

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
  const refuse = (reason: string, message: string, extra: object = {}) =>
    new AppError('conflict', message, { extra: { ...refusal, message, reason, impact_id, ...extra } });
  const row = await findVisibleImpact(reader, impact_id);
  // One that was computed for a user who sees less says less.
  if (!isSameReader(row.reader, reader)) throw notFound('impact');
  const firewall = await readFirewallState();
  const policy = firewall.inputs.policies.find(({ id }) => id === policyId);
  const isThis = row.policy_id === policyId && row.change.leaves === 'apply';
  if (!policy || !isThis || row.content_hash !== contentHash(policy)) {
    const message = 'The impact is that of another change. Compute the impact of the policy as it is stored.';
    throw refuse('impact_of_another_change', message);
  }
  if (row.status !== 'done') {
    const message =
      row.status === 'failed'
        ? 'The impact could not be computed. Compute it again.'
        : 'The impact is still being computed. Wait until it is done.';
    throw refuse('impact_not_done', message);
  }
  if (await isOutdated(row, firewall)) {
    throw refuse('impact_outdated', 'The live state changed since the impact was computed. Compute it again.');
  }
  const newly_blocked = row.totals?.newly_blocked ?? 0;
  if (newly_blocked > 0 && acknowledge_newly_blocked !== newly_blocked) {
    const message = `Applying blocks ${newly_blocked} observed conversations that are allowed now. To apply nevertheless, set acknowledge_newly_blocked to ${newly_blocked}.`;
    throw refuse('impact_not_acknowledged', message, { newly_blocked });
  }
  return { impact_id, newly_blocked };
}
