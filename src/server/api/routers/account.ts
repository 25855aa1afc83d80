import { z } from 'zod';
import { ApiTokenInput, PasswordChange } from '@/domain/account';
import { EnrolmentConfirmation, EnrolmentInput, SecondFactorProof } from '@/domain/second-factor';
import { allowOwnToken, createOwnToken, listOwnTokens, revokeOwnToken } from '../../services/account/api-tokens';
import { changePassword } from '../../services/account/change-password';
import { endOtherSessions, endSession, listSessions } from '../../services/account/sessions';
import { readCurrentUser } from '../../services/auth/read-current-user';
import { removeSecondFactor, renewRecoveryCodes } from '../../services/second-factor/change-second-factor';
import { beginEnrolment, confirmEnrolment } from '../../services/second-factor/enrol-second-factor';
import { readSecondFactor } from '../../services/second-factor/read-second-factor';
import { ownProcedure, personProcedure, router } from '../trpc';

const OWN = "The caller's own account, and nobody else's.";
/** Also for those who have to set up a second factor before they may do anything else. */
const ENROLLING = { enrolling: true } as const;
const byId = z.strictObject({ id: z.uuid() });

export const accountRouter = router({
  me: ownProcedure('Everybody may see who they are.', ENROLLING).query(({ ctx }) => readCurrentUser(ctx.session)),
  changePassword: personProcedure(OWN)
    .input(PasswordChange)
    .mutation(({ ctx, input }) => changePassword(ctx.session, input)),
  sessions: personProcedure(OWN).query(({ ctx }) => listSessions(ctx.session)),
  endSession: personProcedure(OWN)
    .input(byId)
    .mutation(({ ctx, input }) => endSession(ctx.session, input.id)),
  endOtherSessions: personProcedure(OWN).mutation(({ ctx }) => endOtherSessions(ctx.session)),
  secondFactor: personProcedure(OWN, ENROLLING).query(({ ctx }) => readSecondFactor(ctx.session)),
  beginSecondFactor: personProcedure(OWN, ENROLLING)
    .input(EnrolmentInput)
    .mutation(({ ctx, input }) => beginEnrolment(ctx.session, input)),
  confirmSecondFactor: personProcedure(OWN, ENROLLING)
    .input(EnrolmentConfirmation)
    .mutation(({ ctx, input }) => confirmEnrolment(ctx.session, input)),
  renewRecoveryCodes: personProcedure(OWN)
    .input(SecondFactorProof)
    .mutation(({ ctx, input }) => renewRecoveryCodes(ctx.session, input)),
  removeSecondFactor: personProcedure(OWN)
    .input(SecondFactorProof)
    .mutation(({ ctx, input }) => removeSecondFactor(ctx.session, input)),
  tokens: personProcedure(OWN).query(({ ctx }) => listOwnTokens(ctx.session)),
  createToken: personProcedure(OWN)
    .input(ApiTokenInput)
    .mutation(({ ctx, input }) => createOwnToken(ctx.session, input)),
  allowToken: personProcedure(OWN)
    .input(byId)
    .mutation(({ ctx, input }) => allowOwnToken(ctx.session, input.id)),
  revokeToken: personProcedure(OWN)
    .input(byId)
    .mutation(({ ctx, input }) => revokeOwnToken(ctx.session, input.id)),
});
