import { groupBy } from '../../../lib/group-by';
import { readLive } from '../../guest-firewall/live-reader';
import type { Board } from './board';
import { readBoard } from './read-board';

/** The board after reading some guests now, whatever was read a moment ago. */
export async function readBoardAfresh(choose: (board: Board) => readonly string[]): Promise<Board> {
  const board = await readBoard();
  const subjects = choose(board).flatMap((id) => board.world.workloads.get(id) ?? []);
  const groups = groupBy(subjects, (workload) => workload.cluster_id);
  const fresh = await Promise.all(
    [...groups].map(
      async ([clusterId, list]) => [clusterId, await readLive(clusterId, list, { afresh: true })] as const,
    ),
  );
  const guests = new Map(board.readings.guests);
  const clusters = new Map(board.readings.clusters);
  for (const [clusterId, readings] of fresh) {
    clusters.set(clusterId, readings.cluster);
    for (const [id, reading] of readings.guests) guests.set(id, reading);
  }
  return board.with({ guests, clusters });
}
