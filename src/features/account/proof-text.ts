import type { SecondFactorKind, SignInMethod, SignInProof } from '@/domain/sign-in-method';

const METHODS: Record<SignInMethod, string> = { password: 'Password', oidc: 'Sign-in provider' };
const FACTORS: Record<SecondFactorKind, string> = {
  totp: 'code',
  recovery_code: 'recovery code',
  provider: 'its second factor',
};

/** How a sign-in was proved: `Password and code`. */
export const proofText = ({ method, second_factor }: SignInProof): string =>
  second_factor === null ? METHODS[method] : `${METHODS[method]} and ${FACTORS[second_factor]}`;
