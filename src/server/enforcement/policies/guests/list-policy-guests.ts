import type { Page } from '@/domain/list';
import { isWithinReach } from '@/domain/permissions';
import type { PolicyGuest, PolicyGuestListInput } from '@/domain/policy-guests';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { notFound } from '../../../lib/refusals';
import { findPolicy } from '../../queries/policies';
import { readBoard } from '../board/read-board';
import { findTouching } from '../touching';
import { policyGuest } from './policy-guest';

/** Vmid and workload of the last item of a page. */
function decode(cursor: string): [number, string] {
  const [, vmid, id] = /^(\d{1,9})\.([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (vmid === undefined || id === undefined) {
    throw new AppError('malformed', 'The cursor is not one that this list gave out. Start again without it.', {
      errors: [{ field: 'cursor', message: 'Use next_cursor of the page before, unchanged.' }],
    });
  }
  return [Number(vmid), id];
}

/**
 * The guests where a policy wants rules, has some or was applied, by number. No cluster is asked.
 * @throws AppError `not_found`
 */
export async function listPolicyGuests(
  scope: Scope<'policy:read'>,
  id: string,
  { limit, cursor, sort, q, status, cluster_id }: PolicyGuestListInput,
): Promise<Page<PolicyGuest>> {
  const [policy, board] = await Promise.all([
    findPolicy(db, scope.reach, id, await findTouching(scope.reach)),
    readBoard(),
  ]);
  if (!policy) throw notFound('policy');
  const wanted = status === 'none' ? null : status;
  const text = q?.toLowerCase();
  const direction = sort === '-vmid' ? -1 : 1;
  const compare = (a: readonly [number, string], b: readonly [number, string]) =>
    direction * (a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0));
  const guests = board
    .placesOf(id)
    .filter((workloadId) => {
      const workload = board.world.workloads.get(workloadId);
      return workload !== undefined && isWithinReach(workload, scope.reach);
    })
    .flatMap((workloadId) => policyGuest(board, policy, workloadId) ?? [])
    .filter(
      (guest) =>
        (wanted === undefined || guest.status === wanted) &&
        (cluster_id === undefined || guest.cluster_id === cluster_id) &&
        (text === undefined || guest.name.toLowerCase().includes(text) || guest.external_id.includes(text)),
    )
    .sort((a, b) => compare([a.vmid, a.workload_id], [b.vmid, b.workload_id]));
  const after = cursor === undefined ? null : decode(cursor);
  const rest = after ? guests.filter((guest) => compare([guest.vmid, guest.workload_id], after) > 0) : guests;
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    next_cursor: rest.length > limit && last ? `${last.vmid}.${last.workload_id}` : null,
    total: guests.length,
  };
}
