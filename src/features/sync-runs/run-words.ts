import type { SyncRun } from '@/domain/sync';
import { msg } from '@/lib/i18n/translator';

export const KIND_WORDS: Record<SyncRun['kind'], string> = {
  inventory: msg('Inventory sync'),
  ipam: msg('Address discovery'),
};

export const TRIGGER_WORDS: Record<SyncRun['trigger'], string> = {
  manual: msg('Manual'),
  auto: msg('Schedule'),
  setup: msg('Setup'),
};

/** The counters of all stages together. */
export function totalCounters(run: Pick<SyncRun, 'counters'>): SyncRun['counters'][string] {
  const total = { seen: 0, created: 0, changed: 0, removed: 0, skipped: 0, errors: 0 };
  for (const counters of Object.values(run.counters)) {
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counters[key];
  }
  return total;
}
