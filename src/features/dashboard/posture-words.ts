import type { SecurityPosture } from '@/domain/dashboard/security-posture';
import { formatCount } from '@/lib/format';
import type { Tone } from '@/ui/tone';

export const LEVEL_WORDS: Record<SecurityPosture['level'], { tone: Tone; word: string }> = {
  good: { tone: 'ok', word: 'Good' },
  fair: { tone: 'warn', word: 'Fair' },
  poor: { tone: 'danger', word: 'Poor' },
  unknown: { tone: 'unknown', word: 'Unknown' },
};

const counted = (list: readonly (readonly [number, string])[]): string =>
  list
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}`)
    .join(', ');

/** What is behind the share of guests that filter, in words. */
export function enforcementText(part: SecurityPosture['enforcement']): string {
  if (part.running === 0) return 'No workload runs.';
  const { enforced, unenforced, unknown, without_interface } = part;
  return counted([
    [enforced, 'filter on every interface'],
    [unenforced, 'do not'],
    [unknown, 'unknown'],
    [without_interface, 'without an interface'],
  ]);
}

export function policiesText(part: NonNullable<SecurityPosture['policies']>): string {
  if (part.judged === 0) return 'None in force';
  const trouble = counted([
    [part.unresolved, 'unresolved'],
    [part.stale, 'stale'],
    [part.partial, 'partial'],
  ]);
  return trouble ? `${trouble} of ${formatCount(part.judged)}` : `All ${formatCount(part.judged)} active`;
}

export function suspiciousText({ critical, high }: SecurityPosture['suspicious']): string {
  return (
    counted([
      [critical, 'critical'],
      [high, 'high'],
    ]) || 'Nothing critical or high'
  );
}

export function agentsText({ running, watched, silent, unwatched }: SecurityPosture['agents']): string {
  if (running === 0) return 'No workload runs.';
  const blind = counted([
    [silent, 'on nodes whose agent is silent'],
    [unwatched, 'on nodes without an agent'],
  ]);
  return blind ? `${formatCount(watched)} of ${formatCount(running)} workloads, ${blind}` : 'Every running workload';
}
