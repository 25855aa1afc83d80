import { ApiToken, ApiTokens } from '@/domain/account';
import { UserIdentities } from '@/domain/sign-in-provider';
import { AssignmentsInput, User, UserAccess, UserInput, UserListInput, UserPage, UserUpdate } from '@/domain/user';
import { listUserTokens, reactivateUserToken, revokeUserToken } from '../../access/account/api-tokens';
import { resetSecondFactor } from '../../access/account/second-factor';
import { listUserIdentities, unlinkIdentity } from '../../access/provider/accounts';
import { listUsers } from '../../access/queries/user-list';
import { setAssignments } from '../../access/users/assignments';
import { createUser, deleteUser, explainUser, readUser, updateUser } from '../../access/users/users';
import { clock } from '../../lib/clock';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Administration');

export const usersRouter = router({
  tokens: query({
    rest: 'GET /users/{user_id}/tokens',
    summary: 'List the API tokens of a user.',
    access: { permission: 'user:read' },
    output: ApiTokens,
    run: ({ scope, params }) => listUserTokens(scope, params.user_id),
  }),
  allowToken: mutation({
    rest: 'POST /users/{user_id}/tokens/{token_id}/allow',
    summary: 'Resume an API token that was suspended when its owner was deactivated.',
    access: { permission: 'user:write' },
    output: ApiToken,
    problems: ['conflict'],
    run: ({ scope, params }) => reactivateUserToken(scope, params.user_id, params.token_id),
  }),
  revokeToken: mutation({
    rest: 'DELETE /users/{user_id}/tokens/{token_id}',
    summary: 'Revoke an API token of a user. It stops working immediately.',
    access: { permission: 'user:write' },
    run: ({ scope, params }) => revokeUserToken(scope, params.user_id, params.token_id),
  }),
  identities: query({
    rest: 'GET /users/{user_id}/identities',
    summary: 'List the accounts at sign-in providers that are linked to a user.',
    access: { permission: 'user:read' },
    output: UserIdentities,
    run: ({ scope, params }) => listUserIdentities(scope, params.user_id),
  }),
  unlinkIdentity: mutation({
    rest: 'DELETE /users/{user_id}/identities/{identity_id}',
    summary: 'Unlink a user from an account at a sign-in provider. Ends all their sessions.',
    access: { permission: 'user:write' },
    run: ({ scope, params }) => unlinkIdentity(scope, params.user_id, params.identity_id),
  }),
  list: query({
    rest: 'GET /users',
    summary: 'List users with their roles.',
    access: { permission: 'user:read' },
    input: UserListInput,
    output: UserPage,
    run: ({ input }) => listUsers(input, clock.now().toISOString()),
  }),
  create: mutation({
    rest: 'POST /users',
    summary: 'Create a user.',
    access: { permission: 'user:write' },
    input: UserInput,
    output: User,
    status: 201,
    run: ({ scope, input }) => createUser(scope, input),
  }),
  get: query({
    rest: 'GET /users/{user_id}',
    summary: 'Get one user.',
    access: { permission: 'user:read' },
    output: User,
    run: ({ scope, params }) => readUser(scope, params.user_id),
  }),
  update: mutation({
    rest: 'PATCH /users/{user_id}',
    summary: 'Update a user. If-Match or version prevents lost updates.',
    access: { permission: 'user:write' },
    input: UserUpdate,
    output: User,
    run: ({ scope, params, input }) => updateUser(scope, params.user_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /users/{user_id}',
    summary: 'Delete an account with its roles and sessions.',
    access: { permission: 'user:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteUser(scope, params.user_id, input.version),
  }),
  setAssignments: mutation({
    rest: 'PUT /users/{user_id}/assignments',
    summary: 'Replace the roles of a user, for the installation, a tenant or a project, permanently or until a time.',
    access: { permission: 'user:write' },
    input: AssignmentsInput,
    output: User,
    run: ({ scope, params, input }) => setAssignments(scope, params.user_id, input),
  }),
  access: query({
    rest: 'GET /users/{user_id}/access',
    summary: 'List the permissions of a user, with the reason why each is held or not.',
    access: { permission: 'user:read' },
    output: UserAccess,
    run: ({ scope, params }) => explainUser(scope, params.user_id),
  }),
  resetSecondFactor: mutation({
    rest: 'DELETE /users/{user_id}/second-factor',
    summary: 'Remove the second factor of a user who lost it. Ends all their sessions.',
    access: { permission: 'user:write' },
    output: User,
    run: ({ scope, params }) => resetSecondFactor(scope, params.user_id),
  }),
});
