import type { SecurityPosture } from '@/domain/dashboard/security-posture';
import type { SensitiveService, Severity } from '@/domain/dashboard/sensitive-ports';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';
import { evaluateMonitoring, type Monitored, type Monitoring } from './monitoring';

export const LEVEL_LABELS: Record<SecurityPosture['level'], { tone: Tone; word: string }> = {
  good: { tone: 'ok', word: msg('Good') },
  fair: { tone: 'warn', word: msg('Fair') },
  poor: { tone: 'danger', word: msg('Poor') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
};

const formatCounts = (t: Translate, list: readonly (readonly [number, string])[]): string =>
  list
    .filter(([n]) => n > 0)
    .map(([n, text]) => t(text, { n }))
    .join(', ');

/** What is behind the share of workloads that deny by default, as text. */
export function enforcementText(t: Translate, part: SecurityPosture['enforcement']): string {
  if (part.running === 0) return t('No running workloads.');
  const { protection, without_interface } = part;
  return formatCounts(t, [
    [protection.default_deny, msg('{n, number} deny by default')],
    [protection.rules_default_accept, msg('{n, number} accept by default')],
    [protection.no_rules, msg('{n, number} without rules')],
    [protection.off, msg('{n, number} off')],
    [protection.unknown, msg('{n, number} unknown')],
    [without_interface, msg('{n, number} without an interface')],
  ]);
}

export function policiesText(t: Translate, part: NonNullable<SecurityPosture['policies']>): string {
  if (part.judged === 0) return t('None enforced');
  const trouble = formatCounts(t, [
    [part.unresolved, msg('{n, number} unresolved')],
    [part.stale, msg('{n, number} drifted')],
    [part.partial, msg('{n, number} partial')],
  ]);
  return trouble
    ? t('{trouble} of {n, number} applied', { trouble, n: part.judged })
    : t('All {n, number} in sync', { n: part.judged });
}

const NOTHING_FOUND: Record<Monitoring, string> = {
  full: msg('No critical or high findings'),
  partial: msg('No critical or high findings seen'),
  silent: msg('Unknown: agents are stale'),
  none: msg('Not monitored'),
  unknown: msg('Unknown: no heartbeats for this time range'),
  nothing_runs: msg('No running workloads.'),
};

/** The suspicious traffic that was seen; if none was, whether traffic was monitored. */
export function suspiciousText(
  t: Translate,
  security: Monitored & { security_posture: Pick<SecurityPosture, 'suspicious'> },
): string {
  const { critical, high } = security.security_posture.suspicious;
  return (
    formatCounts(t, [
      [critical, SEVERITY_COUNTS.critical],
      [high, SEVERITY_COUNTS.high],
    ]) || t(NOTHING_FOUND[evaluateMonitoring(security)])
  );
}

export function agentsText(t: Translate, { running, watched, silent, unwatched }: SecurityPosture['agents']): string {
  if (running === 0) return t('No running workloads.');
  const blind = formatCounts(t, [
    [silent, msg('{n, number} on nodes with a stale agent')],
    [unwatched, msg('{n, number} on nodes without an agent')],
  ]);
  return blind
    ? t('{watched, number} of {running, number} workloads, {blind}', { watched, running, blind })
    : t('All running workloads');
}

export const SEVERITY_LABELS: Record<Severity, { tone: Tone; word: string; meaning: string }> = {
  critical: {
    tone: 'danger',
    word: msg('Critical'),
    meaning: msg('Reached file shares, remote desktops or databases'),
  },
  high: { tone: 'warn', word: msg('High'), meaning: msg('Reached SSH or VNC') },
  medium: { tone: 'info', word: msg('Medium'), meaning: msg('Would be denied in audit mode, or unknown') },
  low: { tone: 'neutral', word: msg('Low'), meaning: msg('Denied') },
};

/** How many there are of each. */
export const SEVERITY_COUNTS: Record<Severity, string> = {
  critical: msg('{n, number} critical'),
  high: msg('{n, number} high'),
  medium: msg('{n, number} medium'),
  low: msg('{n, number} low'),
};

export const SERVICE_LABELS: Record<SensitiveService, string> = {
  ssh: 'SSH',
  smb: 'SMB',
  rdp: 'RDP',
  vnc: 'VNC',
  mysql: 'MySQL',
  postgresql: 'PostgreSQL',
  redis: msg('Redis'),
};
