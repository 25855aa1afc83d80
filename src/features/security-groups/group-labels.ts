import type { SecurityGroup, SecurityGroupMember } from '@/domain/security-group';
import { msg, type Translate } from '@/lib/i18n/translator';

/** `any of web, dmz` or `web`: which tags make a member; null when only hand-picked workloads are members. */
export function tagRuleText(
  t: Translate,
  group: Pick<SecurityGroup, 'member_tags' | 'member_tags_match'>,
): string | null {
  const { member_tags: tags, member_tags_match: match } = group;
  if (tags.length === 0) return null;
  if (tags.length === 1) return tags[0] ?? null;
  return t(match === 'any' ? 'any of {tags}' : 'all of {tags}', { tags: tags.join(', ') });
}

/** What deleting a group takes from its members, as a sentence. */
export function membersText(t: Translate, members: number): string {
  if (members === 0) return t('The group has no members.');
  return t('{n, plural, one {# workload loses this membership.} other {# workloads lose this membership.}}', {
    n: members,
  });
}

/** How a workload became a member. */
export const SOURCE_LABELS: Record<SecurityGroupMember['source'], string> = { manual: msg('Manual'), tag: msg('Tag') };
