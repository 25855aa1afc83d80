/** How a sign-in began. */
export const SIGN_IN_METHODS = ['password', 'oidc'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** What proved a second factor: a code of the authenticator app, a recovery code, or the sign-in provider's word. */
export const SECOND_FACTORS = ['totp', 'recovery_code', 'provider'] as const;
export type SecondFactorKind = (typeof SECOND_FACTORS)[number];

/** How a session was opened. */
export type SignInProof = { method: SignInMethod; second_factor: SecondFactorKind | null };

/** Whether an authenticator app is set up, and the titles of roles held now that ask for a second factor. */
export type SecondFactorStanding = { enrolled: boolean; required_by: readonly string[] };

/**
 * What a session is worth: everything its user may do; only setting up the second factor that a role asks for; or nothing,
 * because a factor was set up since and this sign-in never proved it.
 */
export function sessionStanding(factor: SecondFactorStanding, proof: SignInProof): 'full' | 'must_enrol' | 'over' {
  if (proof.second_factor === 'provider') return 'full';
  if (factor.enrolled) return proof.second_factor === null ? 'over' : 'full';
  return factor.required_by.length > 0 ? 'must_enrol' : 'full';
}
