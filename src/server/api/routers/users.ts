import { z } from 'zod';
import { AssignmentsInput, UserInput, UserListInput, UserUpdate } from '@/domain/user';
import { setAssignments } from '../../services/administration/assignments';
import {
  createUser,
  deleteUser,
  explainUser,
  listUsers,
  readUser,
  updateUser,
} from '../../services/administration/users';
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
  create: procedure('user:write')
    .input(UserInput)
    .mutation(({ ctx, input }) => createUser(ctx.scope, input)),
  update: procedure('user:write')
    .input(UserUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateUser(ctx.scope, id, changes)),
  setAssignments: procedure('user:write')
    .input(AssignmentsInput.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => setAssignments(ctx.scope, id, changes)),
  delete: procedure('user:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteUser(ctx.scope, input.id)),
});
