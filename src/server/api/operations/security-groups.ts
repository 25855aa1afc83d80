import { AsOf, asOf } from '@/domain/as-of';
import {
  MembershipChange,
  MembershipResult,
  SecurityGroup,
  SecurityGroupInput,
  SecurityGroupListInput,
  SecurityGroupMember,
  SecurityGroupMemberCreate,
  SecurityGroupMemberListInput,
  SecurityGroupMemberPage,
  SecurityGroupPage,
  SecurityGroupUpdate,
  SecurityGroupUsage,
} from '@/domain/security-group';
import { createSecurityGroup } from '../../enforcement/groups/create-group';
import {
  deleteSecurityGroup,
  readGroupUsage,
  readSecurityGroup,
  updateSecurityGroup,
} from '../../enforcement/groups/groups';
import { addMember, changeMembers, listMembers, removeMember } from '../../enforcement/groups/members';
import { releaseSecurityGroup } from '../../enforcement/managed/release';
import { listSecurityGroups } from '../../enforcement/queries/security-groups';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Security groups');
const BULK_BYTES = 512 * 1024;

export const securityGroupsRouter = router({
  list: query({
    rest: 'GET /security-groups',
    summary:
      'List security groups with the number of their members and of the policies that use them, now or as of a time.',
    access: { permission: 'group:read' },
    input: SecurityGroupListInput.extend(asOf),
    output: SecurityGroupPage,
    run: ({ scope, input }) => listSecurityGroups(scope.reach, input),
  }),
  create: mutation({
    rest: 'POST /security-groups',
    summary: 'Create a security group. Workloads with one of its member_tags are members automatically.',
    access: { permission: 'group:write' },
    input: SecurityGroupInput,
    output: SecurityGroup,
    status: 201,
    run: ({ scope, input }) => createSecurityGroup(scope, input),
  }),
  get: query({
    rest: 'GET /security-groups/{security_group_id}',
    summary: 'Get one security group, now or as of a time.',
    access: { permission: 'group:read' },
    input: AsOf,
    output: SecurityGroup,
    run: ({ scope, params }) => readSecurityGroup(scope, params.security_group_id),
  }),
  update: mutation({
    rest: 'PATCH /security-groups/{security_group_id}',
    summary: 'Update a security group. It cannot be renamed while policies refer to it by name.',
    access: { permission: 'group:write' },
    input: SecurityGroupUpdate,
    output: SecurityGroup,
    run: ({ scope, params, input }) => updateSecurityGroup(scope, params.security_group_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /security-groups/{security_group_id}',
    summary: 'Delete a security group. Returns 409 with used_by while policies use it.',
    access: { permission: 'group:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteSecurityGroup(scope, params.security_group_id, input.version),
  }),
  release: mutation({
    rest: 'POST /security-groups/{security_group_id}/release',
    summary:
      'Release a group that is managed as code, so that it can be edited. The next apply from its source manages it again.',
    access: { permission: 'group:write' },
    output: SecurityGroup,
    problems: ['conflict'],
    run: ({ scope, params }) => releaseSecurityGroup(scope, params.security_group_id),
  }),
  usage: query({
    rest: 'GET /security-groups/{security_group_id}/usage',
    summary: 'List the policies that use a security group.',
    access: { permission: 'group:read' },
    output: SecurityGroupUsage,
    run: ({ scope, params }) => readGroupUsage(scope, params.security_group_id),
  }),
  members: query({
    rest: 'GET /security-groups/{security_group_id}/members',
    summary: 'List the members of a security group, added manually and by tag, now or as of a time.',
    access: { permission: 'group:read' },
    input: SecurityGroupMemberListInput.extend(asOf),
    output: SecurityGroupMemberPage,
    run: ({ scope, params, input }) => listMembers(scope, params.security_group_id, input),
  }),
  addMember: mutation({
    rest: 'POST /security-groups/{security_group_id}/members',
    summary: 'Add a workload to a security group. Returns 409 if the workload was already added.',
    access: { permission: 'group:write' },
    input: SecurityGroupMemberCreate,
    output: SecurityGroupMember,
    status: 201,
    run: ({ scope, params, input }) => addMember(scope, params.security_group_id, input.workload_id),
  }),
  changeMembers: mutation({
    rest: 'PATCH /security-groups/{security_group_id}/members',
    summary: 'Add and remove many workloads: all or none.',
    access: { permission: 'group:write' },
    input: MembershipChange,
    output: MembershipResult,
    maxBodyBytes: BULK_BYTES,
    run: ({ scope, params, input }) => changeMembers(scope, params.security_group_id, input),
  }),
  removeMember: mutation({
    rest: 'DELETE /security-groups/{security_group_id}/members/{workload_id}',
    summary: 'Remove a workload that was added manually.',
    access: { permission: 'group:write' },
    run: ({ scope, params }) => removeMember(scope, params.security_group_id, params.workload_id),
  }),
});
