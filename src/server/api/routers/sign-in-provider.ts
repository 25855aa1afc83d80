import { ProviderCheckInput, SignInProviderInput } from '@/domain/sign-in-provider';
import { checkSignInProvider } from '../../services/sign-in-provider/open-provider';
import { readSignInProvider } from '../../services/sign-in-provider/read-sign-in-provider';
import { updateSignInProvider } from '../../services/sign-in-provider/update-sign-in-provider';
import { procedure, router } from '../trpc';

export const signInProviderRouter = router({
  get: procedure('settings:read').query(({ ctx }) => readSignInProvider(ctx.scope)),
  update: procedure('*')
    .input(SignInProviderInput)
    .mutation(({ ctx, input }) => updateSignInProvider(ctx.scope, input)),
  check: procedure('*')
    .input(ProviderCheckInput)
    .mutation(({ ctx, input }) => checkSignInProvider(ctx.scope, input.issuer)),
});
