import { z } from 'zod';
import {
  AccountSessions,
  ApiTokenInput,
  ApiTokens,
  CreatedApiToken,
  EndedSessions,
  PasswordChange,
} from '@/domain/account';
import {
  createOwnToken,
  listOwnTokens,
  listUserTokens,
  revokeOwnToken,
  revokeUserToken,
} from '../../services/account/api-tokens';
import { changePassword } from '../../services/account/change-password';
import { endOtherSessions, endSession, listSessions } from '../../services/account/sessions';
import { defineRoute } from '../define-route';

const tag = 'Account';
const access = { person: "The caller's own account, and nobody else's." } as const;

export const accountRoutes = [
  defineRoute({
    method: 'POST',
    path: '/account/password',
    summary: 'Change your own password. All your other sign-ins end.',
    tag,
    access,
    body: PasswordChange,
    response: { status: 200, schema: EndedSessions },
    handler: ({ session, body }) => changePassword(session, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/account/sessions',
    summary: 'Your own sign-ins that are not over, the one used last first.',
    tag,
    access,
    response: { status: 200, schema: AccountSessions },
    handler: ({ session }) => listSessions(session),
  }),
  defineRoute({
    method: 'POST',
    path: '/account/sessions/end-others',
    summary: 'End all of your sign-ins but this one.',
    tag,
    access,
    response: { status: 200, schema: EndedSessions },
    handler: ({ session }) => endOtherSessions(session),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/account/sessions/{session_id}',
    summary: 'End one of your sign-ins; its tokens stop working at once.',
    tag,
    access,
    params: z.object({ session_id: z.uuid() }),
    response: { status: 204 },
    handler: ({ session, params }) => endSession(session, params.session_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/account/tokens',
    summary: 'Your own API tokens, expired ones too.',
    tag,
    access,
    response: { status: 200, schema: ApiTokens },
    handler: ({ session }) => listOwnTokens(session),
  }),
  defineRoute({
    method: 'POST',
    path: '/account/tokens',
    summary: 'Make an API token for a program. The answer shows it this once.',
    tag,
    access,
    body: ApiTokenInput,
    response: { status: 201, schema: CreatedApiToken },
    handler: ({ session, body }) => createOwnToken(session, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/account/tokens/{token_id}',
    summary: 'Revoke one of your API tokens; it stops working at once.',
    tag,
    access,
    params: z.object({ token_id: z.uuid() }),
    response: { status: 204 },
    handler: ({ session, params }) => revokeOwnToken(session, params.token_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/users/{user_id}/tokens',
    summary: 'API tokens of a user.',
    tag: 'Administration',
    access: { permission: 'user:read' },
    params: z.object({ user_id: z.uuid() }),
    response: { status: 200, schema: ApiTokens },
    handler: ({ scope, params }) => listUserTokens(scope, params.user_id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/users/{user_id}/tokens/{token_id}',
    summary: 'Revoke an API token of a user; it stops working at once.',
    tag: 'Administration',
    access: { permission: 'user:write' },
    params: z.object({ user_id: z.uuid(), token_id: z.uuid() }),
    response: { status: 204 },
    handler: ({ scope, params }) => revokeUserToken(scope, params.user_id, params.token_id),
  }),
];
