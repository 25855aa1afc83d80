import type { SecurityGroupRow } from '../queries/security-groups';

/** What the audit trail keeps of a group. */
export function auditedGroup(
  group: Pick<SecurityGroupRow, 'project_id' | 'name' | 'description' | 'member_tags' | 'member_tags_match'>,
): Record<string, unknown> {
  const { project_id, name, description, member_tags, member_tags_match } = group;
  return { project_id, name, description, member_tags, member_tags_match };
}
