import type { Change } from '@/domain/change/change';
import type { GuestResultStatus } from '@/domain/deployments';
import { groupBy } from '../../lib/group-by';
import type { WaveWorkload } from '../queries/change-waves';

/** Of several deployments of a workload, the one that is shown: the first of these. */
const WORST: readonly GuestResultStatus[] = ['failed', 'partial', 'running', 'queued', 'skipped', 'ok', 'unchanged'];
const UNFINISHED: readonly string[] = ['waiting', 'queued', 'running'];

const getOutcome = ({ statuses }: WaveWorkload): GuestResultStatus | 'waiting' =>
  WORST.find((status) => statuses.includes(status)) ?? 'waiting';

const pickTime = (times: readonly (string | null)[], isBetter: (a: string, b: string) => boolean): string | null =>
  times.reduce((best, one) => (one !== null && (best === null || isBetter(one, best)) ? one : best), null);

/** The waves of a change in their order, with what became of their workloads. */
export function summarizeWaves(rows: readonly WaveWorkload[]): Change['rollout'] {
  const byWave = groupBy(rows, ({ wave }) => wave);
  return [...byWave.values()].map((members) => {
    const outcomes = members.map(getOutcome);
    const workloads: Record<string, number> = {};
    for (const outcome of outcomes) workloads[outcome] = (workloads[outcome] ?? 0) + 1;
    const isFinished = outcomes.every((outcome) => !UNFINISHED.includes(outcome));
    return {
      kind: members[0]?.wave_kind ?? 'rest',
      workloads,
      workloads_total: members.length,
      started_at: pickTime(
        members.map(({ started_at }) => started_at),
        (a, b) => a < b,
      ),
      finished_at: isFinished
        ? pickTime(
            members.map(({ finished_at }) => finished_at),
            (a, b) => a > b,
          )
        : null,
    };
  });
}
