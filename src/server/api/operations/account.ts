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
  Enrolment,
  EnrolmentConfirmation,
  EnrolmentInput,
  RecoveryCodes,
  SecondFactorProof,
  SecondFactorState,
} from '@/domain/second-factor';
import { allowOwnToken, createOwnToken, listOwnTokens, revokeOwnToken } from '../../access/account/api-tokens';
import { changePassword } from '../../access/account/password';
import {
  beginEnrolment,
  confirmEnrolment,
  readSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from '../../access/account/second-factor';
import { endOtherSessions, endSession, listSessions } from '../../access/account/sessions';
import { readCurrentUser } from '../../access/sign-in/read-session';
import { refreshCookie } from '../../rest/session-cookie';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Account');
const access = { person: "The caller's own account, and nobody else's." } as const;

/** Also for those who have to set up a second factor before they may do anything else. */
const enrolling = { ...access, enrolling: true } as const;

export const accountRouter = router({
  changePassword: mutation({
    rest: 'POST /account/password',
    summary: 'Change your own password. All your other sign-ins end.',
    access,
    input: PasswordChange,
    output: EndedSessions,
    run: ({ session, input }) => changePassword(session, input),
  }),
  sessions: query({
    rest: 'GET /account/sessions',
    summary: 'Your own sign-ins that are not over, the one used last first.',
    access,
    output: AccountSessions,
    run: ({ session }) => listSessions(session),
  }),
  endOtherSessions: mutation({
    rest: 'POST /account/sessions/end-others',
    summary: 'End all of your sign-ins but this one.',
    access,
    output: EndedSessions,
    run: ({ session }) => endOtherSessions(session),
  }),
  endSession: mutation({
    rest: 'DELETE /account/sessions/{session_id}',
    summary: 'End one of your sign-ins; its tokens stop working at once.',
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
    summary: 'Your second factor: since when, recovery codes left, and which of your roles ask for it.',
    access: enrolling,
    output: SecondFactorState,
    run: ({ session }) => readSecondFactor(session),
  }),
  beginSecondFactor: mutation({
    rest: 'POST /account/second-factor/begin',
    summary: 'Make a secret for an authenticator app. Nothing is asked for until it is confirmed.',
    access: enrolling,
    input: EnrolmentInput,
    output: Enrolment,
    bodyOptional: true,
    run: ({ session, input }) => beginEnrolment(session, input),
  }),
  confirmSecondFactor: mutation({
    rest: 'POST /account/second-factor/confirm',
    summary: 'Confirm the app with its first code. The answer shows the recovery codes this once.',
    access: enrolling,
    input: EnrolmentConfirmation,
    output: RecoveryCodes,
    run: ({ session, input }) => confirmEnrolment(session, input),
  }),
  renewRecoveryCodes: mutation({
    rest: 'POST /account/second-factor/recovery-codes',
    summary: 'Make new recovery codes, shown this once; all earlier ones stop working.',
    access,
    input: SecondFactorProof,
    output: RecoveryCodes,
    run: ({ session, input }) => renewRecoveryCodes(session, input),
  }),
  removeSecondFactor: mutation({
    rest: 'POST /account/second-factor/remove',
    summary: 'Switch your second factor off, unless one of your roles asks for it.',
    access,
    input: SecondFactorProof,
    run: ({ session, input }) => removeSecondFactor(session, input),
  }),
  tokens: query({
    rest: 'GET /account/tokens',
    summary: 'Your own API tokens, expired ones too.',
    access,
    output: ApiTokens,
    run: ({ session }) => listOwnTokens(session),
  }),
  createToken: mutation({
    rest: 'POST /account/tokens',
    summary: 'Make an API token for a program. The answer shows it this once.',
    access,
    input: ApiTokenInput,
    output: CreatedApiToken,
    status: 201,
    run: ({ session, input }) => createOwnToken(session, input),
  }),
  revokeToken: mutation({
    rest: 'DELETE /account/tokens/{token_id}',
    summary: 'Revoke one of your API tokens; it stops working at once.',
    access,
    run: ({ session, params }) => revokeOwnToken(session, params.token_id),
  }),
  allowToken: mutation({
    rest: 'POST /account/tokens/{token_id}/allow',
    summary: 'Let one of your API tokens act again that was suspended when your account was deactivated.',
    access,
    output: ApiToken,
    problems: ['conflict'],
    run: ({ session, params }) => allowOwnToken(session, params.token_id),
  }),
  me: query({
    rest: 'GET /auth/me',
    tag: 'Authentication',
    summary: 'The signed-in user with permissions, roles and tenants.',
    access: { signedIn: 'Everybody may see who they are.', enrolling: true },
    output: CurrentUser,
    run: ({ session }) => readCurrentUser(session),
  }),
});
