import type { ClusterCheckReport } from '@/domain/cluster';
import type { Tone } from '@/ui/tone';

type Check = ClusterCheckReport['checks'][number];

const TITLES: Record<string, string> = {
  target: 'Address allowed',
  reachable: 'Reachable',
  tls: 'Certificate',
  sign_in: 'Sign-in',
  token: 'Token permissions',
  version: 'Version',
  quorum: 'Quorum',
  nodes: 'Nodes',
  guests: 'Guests',
  firewall: 'Cluster firewall',
  clock: 'Clock',
};

/** The title of a line of the report. Names the interface does not know are shown as they are, in words. */
export function checkTitle(name: string): string {
  const [kind, rest] = name.split(/:(.*)/s);
  if (kind === 'privilege' && rest) return rest;
  return TITLES[name] ?? name.replaceAll('_', ' ').replace(/^./, (c) => c.toUpperCase());
}

export const CHECK_STATES: Record<Check['status'], { tone: Tone; word: string }> = {
  ok: { tone: 'ok', word: 'OK' },
  warning: { tone: 'warn', word: 'Warning' },
  failed: { tone: 'danger', word: 'Failed' },
  unknown: { tone: 'unknown', word: 'Unknown' },
};

export const isPrivilege = (check: Check) => check.name.startsWith('privilege:');

/** What the report comes to: whether a sync can work, and in one sentence why not. */
export function checkSummary(report: ClusterCheckReport): { tone: 'ok' | 'warn' | 'danger'; text: string } {
  const count = (status: Check['status']) => report.checks.filter((check) => check.status === status).length;
  const failed = count('failed');
  const other = count('warning') + count('unknown');
  if (failed > 0) return { tone: 'danger', text: failed === 1 ? '1 check failed' : `${failed} checks failed` };
  if (other > 0) return { tone: 'warn', text: other === 1 ? '1 point to look at' : `${other} points to look at` };
  return { tone: 'ok', text: 'Everything that a sync needs works' };
}

/** The fingerprint that has to be confirmed before the connection can be trusted, or null when it is trusted. */
export function fingerprintToConfirm(report: ClusterCheckReport, pinned: string): string | null {
  const tls = report.checks.find((check) => check.name === 'tls');
  if (!report.fingerprint || !tls || tls.status === 'ok') return null;
  return report.fingerprint === pinned.trim().toUpperCase() ? null : report.fingerprint;
}
