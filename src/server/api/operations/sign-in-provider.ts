import { ProviderCheck, ProviderCheckInput, SignInProvider, SignInProviderInput } from '@/domain/sign-in-provider';
import { checkSignInProvider } from '../../access/provider/open-provider';
import { readStoredProvider, updateSignInProvider } from '../../access/provider/settings';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Settings');

export const signInProviderRouter = router({
  get: query({
    rest: 'GET /settings/sign-in-provider',
    summary: 'Get the sign-in provider (OpenID Connect) without its client secret.',
    access: { permission: 'settings:read' },
    output: SignInProvider,
    run: () => readStoredProvider(),
  }),
  update: mutation({
    rest: 'PUT /settings/sign-in-provider',
    summary: 'Store the sign-in provider and the roles that its groups assign. Super administrators only.',
    access: { permission: '*' },
    input: SignInProviderInput,
    output: SignInProvider,
    run: ({ scope, input }) => updateSignInProvider(scope, input),
  }),
  check: mutation({
    rest: 'POST /settings/sign-in-provider/check',
    summary: 'Get the metadata of the provider at an issuer. Nothing is stored.',
    access: { permission: '*' },
    input: ProviderCheckInput,
    output: ProviderCheck,
    run: ({ scope, input }) => checkSignInProvider(scope, input.issuer),
  }),
});
