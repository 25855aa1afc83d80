import { z } from 'zod';
import { AssignmentsInput, User, UserAccess, UserInput, UserListInput, UserPage, UserUpdate } from '@/domain/user';
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
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Administration';
const params = z.object({ user_id: z.uuid() });

const list = defineRoute({
  method: 'GET',
  path: '/users',
  summary: 'Users with their roles.',
  tag,
  access: { permission: 'user:read' },
  query: UserListInput,
  response: { status: 200, schema: UserPage },
  handler: ({ scope, query }) => listUsers(scope, query),
});

const create = defineRoute({
  method: 'POST',
  path: '/users',
  summary: 'Create a user.',
  tag,
  access: { permission: 'user:write' },
  body: UserInput,
  response: { status: 201, schema: User },
  handler: ({ scope, body }) => createUser(scope, body),
});

const read = defineRoute({
  method: 'GET',
  path: '/users/{user_id}',
  summary: 'One user.',
  tag,
  access: { permission: 'user:read' },
  params,
  response: { status: 200, schema: User },
  handler: ({ scope, params }) => readUser(scope, params.user_id),
});

const update = defineRoute({
  method: 'PATCH',
  path: '/users/{user_id}',
  summary: 'Change a user. If-Match or version guards against lost updates.',
  tag,
  access: { permission: 'user:write' },
  params,
  body: UserUpdate,
  response: { status: 200, schema: User },
  handler: ({ scope, params, body, request }) =>
    updateUser(scope, params.user_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/users/{user_id}',
  summary: 'Delete an account with its roles and sessions.',
  tag,
  access: { permission: 'user:write' },
  params,
  response: { status: 204 },
  handler: ({ scope, params }) => deleteUser(scope, params.user_id),
});

const assignments = defineRoute({
  method: 'PUT',
  path: '/users/{user_id}/assignments',
  summary: 'Give a user exactly these roles, platform-wide or for one tenant, for good or until a time.',
  tag,
  access: { permission: 'user:write' },
  params,
  body: AssignmentsInput,
  response: { status: 200, schema: User },
  handler: ({ scope, params, body, request }) =>
    setAssignments(scope, params.user_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

const access = defineRoute({
  method: 'GET',
  path: '/users/{user_id}/access',
  summary: 'What a user may do, permission by permission, and why or why not.',
  tag,
  access: { permission: 'user:read' },
  params,
  response: { status: 200, schema: UserAccess },
  handler: ({ scope, params }) => explainUser(scope, params.user_id),
});

const secondFactor = defineRoute({
  method: 'DELETE',
  path: '/users/{user_id}/second-factor',
  summary: 'Take away the second factor of a user who lost it; all their sign-ins end.',
  tag,
  access: { permission: 'user:write' },
  params,
  response: { status: 200, schema: User },
  handler: ({ scope, params }) => resetSecondFactor(scope, params.user_id),
});

export const userRoutes = [list, create, read, update, remove, assignments, access, secondFactor];
