import { z } from 'zod';
import { SignedIn } from './auth';
import { CurrentPassword } from './auth-password';
import { PASSKEY_PROBLEMS, Passkey, PasskeyAnswer, PasskeyRequest } from './passkeys';

/** How many recovery codes one gets. Each works once. */
export const RECOVERY_CODES = 10;

/**
 * Six digits of the app, or a recovery code of 24 letters and digits, of 16 where it is an older one. Spaces, hyphens and case do
 * not matter: people type them off paper.
 */
export const SecondFactorCode = z
  .string('Enter the code as text.')
  .max(64, 'The code is too long.')
  .transform((text) => text.replace(/[\s-]/g, '').toUpperCase())
  .refine(
    (text) => /^(\d{6}|[A-Z2-7]{16}|[A-Z2-7]{24})$/.test(text),
    'Enter the six digits from your authenticator app, or a recovery code.',
  );

/** Only the six digits of the app. */
const AppCode = z
  .string('Enter the code as text.')
  .max(32, 'The code is too long.')
  .transform((text) => text.replace(/\s/g, ''))
  .refine((text) => /^\d{6}$/.test(text), 'Enter the six digits that the app shows.');

/** What the second step of signing in accepts. */
export const CHALLENGE_METHODS = ['passkey', 'totp', 'recovery_code'] as const;
export type ChallengeMethod = (typeof CHALLENGE_METHODS)[number];

/** What sign-in answers when the password was right and a second factor is still needed. */
export const SecondFactorNeeded = z.object({
  second_factor: z.object({
    /** Sent back with the code or the passkey's answer; worth nothing without. */
    challenge_token: z.string(),
    /** What is accepted. */
    methods: z.array(z.enum(CHALLENGE_METHODS)),
    /** Seconds until one has to begin again. */
    expires_in: z.int(),
  }),
});
export type SecondFactorNeeded = z.output<typeof SecondFactorNeeded>;

/** The answer of sign-in: tokens, or the question for a code. */
export const SignInAnswer = z.union([SignedIn, SecondFactorNeeded]);
export type SignInAnswer = z.output<typeof SignInAnswer>;

const ChallengeToken = z.string('Send the challenge as text.').min(1).max(200, 'This is not a challenge.').optional();

/**
 * The second step of signing in: a code, or the answer of a passkey. Without `challenge_token` the cookie that a sign-in
 * through a provider left counts.
 */
export const SecondFactorInput = z
  .strictObject({
    challenge_token: ChallengeToken,
    code: SecondFactorCode.optional(),
    passkey: PasskeyAnswer.optional(),
  })
  .refine(({ code, passkey }) => (code === undefined) !== (passkey === undefined), {
    path: ['code'],
    message: 'Send either a code or the answer of a passkey.',
  });
export type SecondFactorInput = z.output<typeof SecondFactorInput>;

/** Asks for a new challenge for passkeys, in a sign-in that waits for its second step. */
export const PasskeyChallengeInput = z.strictObject({ challenge_token: ChallengeToken });
export type PasskeyChallengeInput = z.output<typeof PasskeyChallengeInput>;
export const PasskeyChallenge = z.object({ options: PasskeyRequest });
export type PasskeyChallenge = z.output<typeof PasskeyChallenge>;

/** Begins an enrollment. Requires the password when the sign-in is not recent. */
export const EnrolmentInput = z.strictObject({ current_password: CurrentPassword.optional() });
export type EnrolmentInput = z.output<typeof EnrolmentInput>;

/** What the app needs to know; shown until it is confirmed, and never again. */
export const Enrolment = z.object({ secret: z.string(), otpauth_uri: z.string() });
export type Enrolment = z.output<typeof Enrolment>;

export const EnrolmentConfirmation = z.strictObject({ code: AppCode });
export type EnrolmentConfirmation = z.output<typeof EnrolmentConfirmation>;

/** The proof for renewing recovery codes or switching off: the password, or without one a code or a passkey. */
export const SecondFactorProof = z.strictObject({
  current_password: CurrentPassword.optional(),
  code: SecondFactorCode.optional(),
  passkey: PasskeyAnswer.optional(),
});
export type SecondFactorProof = z.output<typeof SecondFactorProof>;

/** Shown once; each works once. Empty when earlier ones still work. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });
export type RecoveryCodes = z.output<typeof RecoveryCodes>;

/** The user's own second factor. */
export const SecondFactorState = z.object({
  /** Since when signing in takes two steps; null: not set up. */
  enrolled_at: z.string().nullable(),
  /** Since when the authenticator app is set up; null: it is not. */
  app_at: z.string().nullable(),
  passkeys: z.array(Passkey),
  /** Where passkeys work, or why they cannot: `problem`. */
  passkey_site: z.object({
    origin: z.string().nullable(),
    rp_id: z.string().nullable(),
    problem: z.enum(PASSKEY_PROBLEMS).nullable(),
  }),
  recovery_codes_left: z.int(),
  /** Titles of roles one holds that ask for it. */
  required_by: z.array(z.string()),
  /** Whether the account has a password, which then is the proof for changes. */
  has_password: z.boolean(),
  /** The sign-in is not fresh: setup needs the password or a new sign-in. */
  proof_needed: z.boolean(),
});
export type SecondFactorState = z.output<typeof SecondFactorState>;

/** How a sign-in began. */
export const SIGN_IN_METHODS = ['password', 'oidc', 'ldap'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** What proved a second factor: a code of the authenticator app, a recovery code, a passkey, or the sign-in provider's word. */
export const SECOND_FACTORS = ['totp', 'recovery_code', 'passkey', 'provider'] as const;
export type SecondFactorKind = (typeof SECOND_FACTORS)[number];

/** How a session was opened. */
export type SignInProof = { method: SignInMethod; second_factor: SecondFactorKind | null };

/** Whether an authenticator app or a passkey is set up, and the titles of roles held now that ask for a second factor. */
export type SecondFactorStanding = { enrolled: boolean; required_by: readonly string[] };

/**
 * What a session is worth: everything its user may do; only setting up the second factor that a role asks for; or nothing,
 * because a factor was set up since and this sign-in never proved it.
 */
export function evaluateSession(factor: SecondFactorStanding, proof: SignInProof): 'full' | 'must_enrol' | 'over' {
  if (proof.second_factor === 'provider') return 'full';
  if (factor.enrolled) return proof.second_factor === null ? 'over' : 'full';
  return factor.required_by.length > 0 ? 'must_enrol' : 'full';
}
