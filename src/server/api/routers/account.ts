import { z } from 'zod';
import { ApiTokenInput, PasswordChange } from '@/domain/account';
import { createOwnToken, listOwnTokens, revokeOwnToken } from '../../services/account/api-tokens';
import { changePassword } from '../../services/account/change-password';
import { endOtherSessions, endSession, listSessions } from '../../services/account/sessions';
import { readCurrentUser } from '../../services/auth/read-current-user';
import { ownProcedure, personProcedure, router } from '../trpc';

const OWN = "The caller's own account, and nobody else's.";
const byId = z.strictObject({ id: z.uuid() });

export const accountRouter = router({
  me: ownProcedure('Everybody may see who they are.').query(({ ctx }) => readCurrentUser(ctx.session)),
  changePassword: personProcedure(OWN)
    .input(PasswordChange)
    .mutation(({ ctx, input }) => changePassword(ctx.session, input)),
  sessions: personProcedure(OWN).query(({ ctx }) => listSessions(ctx.session)),
  endSession: personProcedure(OWN)
    .input(byId)
    .mutation(({ ctx, input }) => endSession(ctx.session, input.id)),
  endOtherSessions: personProcedure(OWN).mutation(({ ctx }) => endOtherSessions(ctx.session)),
  tokens: personProcedure(OWN).query(({ ctx }) => listOwnTokens(ctx.session)),
  createToken: personProcedure(OWN)
    .input(ApiTokenInput)
    .mutation(({ ctx, input }) => createOwnToken(ctx.session, input)),
  revokeToken: personProcedure(OWN)
    .input(byId)
    .mutation(({ ctx, input }) => revokeOwnToken(ctx.session, input.id)),
});
