import { z } from 'zod';
import { AssignmentsInput, UserInput, UserListInput, UserUpdate } from '@/domain/user';
import { allowUserToken, listUserTokens, revokeUserToken } from '../../services/account/api-tokens';
import { setAssignments } from '../../services/administration/assignments';
import {
  createUser,
  deleteUser,
  explainUser,
  listUsers,
  readUser,
  updateUser,
} from '../../services/administration/users';
import { resetSecondFactor } from '../../services/second-factor/reset-second-factor';
import { listUserIdentities, unlinkIdentity } from '../../services/sign-in-provider/identities';
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });

export const usersRouter = router({
  list: procedure('user:read')
    .input(UserListInput)
    .query(({ ctx, input }) => listUsers(ctx.scope, input)),
  get: procedure('user:read')
    .input(byId)
    .query(({ ctx, input }) => readUser(ctx.scope, input.id)),
  access: procedure('user:read')
    .input(byId)
    .query(({ ctx, input }) => explainUser(ctx.scope, input.id)),
  tokens: procedure('user:read')
    .input(byId)
    .query(({ ctx, input }) => listUserTokens(ctx.scope, input.id)),
  revokeToken: procedure('user:write')
    .input(z.strictObject({ id: z.uuid(), token_id: z.uuid() }))
    .mutation(({ ctx, input }) => revokeUserToken(ctx.scope, input.id, input.token_id)),
  allowToken: procedure('user:write')
    .input(z.strictObject({ id: z.uuid(), token_id: z.uuid() }))
    .mutation(({ ctx, input }) => allowUserToken(ctx.scope, input.id, input.token_id)),
  identities: procedure('user:read')
    .input(byId)
    .query(({ ctx, input }) => listUserIdentities(ctx.scope, input.id)),
  unlinkIdentity: procedure('user:write')
    .input(z.strictObject({ id: z.uuid(), identity_id: z.uuid() }))
    .mutation(({ ctx, input }) => unlinkIdentity(ctx.scope, input.id, input.identity_id)),
  create: procedure('user:write')
    .input(UserInput)
    .mutation(({ ctx, input }) => createUser(ctx.scope, input)),
  update: procedure('user:write')
    .input(UserUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateUser(ctx.scope, id, changes)),
  setAssignments: procedure('user:write')
    .input(AssignmentsInput.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => setAssignments(ctx.scope, id, changes)),
  resetSecondFactor: procedure('user:write')
    .input(byId)
    .mutation(({ ctx, input }) => resetSecondFactor(ctx.scope, input.id)),
  delete: procedure('user:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteUser(ctx.scope, input.id)),
});
