import {
  AccountSessions,
  ApiToken,
  ApiTokenInput,
  ApiTokens,
  CreatedApiToken,
  EndedSessions,
  PasswordChange,
} from '@/domain/account';
import { CurrentUser } from '@/domain/auth';
import {
  AddedPasskey,
  Passkey,
  PasskeyBegin,
  PasskeyCreation,
  PasskeyInput,
  PasskeyRequest,
  PasskeyUpdate,
} from '@/domain/passkeys';
import {
  Enrolment,
  EnrolmentConfirmation,
  EnrolmentInput,
  RecoveryCodes,
  SecondFactorProof,
  SecondFactorState,
} from '@/domain/second-factor';
import { createOwnToken, listOwnTokens, reactivateOwnToken, revokeOwnToken } from '../../access/account/api-tokens';
import {
  addPasskey,
  beginPasskey,
  beginPasskeyProof,
  removePasskey,
  renamePasskey,
} from '../../access/account/passkeys';
import { changePassword } from '../../access/account/password';
import {
  beginEnrollment,
  confirmEnrollment,
  readSecondFactor,
  removeAuthenticatorApp,
  removeSecondFactor,
  renewRecoveryCodes,
} from '../../access/account/second-factor';
import { endOtherSessions, endSession, listSessions } from '../../access/account/sessions';
import { readCurrentUser } from '../../access/sign-in/read-session';
import { refreshCookie } from '../../rest/session-cookie';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Account');
const access = { person: "The caller's own account only." } as const;

/** Also for those who have to set up a second factor before they may do anything else. */
const enrolling = { ...access, enrolling: true } as const;

