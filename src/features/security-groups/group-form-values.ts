import type { TAG_MATCHES } from '@/domain/choices';
import { splitList } from '@/domain/net/port-range';
import type { SecurityGroup, SecurityGroupInput } from '@/domain/security-group';
import { toProjectId, WHOLE_TENANT } from '../shared/project-options';
import { toTenantId } from '../shared/tenant-options';

/** The form of a group; tags are typed as one text, separated by commas or spaces. */
export type GroupValues = {
  name: string;
  description: string;
  member_tags: string;
  member_tags_match: (typeof TAG_MATCHES)[number];
  /** Null while there is nothing to choose. */
  tenant_id: string | null;
  /** `WHOLE_TENANT` or a project; null while there is nothing to choose. */
  project_id: string | null;
};

export const EMPTY_GROUP: GroupValues = {
  name: '',
  description: '',
  member_tags: '',
  member_tags_match: 'any',
  tenant_id: null,
  project_id: null,
};

export function toGroupValues(group: SecurityGroup): GroupValues {
  const { name, description, member_tags, member_tags_match } = group;
  const project_id = group.tenant_id === null ? null : (group.project_id ?? WHOLE_TENANT);
  return { name, description, member_tags: member_tags.join(', '), member_tags_match, tenant_id: null, project_id };
}

type Fields = Pick<SecurityGroupInput, 'name' | 'description' | 'member_tags' | 'member_tags_match'>;

const toFields = ({ name, description, member_tags, member_tags_match }: GroupValues): Fields => ({
  name,
  description,
  member_tags: splitList(member_tags),
  member_tags_match,
});

/** What creates a group. */
export const toGroupInput = (
  values: GroupValues,
): Fields & { tenant_id?: string | null; project_id?: string | null } => ({
  ...toFields(values),
  ...toTenantId(values.tenant_id),
  ...toProjectId(values.project_id),
});

/** What changes a group, with the version it was read at. */
export const toGroupUpdate = (
  values: GroupValues,
  { version }: Pick<SecurityGroup, 'version'>,
): Fields & { version: number; project_id?: string | null } => ({
  ...toFields(values),
  ...toProjectId(values.project_id),
  version,
});
