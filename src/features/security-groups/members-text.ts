import { formatCount } from '@/lib/format';

/** What deleting a group takes from its members, as a sentence. */
export function membersText(members: number): string {
  if (members === 0) return 'It has no members.';
  return members === 1
    ? '1 workload loses this membership.'
    : `${formatCount(members)} workloads lose this membership.`;
}
