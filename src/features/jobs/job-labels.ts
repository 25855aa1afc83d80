import { msg, type Translate } from '@/lib/i18n/translator';

const TITLES: Record<string, string> = {
  'cluster.sync': msg('Cluster sync'),
  'sync.schedule': msg('Schedule of syncs'),
  'ipam.discover': msg('Address discovery'),
  'ipam.schedule': msg('Schedule of discoveries'),
  'ipam.import': msg('Import of addresses'),
  'maintenance.prune': msg('Removal of what has expired'),
  'telemetry.retain': msg('Flow retention'),
  'traffic.sum': msg('Sums of traffic'),
  'flows.resolve': msg('Ends of flows'),
  'agents.watch': msg('Watch over agents'),
  'coverage.count': msg('Count of rule hits'),
};

/** `policy.apply` -> "Policy: apply". Later jobs need no entry here. */
export function jobTitle(t: Translate, name: string): string {
  const known = TITLES[name];
  if (known) return t(known);
  const text = name.replace('.', ': ').replaceAll('_', ' ');
  return text.replace(/^./, (first) => first.toUpperCase());
}

/** `every 5 min`; null for a job that only runs when something asks for it. */
export function everyText(t: Translate, seconds: number | null): string | null {
  if (seconds === null) return null;
  if (seconds % 3600 === 0) return seconds === 3600 ? t('every hour') : t('every {n} h', { n: seconds / 3600 });
  if (seconds % 60 === 0) return seconds === 60 ? t('every minute') : t('every {n} min', { n: seconds / 60 });
  return t('every {n} s', { n: seconds });
}
