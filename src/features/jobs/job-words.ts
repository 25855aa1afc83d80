const TITLES: Record<string, string> = {
  'cluster.sync': 'Cluster sync',
  'sync.schedule': 'Schedule of syncs',
  'ipam.discover': 'Address discovery',
  'ipam.schedule': 'Schedule of discoveries',
  'ipam.import': 'Import of addresses',
  'maintenance.prune': 'Removal of what has expired',
  'telemetry.retain': 'Flow retention',
  'traffic.sum': 'Sums of traffic',
  'agents.watch': 'Watch over agents',
  'coverage.count': 'Count of rule hits',
};

/** `policy.apply` -> "Policy: apply". Later jobs need no entry here. */
export function jobTitle(name: string): string {
  const known = TITLES[name];
  if (known) return known;
  const text = name.replace('.', ': ').replaceAll('_', ' ');
  return text.replace(/^./, (first) => first.toUpperCase());
}

/** `every 5 min`; null for a job that only runs when something asks for it. */
export function everyText(seconds: number | null): string | null {
  if (seconds === null) return null;
  if (seconds % 3600 === 0) return seconds === 3600 ? 'every hour' : `every ${seconds / 3600} h`;
  if (seconds % 60 === 0) return seconds === 60 ? 'every minute' : `every ${seconds / 60} min`;
  return `every ${seconds} s`;
}
