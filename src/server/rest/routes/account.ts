import { z } from 'zod';
import {
  AccountSessions,
  ApiToken,
  ApiTokenInput,
  ApiTokens,
  CreatedApiToken,
  EndedSessions,
  PasswordChange,
} from '@/domain/account';
import {
  Enrolment,
  EnrolmentConfirmation,
  EnrolmentInput,
  RecoveryCodes,
  SecondFactorProof,
  SecondFactorState,
} from '@/domain/second-factor';
import {
  allowOwnToken,
  allowUserToken,
  createOwnToken,
  listOwnTokens,
  listUserTokens,
  revokeOwnToken,
  revokeUserToken,
} from '../../services/account/api-tokens';
import { changePassword } from '../../services/account/change-password';
import { endOtherSessions, endSession, listSessions } from '../../services/account/sessions';
import { removeSecondFactor, renewRecoveryCodes } from '../../services/second-factor/change-second-factor';
import { beginEnrolment, confirmEnrolment } from '../../services/second-factor/enrol-second-factor';
import { readSecondFactor } from '../../services/second-factor/read-second-factor';
import { defineRoute } from '../define-route';
import { refreshCookie } from '../session-cookie';

const tag = 'Account';
const access = { person: "The caller's own account, and nobody else's." } as const;
/** Also for those who have to set up a second factor before they may do anything else. */
const enrolling = { ...access, enrolling: true } as const;

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
    handler: async ({ session, params, request }) => {
      await endSession(session, params.session_id);
      const own = params.session_id === session.family_id;
      return new Response(null, {
        status: 204,
        headers: { 'cache-control': 'no-store', ...(own && { 'set-cookie': refreshCookie(request, null) }) },
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/account/second-factor',
    summary: 'Your second factor: since when, recovery codes left, and which of your roles ask for it.',
    tag,
    access: enrolling,
    response: { status: 200, schema: SecondFactorState },
    handler: ({ session }) => readSecondFactor(session),
  }),
  defineRoute({
    method: 'POST',
    path: '/account/second-factor/begin',
    summary: 'Make a secret for an authenticator app. Nothing is asked for until it is confirmed.',
    tag,
    access: enrolling,
    body: EnrolmentInput,
    bodyOptional: true,
    response: { status: 200, schema: Enrolment },
    handler: ({ session, body }) => beginEnrolment(session, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/account/second-factor/confirm',
    summary: 'Confirm the app with its first code. The answer shows the recovery codes this once.',
    tag,
    access: enrolling,
    body: EnrolmentConfirmation,
    response: { status: 200, schema: RecoveryCodes },
    handler: ({ session, body }) => confirmEnrolment(session, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/account/second-factor/recovery-codes',
    summary: 'Make new recovery codes, shown this once; all earlier ones stop working.',
    tag,
    access,
    body: SecondFactorProof,
    response: { status: 200, schema: RecoveryCodes },
    handler: ({ session, body }) => renewRecoveryCodes(session, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/account/second-factor/remove',
    summary: 'Switch your second factor off, unless one of your roles asks for it.',
    tag,
    access,
    body: SecondFactorProof,
    response: { status: 204 },
    handler: ({ session, body }) => removeSecondFactor(session, body),
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
    method: 'POST',
    path: '/account/tokens/{token_id}/allow',
    summary: 'Let one of your API tokens act again that was suspended when your account was deactivated.',
    tag,
    access,
    params: z.object({ token_id: z.uuid() }),
    response: { status: 200, schema: ApiToken, problems: ['conflict'] },
    handler: ({ session, params }) => allowOwnToken(session, params.token_id),
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
    method: 'POST',
    path: '/users/{user_id}/tokens/{token_id}/allow',
    summary: 'Let an API token act again that was suspended when its owner was deactivated.',
    tag: 'Administration',
    access: { permission: 'user:write' },
    params: z.object({ user_id: z.uuid(), token_id: z.uuid() }),
    response: { status: 200, schema: ApiToken, problems: ['conflict'] },
    handler: ({ scope, params }) => allowUserToken(scope, params.user_id, params.token_id),
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
