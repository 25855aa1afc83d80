import { expect, test } from 'vitest';
import { type SecurityGroup, SecurityGroupInput, SecurityGroupUpdate } from '@/domain/security-group';
import { EMPTY_GROUP, toGroupInput, toGroupUpdate, toGroupValues } from './group-form-values';

const group: SecurityGroup = {
  id: '0190f3a0-0000-7000-8000-000000000001',
  tenant_id: null,
  tenant_name: null,
  project_id: null,
  project_name: null,
  name: 'web',
  description: 'Front ends',
  member_tags: ['dmz', 'web'],
  member_tags_match: 'all',
  members_total: 4,
  policies_total: 1,
  managed_by: null,
  version: 3,
  created_at: '2026-11-21T02:00:00.000Z',
  updated_at: '2026-11-21T02:00:00.000Z',
};

test('a group that was read can be saved unchanged, with its version', () => {
  const { name, description, member_tags, member_tags_match, version } = group;
  expect(SecurityGroupUpdate.parse(toGroupUpdate(toGroupValues(group), group))).toEqual({
    name,
    description,
    member_tags,
    member_tags_match,
    version,
  });
});

test('tags may be separated by commas, spaces or lines', () => {
  const values = { ...EMPTY_GROUP, name: 'web', member_tags: ' web,dmz ; prod\nblue ' };
  expect(SecurityGroupInput.parse(toGroupInput(values)).member_tags).toEqual(['blue', 'dmz', 'prod', 'web']);
});

test('an empty name and a bad tag are refused at their fields', () => {
  const issues = SecurityGroupInput.safeParse(toGroupInput({ ...EMPTY_GROUP, member_tags: 'a b#c' })).error?.issues;
  expect(issues?.map(({ path }) => path[0])).toEqual(['name', 'member_tags']);
});
