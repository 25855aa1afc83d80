import type { ImpactChange } from '@/domain/impact/stored-impact';
import { objectCache } from '../../lib/cache';
import type { Board } from '../policies/board/board';
import { type BoardAfter, boardAfterApply } from '../policy-tests/tests-after';
import type { InputPolicy } from '../queries/policy-inputs';
import { sha256 } from './hashes';
import { guestsConcerned, statesAfterCleanup } from './states-after';

/** Workloads where a policy was applied, or something of it was found. */
function placesOfCleanup(board: Board, policyId: string): string[] {
  const placed = new Set(board.placedOf(policyId));
  return board.placesOf(policyId).filter((id) => placed.has(id) || board.isFoundAt(policyId, id));
}

async function afterCleanup(board: Board, policyId: string): Promise<BoardAfter> {
  const { inputs, readings } = board;
  const ids = placesOfCleanup(board, policyId);
  const states = await statesAfterCleanup(inputs, policyId, ids, readings.guests);
  const guests = new Map(readings.guests);
  const changed = new Set<string>();
  const unreadable = new Set(ids.filter((id) => !states.has(id)));
  for (const [id, { before, after }] of states) {
    const reading = readings.guests.get(id);
    if (!after) unreadable.add(id);
    if (!reading || !after || before === after) continue;
    changed.add(id);
    guests.set(id, { ...reading, state: after });
  }
  return { before: { inputs, readings }, after: { inputs, readings: { ...readings, guests } }, changed, unreadable };
}

/** What was last read, and what the change would leave. What is only written in another order is not changed. */
export async function boardAfterChange(board: Board, { policy, leaves }: ImpactChange): Promise<BoardAfter> {
  const found =
    leaves === 'apply'
      ? await boardAfterApply(board, policy, board.placesOf(policy.id))
      : await afterCleanup(board, policy.id);
  const stateIn = ({ readings }: BoardAfter['before'], id: string) => sha256(readings.guests.get(id)?.state ?? null);
  const changed = [...found.changed].filter((id) => stateIn(found.before, id) !== stateIn(found.after, id));
  return { ...found, changed: new Set(changed) };
}

/** Workloads that the change concerns, whether or not it changes anything there. */
export const concernedBy = (board: Board, { policy, leaves }: ImpactChange): string[] =>
  leaves === 'apply'
    ? guestsConcerned(board.inputs, policy, board.placesOf(policy.id))
    : placesOfCleanup(board, policy.id);

const prints = objectCache<object, string>({ name: 'impact_readings' });
const printOf = (state: object | null | undefined) => (state ? prints.load(state, null, () => sha256(state)) : null);

/** Hash of what was last read of some workloads: their rules, their place and their addresses. */
export function readingHash({ inputs, readings }: BoardAfter['before'], ids: readonly string[]): string {
  return sha256(
    [...new Set(ids)].sort().map((id) => {
      const workload = inputs.workloads.get(id);
      const cluster = workload && readings.clusters.get(workload.cluster_id)?.state;
      return [
        id,
        printOf(readings.guests.get(id)?.state),
        printOf(cluster),
        workload && [workload.node_name, workload.nftables, workload.tenant_id, workload.project_id],
        workload && [...workload.addresses].sort(),
      ];
    }),
  );
}

/** Hash of what was last read of everything that the change concerns, and of what the change leaves there. */
export function liveHash(board: Board, change: { policy: InputPolicy } & ImpactChange, found: BoardAfter): string {
  const ids = concernedBy(board, change);
  const after = ids.filter((id) => found.changed.has(id)).sort();
  return sha256([
    readingHash(found.before, ids),
    after.map((id) => [id, sha256(found.after.readings.guests.get(id)?.state ?? null)]),
    [...found.unreadable].sort(),
  ]);
}
