import { readPast } from '../../../db/as-of';
import { db } from '../../../db/client';
import { listReplacedReadings, type ReplacedReading } from '../../queries/firewall-snapshots';
import type { FirewallState } from './firewall-state';
import { readFirewallState } from './read-firewall-state';

/** Why it is not known what was live: two readings around that time differ, or there was none yet. */
export type UnknownReading = ({ reason: 'between' } & ReplacedReading) | { reason: 'not_read' };

export type PastFirewall = {
  /** Policies, groups, workloads with their owners and addresses, and the readings, of then. */
  readonly firewall: FirewallState;
  /** Workloads and clusters without a reading in `firewall`, by ID; what depends on them is unknown. */
  readonly unknown: ReadonlyMap<string, UnknownReading>;
};

/** Of which workloads and clusters it is not known what was live. Inside `readPast`. */
export async function listUnknownReadings(
  at: string,
  { inputs, snapshots }: Pick<FirewallState, 'inputs' | 'snapshots'>,
): Promise<Map<string, UnknownReading>> {
  const replaced = await listReplacedReadings(db, at);
  const unread = [
    ...[...inputs.workloads.keys()].filter((id) => !snapshots.guests.has(id)),
    ...[...inputs.clusters.keys()].filter((id) => !snapshots.clusters.has(id)),
  ];
  return new Map(
    unread.map((id) => {
      const times = replaced.get(id);
      return [id, times ? { reason: 'between', ...times } : { reason: 'not_read' }];
    }),
  );
}

/**
 * Everything that verdicts are evaluated from, as it was at a time, in the form of now. Who uses it has to show only what was
 * visible to the reader then: `firewall.inputs.workloads` has the owners of then.
 * @throws AppError `malformed` for a time in the future, or before history began; then with `earliest`
 */
export function readPastFirewall(at: string): Promise<PastFirewall> {
  return readPast(at, async () => {
    const firewall = await readFirewallState();
    return { firewall, unknown: await listUnknownReadings(at, firewall) };
  });
}
