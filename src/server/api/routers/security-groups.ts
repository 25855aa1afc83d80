import { z } from 'zod';
import {
  MembershipChange,
  SecurityGroupInput,
  SecurityGroupListInput,
  SecurityGroupMemberListInput,
  SecurityGroupUpdate,
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
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });
const member = byId.extend({ workload_id: z.uuid() });

export const securityGroupsRouter = router({
  list: procedure('group:read')
    .input(SecurityGroupListInput)
    .query(({ ctx, input }) => listSecurityGroups(ctx.scope, input)),
  get: procedure('group:read')
    .input(byId)
    .query(({ ctx, input }) => readSecurityGroup(ctx.scope, input.id)),
  create: procedure('group:write')
    .input(SecurityGroupInput)
    .mutation(({ ctx, input }) => createSecurityGroup(ctx.scope, input)),
  update: procedure('group:write')
    .input(SecurityGroupUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateSecurityGroup(ctx.scope, id, changes)),
  delete: procedure('group:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteSecurityGroup(ctx.scope, input.id)),
  usage: procedure('group:read')
    .input(byId)
    .query(({ ctx, input }) => readGroupUsage(ctx.scope, input.id)),
  members: procedure('group:read')
    .input(SecurityGroupMemberListInput.extend({ id: z.uuid() }))
    .query(({ ctx, input: { id, ...query } }) => listMembers(ctx.scope, id, query)),
  addMember: procedure('group:write')
    .input(member)
    .mutation(({ ctx, input }) => addMember(ctx.scope, input.id, input.workload_id)),
  changeMembers: procedure('group:write')
    .input(byId.extend({ change: MembershipChange }))
    .mutation(({ ctx, input }) => changeMembers(ctx.scope, input.id, input.change)),
  removeMember: procedure('group:write')
    .input(member)
    .mutation(({ ctx, input }) => removeMember(ctx.scope, input.id, input.workload_id)),
});
