import { msg, type Translate } from '@/lib/i18n/translator';

const TITLES: Record<string, string> = {
  'cluster.sync': msg('Cluster sync'),
  'sync.schedule': msg('Sync schedule'),
  'ipam.discover': msg('Address discovery'),
  'ipam.schedule': msg('Discovery schedule'),
  'ipam.import': msg('Address import'),
  'directory.check': msg('Directory account check'),
  'maintenance.prune': msg('Expired data cleanup'),
  'telemetry.retain': msg('Flow retention'),
  'traffic.sum': msg('Traffic rollup'),
  'flows.resolve': msg('Flow endpoint resolution'),
  'agents.watch': msg('Agent monitoring'),
  'coverage.count': msg('Rule hit counting'),
  'hygiene.check': msg('Rule hygiene check'),
};

/** `policy.apply` -> "Policy: apply". Later jobs need no entry here. */
export function jobTitle(t: Translate, name: string): string {
  const known = TITLES[name];
  if (known) return t(known);
  const text = name.replace('.', ': ').replaceAll('_', ' ');
  return text.replace(/^./, (first) => first.toUpperCase());
}

/** `every 5 min`; null for a job that only runs when something asks for it. */
export function intervalText(t: Translate, seconds: number | null): string | null {
  if (seconds === null) return null;
  if (seconds % 3600 === 0) return seconds === 3600 ? t('every hour') : t('every {n} h', { n: seconds / 3600 });
  if (seconds % 60 === 0) return seconds === 60 ? t('every minute') : t('every {n} min', { n: seconds / 60 });
  return t('every {n} s', { n: seconds });
}
