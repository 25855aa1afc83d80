import type { SecondFactorKind, SignInMethod, SignInProof } from '@/domain/sign-in-method';
import { msg, type Translate } from '@/lib/i18n/translator';

const METHODS: Record<SignInMethod, string> = { password: msg('Password'), oidc: msg('Sign-in provider') };
const FACTORS: Record<SecondFactorKind, string> = {
  totp: msg('code'),
  recovery_code: msg('recovery code'),
  provider: msg('its second factor'),
};

/** How a sign-in was proved: `Password and code`. */
export const proofText = (t: Translate, { method, second_factor }: SignInProof): string =>
  second_factor === null
    ? t(METHODS[method])
    : t('{method} and {factor}', { method: t(METHODS[method]), factor: t(FACTORS[second_factor]) });
