import type { Translate } from '@/lib/i18n/translator';

/** What deleting a group takes from its members, as a sentence. */
export function membersText(t: Translate, members: number): string {
  if (members === 0) return t('It has no members.');
  return t('{n, plural, one {# workload loses this membership.} other {# workloads lose this membership.}}', {
    n: members,
  });
}
