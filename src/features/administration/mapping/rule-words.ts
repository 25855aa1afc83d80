import type { MappingSource } from '@/domain/mapping-rule';

export const SOURCE_LABELS: Record<MappingSource, string> = { pool: 'Pool', tag: 'Tag' };

/** `Pool production`, as a rule is called in a sentence. */
export function ruleName({ source, value }: { source: MappingSource; value: string }): string {
  return `${SOURCE_LABELS[source]} ${value}`;
}

/** `1 workload`, `12 workloads`. */
export function workloadsText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'workload' : 'workloads'}`;
}

/** Why a rule does not decide on all that it matches; null when it does. */
export function leftOutText({ kept_by_hand, overruled }: { kept_by_hand: number; overruled: number }): string | null {
  const parts = [
    kept_by_hand > 0 ? `${workloadsText(kept_by_hand)} assigned by hand` : null,
    overruled > 0 ? `${workloadsText(overruled)} decided by a rule that goes before` : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? `Left alone: ${parts.join(', ')}.` : null;
}
