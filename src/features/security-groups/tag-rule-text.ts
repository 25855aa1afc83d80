import type { SecurityGroup } from '@/domain/security-group';

/** `any of web, dmz` or `web`: which tags make a member; null when only hand-picked workloads are members. */
export function tagRuleText(group: Pick<SecurityGroup, 'member_tags' | 'member_tags_match'>): string | null {
  const { member_tags: tags, member_tags_match: match } = group;
  if (tags.length === 0) return null;
  return tags.length === 1 ? (tags[0] ?? null) : `${match} of ${tags.join(', ')}`;
}
