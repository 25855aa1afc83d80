import type { ClusterCheckReport } from '@/domain/cluster';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

type Check = ClusterCheckReport['checks'][number];

const TITLES: Record<string, string> = {
  target: msg('Address allowed'),
  reachable: msg('Reachable'),
  tls: msg('Certificate'),
  sign_in: msg('Sign-in'),
  token: msg('Token permissions'),
  version: msg('Version'),
  quorum: msg('Quorum'),
  nodes: msg('Nodes'),
  guests: msg('Workloads'),
  firewall: msg('Cluster firewall'),
  clock: msg('Clock'),
};

/** The title of a line of the report, in English. Unknown names are shown as plain text. */
export function checkTitle(name: string): string {
  const [kind, rest] = name.split(/:(.*)/s);
  if (kind === 'privilege' && rest) return rest;
  return TITLES[name] ?? name.replaceAll('_', ' ').replace(/^./, (c) => c.toUpperCase());
}

export const CHECK_STATES: Record<Check['status'], { tone: Tone; word: string }> = {
  ok: { tone: 'ok', word: msg('OK') },
  warning: { tone: 'warn', word: msg('Warning') },
  failed: { tone: 'danger', word: msg('Failed') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
};

export const isPrivilege = (check: Check) => check.name.startsWith('privilege:');

/** Without these, everything can be viewed, and no policy applied. */
const WRITES = ['privilege:VM.Config.Network', 'privilege:VM.Config.Options'];

/** What the report comes to: whether a sync can work and policies can be applied, and in one sentence why not. */
export function checkSummary(
  t: Translate,
  report: ClusterCheckReport,
): { tone: 'ok' | 'warn' | 'danger'; text: string } {
  const count = (status: Check['status']) => report.checks.filter((check) => check.status === status).length;
  const failed = count('failed');
  const other = count('warning') + count('unknown');
  if (failed > 0)
    return { tone: 'danger', text: t('{n, plural, one {# check failed} other {# checks failed}}', { n: failed }) };
  if (report.checks.some(({ name, status }) => WRITES.includes(name) && status === 'warning'))
    return { tone: 'warn', text: t('Read-only: policies cannot be applied') };
  if (other > 0)
    return { tone: 'warn', text: t('{n, plural, one {# item to review} other {# items to review}}', { n: other }) };
  return { tone: 'ok', text: t('Everything a sync needs is working') };
}

/** The fingerprint that has to be confirmed before the connection can be trusted, or null when it is trusted. */
export function fingerprintToConfirm(report: ClusterCheckReport, pinned: string): string | null {
  const tls = report.checks.find((check) => check.name === 'tls');
  if (!report.fingerprint || !tls || tls.status === 'ok') return null;
  return report.fingerprint === pinned.trim().toUpperCase() ? null : report.fingerprint;
}