export const accountRouter = router({
  changePassword: mutation({
    rest: 'POST /account/password',
    summary: 'Change your own password. Ends all your other sessions.',
    access,
    input: PasswordChange,
    output: EndedSessions,
    run: ({ session, input }) => changePassword(session, input),
  }),
  sessions: query({
    rest: 'GET /account/sessions',
    summary: 'List your own active sessions, most recently used first.',
    access,
    output: AccountSessions,
    run: ({ session }) => listSessions(session),
  }),
  endOtherSessions: mutation({
    rest: 'POST /account/sessions/end-others',
    summary: 'End all your sessions except the current one.',
    access,
    output: EndedSessions,
    run: ({ session }) => endOtherSessions(session),
  }),
  endSession: mutation({
    rest: 'DELETE /account/sessions/{session_id}',
    summary: 'End one of your sessions. Its tokens stop working immediately.',
    access,
    run: ({ session, params }) => endSession(session, params.session_id),
    respond: {
      answer: async ({ session, params }, _, request) => {
        await endSession(session, params.session_id);
        const own = params.session_id === session.family_id;
        return new Response(null, {
          status: 204,
          headers: { 'cache-control': 'no-store', ...(own && { 'set-cookie': refreshCookie(request, null) }) },
        });
      },
    },
  }),
  secondFactor: query({
    rest: 'GET /account/second-factor',
    summary:
      'Get your second factor: authenticator app, passkeys, recovery codes left, and which of your roles require one.',
    access: enrolling,
    output: SecondFactorState,
    run: ({ session }) => readSecondFactor(session),
  }),
  beginSecondFactor: mutation({
    rest: 'POST /account/second-factor/begin',
    summary: 'Generate a secret for an authenticator app. The second factor is not required until it is confirmed.',
    access: enrolling,
    input: EnrolmentInput,
    output: Enrolment,
    bodyOptional: true,
    run: ({ session, input }) => beginEnrollment(session, input),
  }),
  confirmSecondFactor: mutation({
    rest: 'POST /account/second-factor/confirm',
    summary:
      'Confirm the authenticator app with its first code. The response contains the recovery codes unless you have some; they are shown only once.',
    access: enrolling,
    input: EnrolmentConfirmation,
    output: RecoveryCodes,
    run: ({ session, input }) => confirmEnrollment(session, input),
  }),
  renewRecoveryCodes: mutation({
    rest: 'POST /account/second-factor/recovery-codes',
    summary: 'Generate new recovery codes, which are shown only once. All earlier codes stop working.',
    access,
    input: SecondFactorProof,
    output: RecoveryCodes,
    run: ({ session, input }) => renewRecoveryCodes(session, input),
  }),
  removeSecondFactor: mutation({
    rest: 'POST /account/second-factor/remove',
    summary:
      'Turn off your second factor: authenticator app, passkeys and recovery codes, unless one of your roles requires it.',
    access,
    input: SecondFactorProof,
    run: ({ session, input }) => removeSecondFactor(session, input),
  }),
  removeAuthenticatorApp: mutation({
    rest: 'POST /account/second-factor/app/remove',
    summary: 'Remove your authenticator app. Passkeys stay; without any, this turns off your second factor.',
    access,
    input: SecondFactorProof,
    problems: ['conflict'],
    run: ({ session, input }) => removeAuthenticatorApp(session, input),
  }),
  beginPasskey: mutation({
    rest: 'POST /account/passkeys/begin',
    summary: 'Get the WebAuthn options to create a passkey. They work once, for five minutes.',
    access: enrolling,
    input: PasskeyBegin,
    output: PasskeyCreation,
    bodyOptional: true,
    problems: ['conflict'],
    run: ({ session, input }) => beginPasskey(session, input),
  }),
  addPasskey: mutation({
    rest: 'POST /account/passkeys',
    summary:
      'Add the passkey that the browser created. The response contains recovery codes unless you have some; they are shown only once.',
    access: enrolling,
    input: PasskeyInput,
    output: AddedPasskey,
    status: 201,
    problems: ['conflict'],
    run: ({ session, input }) => addPasskey(session, input),
  }),
  beginPasskeyProof: mutation({
    rest: 'POST /account/passkeys/proof',
    summary: 'Get the WebAuthn options to confirm a change of your second factor with a passkey.',
    access,
    output: PasskeyRequest,
    run: ({ session }) => beginPasskeyProof(session),
  }),
  renamePasskey: mutation({
    rest: 'PATCH /account/passkeys/{passkey_id}',
    summary: 'Rename one of your passkeys.',
    access,
    input: PasskeyUpdate,
    output: Passkey,
    problems: ['conflict'],
    run: ({ session, params, input }) => renamePasskey(session, params.passkey_id, input.name),
  }),
  removePasskey: mutation({
    rest: 'POST /account/passkeys/{passkey_id}/remove',
    summary: 'Remove one of your passkeys. Without any other factor, this turns off your second factor.',
    access,
    input: SecondFactorProof,
    run: ({ session, params, input }) => removePasskey(session, params.passkey_id, input),
  }),
  tokens: query({
    rest: 'GET /account/tokens',
    summary: 'List your own API tokens, including expired ones.',
    access,
    output: ApiTokens,
    run: ({ session }) => listOwnTokens(session),
  }),
  createToken: mutation({
    rest: 'POST /account/tokens',
    summary: 'Create an API token for a program. The token is shown only in this response.',
    access,
    input: ApiTokenInput,
    output: CreatedApiToken,
    status: 201,
    run: ({ session, input }) => createOwnToken(session, input),
  }),
  revokeToken: mutation({
    rest: 'DELETE /account/tokens/{token_id}',
    summary: 'Revoke one of your API tokens. It stops working immediately.',
    access,
    run: ({ session, params }) => revokeOwnToken(session, params.token_id),
  }),
  allowToken: mutation({
    rest: 'POST /account/tokens/{token_id}/allow',
    summary: 'Resume one of your API tokens that was suspended when your account was deactivated.',
    access,
    output: ApiToken,
    problems: ['conflict'],
    run: ({ session, params }) => reactivateOwnToken(session, params.token_id),
  }),
  me: query({
    rest: 'GET /auth/me',
    tag: 'Authentication',
    summary: 'Get the signed-in user with permissions, roles and tenants.',
    access: { signedIn: 'Every user may read their own account.', enrolling: true },
    output: CurrentUser,
    run: ({ session }) => readCurrentUser(session),
  }),
});
