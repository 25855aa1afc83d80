import type { Drift } from '@/domain/change/drift';
import type { DriftKind } from '@/domain/change/drift-kinds';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

/** What happened, for the detail of one difference. */
export const KIND_TEXTS: Record<DriftKind, string> = {
  edited: msg('Someone edited a rule of the policy on the workload.'),
  deleted: msg('Someone deleted a rule of the policy on the workload.'),
  disabled: msg('Someone disabled a rule of the policy on the workload.'),
  reordered: msg('Someone changed the order of rules on the workload.'),
  duplicated: msg('A rule of the policy exists more than once on the workload.'),
  leftover: msg(
    'Rules of the policy are on the workload that were not applied there, for example from a restored backup.',
  ),
  shadowed: msg(
    'Rules that no policy manages are evaluated before rules of the policy, or after them, against the setting of the cluster.',
  ),
  set_changed: msg('Someone changed an IP set that rules of the policy refer to.'),
  switch_changed: msg('A firewall switch is off, so rules of the policy do not filter.'),
  default_changed: msg('Someone changed the default policy of the workload.'),
  marker_forged: msg('A rule has a marker of the policy that Fabric did not write.'),
  workload_moved: msg(
    'Rules of the policy were created for another workload and came with a clone, a backup or a migration.',
  ),
};

export const STATUS_STATES: Record<Drift['status'], { word: string; tone: Tone }> = {
  open: { word: msg('Open'), tone: 'warn' },
  accepted: { word: msg('Accepted'), tone: 'info' },
  resolved: { word: msg('Resolved'), tone: 'ok' },
};

const SUBJECTS: Readonly<Record<string, string>> = {
  Rule: msg('Rule'),
  Order: msg('Order'),
  Marker: msg('Marker'),
  'Unmanaged rules': msg('Unmanaged rules'),
  'Cluster firewall': msg('Cluster firewall'),
  'Guest firewall': msg('Guest firewall'),
  'Input policy': msg('Input policy'),
  'Output policy': msg('Output policy'),
};

/** What differs, as the service calls it, in the language of the page. */
export function formatSubject(t: Translate, subject: string): string {
  const [, kind, n] = /^(Rule|Workload) (\d+)$/.exec(subject) ?? [];
  if (kind === 'Rule') return t('Rule {n}', { n: n ?? '' });
  if (kind === 'Workload') return t('Workload {n}', { n: n ?? '' });
  const known = SUBJECTS[subject];
  return known ? t(known) : subject;
}
