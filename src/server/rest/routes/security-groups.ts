import { z } from 'zod';
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
import { addMember } from '../../services/security-groups/add-member';
import { changeMembers } from '../../services/security-groups/change-members';
import { createSecurityGroup } from '../../services/security-groups/create-security-group';
import { deleteSecurityGroup } from '../../services/security-groups/delete-security-group';
import { listMembers } from '../../services/security-groups/list-members';
import { listSecurityGroups } from '../../services/security-groups/list-security-groups';
import { readGroupUsage } from '../../services/security-groups/read-group-usage';
import { readSecurityGroup } from '../../services/security-groups/read-security-group';
import { removeMember } from '../../services/security-groups/remove-member';
import { updateSecurityGroup } from '../../services/security-groups/update-security-group';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Security groups';
const params = z.object({ security_group_id: z.uuid() });
const BULK_BYTES = 512 * 1024;

const list = defineRoute({
  method: 'GET',
  path: '/security-groups',
  summary: 'Security groups with the number of their members and of the policies that name them.',
  tag,
  access: { permission: 'group:read' },
  query: SecurityGroupListInput,
  response: { status: 200, schema: SecurityGroupPage },
  handler: ({ scope, query }) => listSecurityGroups(scope, query),
});

const create = defineRoute({
  method: 'POST',
  path: '/security-groups',
  summary: 'Add a security group. Workloads with its member_tags are members by themselves.',
  tag,
  access: { permission: 'group:write' },
  body: SecurityGroupInput,
  response: { status: 201, schema: SecurityGroup },
  handler: ({ scope, body }) => createSecurityGroup(scope, body),
});

const read = defineRoute({
  method: 'GET',
  path: '/security-groups/{security_group_id}',
  summary: 'One security group.',
  tag,
  access: { permission: 'group:read' },
  params,
  response: { status: 200, schema: SecurityGroup },
  handler: ({ scope, params }) => readSecurityGroup(scope, params.security_group_id),
});

const update = defineRoute({
  method: 'PATCH',
  path: '/security-groups/{security_group_id}',
  summary: 'Change a security group. It keeps its name while policies name it by that.',
  tag,
  access: { permission: 'group:write' },
  params,
  body: SecurityGroupUpdate,
  response: { status: 200, schema: SecurityGroup },
  handler: ({ scope, params, body, request }) =>
    updateSecurityGroup(scope, params.security_group_id, {
      ...body,
      version: body.version ?? ifMatchVersion(request),
    }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/security-groups/{security_group_id}',
  summary: 'Delete a security group. 409 with used_by while policies name it.',
  tag,
  access: { permission: 'group:write' },
  params,
  response: { status: 204 },
  handler: ({ scope, params }) => deleteSecurityGroup(scope, params.security_group_id),
});

const usage = defineRoute({
  method: 'GET',
  path: '/security-groups/{security_group_id}/usage',
  summary: 'The policies that name a security group.',
  tag,
  access: { permission: 'group:read' },
  params,
  response: { status: 200, schema: SecurityGroupUsage },
  handler: ({ scope, params }) => readGroupUsage(scope, params.security_group_id),
});

const members = defineRoute({
  method: 'GET',
  path: '/security-groups/{security_group_id}/members',
  summary: 'The members of a security group: those added by hand and those by tag.',
  tag,
  access: { permission: 'group:read' },
  params,
  query: SecurityGroupMemberListInput,
  response: { status: 200, schema: SecurityGroupMemberPage },
  handler: ({ scope, params, query }) => listMembers(scope, params.security_group_id, query),
});

const addOne = defineRoute({
  method: 'POST',
  path: '/security-groups/{security_group_id}/members',
  summary: 'Add a workload to a security group. 409 when it was added before.',
  tag,
  access: { permission: 'group:write' },
  params,
  body: SecurityGroupMemberCreate,
  response: { status: 201, schema: SecurityGroupMember },
  handler: ({ scope, params, body }) => addMember(scope, params.security_group_id, body.workload_id),
});

const changeMany = defineRoute({
  method: 'PATCH',
  path: '/security-groups/{security_group_id}/members',
  summary: 'Add and remove many workloads at once; all of it or nothing.',
  tag,
  access: { permission: 'group:write' },
  params,
  body: MembershipChange,
  maxBodyBytes: BULK_BYTES,
  response: { status: 200, schema: MembershipResult },
  handler: ({ scope, params, body }) => changeMembers(scope, params.security_group_id, body),
});

const removeOne = defineRoute({
  method: 'DELETE',
  path: '/security-groups/{security_group_id}/members/{workload_id}',
  summary: 'Remove a workload that was added by hand.',
  tag,
  access: { permission: 'group:write' },
  params: params.extend({ workload_id: z.uuid() }),
  response: { status: 204 },
  handler: ({ scope, params }) => removeMember(scope, params.security_group_id, params.workload_id),
});

export const securityGroupRoutes = [list, create, read, update, remove, usage, members, addOne, changeMany, removeOne];
