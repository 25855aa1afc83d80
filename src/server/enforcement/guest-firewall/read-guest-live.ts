import type { LiveState } from '@/domain/firewall/live-state';
import type { ClusterSnapshot } from '@/domain/firewall/snapshot';
import { isWithinReach, type Reach } from '@/domain/permissions';
import { notFound } from '../../lib/refusals';
import type { Board } from '../policies/board/board';
import { liveStateOf } from '../policies/board/guest-view';
import { readBoard } from '../policies/board/read-board';
import type { WorldWorkload } from '../queries/policy-world';
import { type LiveGuestReading, readLive } from './live-reader';
import { oldestReadAt } from './oldest-reading';

/** A guest read a moment ago, with the policies and inventory that belong to the moment. */
export type GuestLive = {
  readonly board: Board;
  readonly workload: WorldWorkload;
  readonly reading: LiveGuestReading;
  readonly cluster: ClusterSnapshot;
  readonly state: LiveState;
  /** Of the oldest reading that the state is made from. */
  readonly read_at: string;
};

/**
 * Reads one guest within reach now.
 * @throws AppError `not_found`, also for a workload out of reach
 */
export async function readGuestLive(reach: Reach, workloadId: string): Promise<GuestLive> {
  const board = await readBoard();
  const workload = board.world.workloads.get(workloadId);
  if (!workload || !isWithinReach(workload, reach)) {
    throw notFound('workload');
  }
  const readings = await readLive(workload.cluster_id, [workload]);
  const reading = readings.guests.get(workloadId);
  if (!reading) throw new Error('a guest that was asked for was not read');
  const cluster = readings.cluster.state;
  return {
    board,
    workload,
    reading,
    cluster,
    state: liveStateOf(workload, reading.state, cluster),
    read_at: oldestReadAt(reading, readings.cluster),
  };
}
