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
import {
  createSecurityGroup,
  deleteSecurityGroup,
  readGroupUsage,
  readSecurityGroup,
  updateSecurityGroup,
} from '../../enforcement/groups/groups';
import { addMember, changeMembers, listMembers, removeMember } from '../../enforcement/groups/members';
import { listSecurityGroups } from '../../enforcement/queries/security-groups';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Security groups');
const BULK_BYTES = 512 * 1024;

export const securityGroupsRouter = router({
  list: query({
    rest: 'GET /security-groups',
    summary: 'Security groups with the number of their members and of the policies that name them.',
    access: { permission: 'group:read' },
    input: SecurityGroupListInput,
    output: SecurityGroupPage,
    run: ({ scope, input }) => listSecurityGroups(scope.reach, input),
  }),
  create: mutation({
    rest: 'POST /security-groups',
    summary: 'Add a security group. Workloads with its member_tags are members by themselves.',
    access: { permission: 'group:write' },
    input: SecurityGroupInput,
    output: SecurityGroup,
    status: 201,
    run: ({ scope, input }) => createSecurityGroup(scope, input),
  }),
  get: query({
    rest: 'GET /security-groups/{security_group_id}',
    summary: 'One security group.',
    access: { permission: 'group:read' },
    output: SecurityGroup,
    run: ({ scope, params }) => readSecurityGroup(scope, params.security_group_id),
  }),
  update: mutation({
    rest: 'PATCH /security-groups/{security_group_id}',
    summary: 'Change a security group. It keeps its name while policies name it by that.',
    access: { permission: 'group:write' },
    input: SecurityGroupUpdate,
    output: SecurityGroup,
    run: ({ scope, params, input }) => updateSecurityGroup(scope, params.security_group_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /security-groups/{security_group_id}',
    summary: 'Delete a security group. 409 with used_by while policies name it.',
    access: { permission: 'group:write' },
    run: ({ scope, params }) => deleteSecurityGroup(scope, params.security_group_id),
  }),
  usage: query({
    rest: 'GET /security-groups/{security_group_id}/usage',
    summary: 'The policies that name a security group.',
    access: { permission: 'group:read' },
    output: SecurityGroupUsage,
    run: ({ scope, params }) => readGroupUsage(scope, params.security_group_id),
  }),
  members: query({
    rest: 'GET /security-groups/{security_group_id}/members',
    summary: 'The members of a security group: those added by hand and those by tag.',
    access: { permission: 'group:read' },
    input: SecurityGroupMemberListInput,
    output: SecurityGroupMemberPage,
    run: ({ scope, params, input }) => listMembers(scope, params.security_group_id, input),
  }),
  addMember: mutation({
    rest: 'POST /security-groups/{security_group_id}/members',
    summary: 'Add a workload to a security group. 409 when it was added before.',
    access: { permission: 'group:write' },
    input: SecurityGroupMemberCreate,
    output: SecurityGroupMember,
    status: 201,
    run: ({ scope, params, input }) => addMember(scope, params.security_group_id, input.workload_id),
  }),
  changeMembers: mutation({
    rest: 'PATCH /security-groups/{security_group_id}/members',
    summary: 'Add and remove many workloads at once; all of it or nothing.',
    access: { permission: 'group:write' },
    input: MembershipChange,
    output: MembershipResult,
    maxBodyBytes: BULK_BYTES,
    run: ({ scope, params, input }) => changeMembers(scope, params.security_group_id, input),
  }),
  removeMember: mutation({
    rest: 'DELETE /security-groups/{security_group_id}/members/{workload_id}',
    summary: 'Remove a workload that was added by hand.',
    access: { permission: 'group:write' },
    run: ({ scope, params }) => removeMember(scope, params.security_group_id, params.workload_id),
  }),
});
