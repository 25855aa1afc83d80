import { z } from 'zod';
import { CurrentPassword } from './auth-password';
import { parseIp } from './net/ip-address';

/** How many passkeys a user can have. */
export const MAX_PASSKEYS = 20;

/** Why passkeys cannot be used: browsers bind them to a host name, over HTTPS. */
export const PASSKEY_PROBLEMS = ['no_public_url', 'not_https', 'ip_address'] as const;
export type PasskeyProblem = (typeof PASSKEY_PROBLEMS)[number];

/** Where passkeys belong: the relying party ID, and the one origin from which answers are accepted. */
export type PasskeySite = { rp_id: string; origin: string };

/** What browsers call trustworthy without TLS. */
const isLocalhost = (host: string) => host === 'localhost' || host.endsWith('.localhost');

/** The site of passkeys for the public URL of the installation, or why there is none. */
export function parsePasskeySite(publicUrl: string | null): PasskeySite | { problem: PasskeyProblem } {
  if (!publicUrl || !URL.canParse(publicUrl)) return { problem: 'no_public_url' };
  const { protocol, hostname, origin } = new URL(publicUrl);
  if (parseIp(hostname.replace(/^\[|\]$/g, ''))) return { problem: 'ip_address' };
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocalhost(hostname))) return { problem: 'not_https' };
  return { rp_id: hostname, origin };
}

const base64url = (max: number) =>
  z
    .string('Send it as base64url text.')
    .max(max, `At most ${max} characters.`)
    .regex(/^[A-Za-z0-9_-]+$/, 'This is not base64url.');

const CredentialId = base64url(1400);
const Transport = z.string().max(40);

/** What the browser returns for a new passkey (`RegistrationResponseJSON` of WebAuthn). Fields that are not needed are dropped. */
export const PasskeyCredential = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key', 'A public key.'),
  response: z.object({
    clientDataJSON: base64url(8000),
    attestationObject: base64url(60_000),
    transports: z.array(Transport).max(10).optional(),
  }),
});
export type PasskeyCredential = z.output<typeof PasskeyCredential>;

/** What the browser returns when a passkey is used (`AuthenticationResponseJSON` of WebAuthn). */
export const PasskeyAnswer = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key', 'A public key.'),
  response: z.object({
    clientDataJSON: base64url(8000),
    authenticatorData: base64url(8000),
    signature: base64url(8000),
    userHandle: base64url(200).optional(),
  }),
});
export type PasskeyAnswer = z.output<typeof PasskeyAnswer>;

const Descriptor = z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()) });

/** What a browser needs to create a passkey (`PublicKeyCredentialCreationOptionsJSON`). */
export const PasskeyCreation = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({
    residentKey: z.enum(['discouraged', 'preferred', 'required']),
    userVerification: z.enum(['discouraged', 'preferred', 'required']),
  }),
  attestation: z.literal('none'),
});
export type PasskeyCreation = z.output<typeof PasskeyCreation>;

/** What a browser needs to use a passkey (`PublicKeyCredentialRequestOptionsJSON`). */
export const PasskeyRequest = z.object({
  rpId: z.string(),
  challenge: z.string(),
  allowCredentials: z.array(Descriptor),
  timeout: z.int(),
  userVerification: z.enum(['discouraged', 'preferred', 'required']),
});
export type PasskeyRequest = z.output<typeof PasskeyRequest>;

const PasskeyName = z
  .string('Enter a name as text.')
  .trim()
  .min(1, 'Enter a name for the passkey.')
  .max(100, 'At most 100 characters.')
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'No line breaks or other control characters.');

/** Begins to add a passkey. Requires the password when the sign-in is not recent. */
export const PasskeyBegin = z.strictObject({ current_password: CurrentPassword.optional() });
export type PasskeyBegin = z.output<typeof PasskeyBegin>;

export const PasskeyInput = z.strictObject({ name: PasskeyName, credential: PasskeyCredential });
export type PasskeyInput = z.output<typeof PasskeyInput>;

export const PasskeyUpdate = z.strictObject({ name: PasskeyName });
export type PasskeyUpdate = z.output<typeof PasskeyUpdate>;

export const Passkey = z.object({
  id: z.uuid(),
  name: z.string(),
  /** The host name for which it was created; it works there only. */
  rp_id: z.string(),
  /** Whether its owner's devices synchronize it. */
  synced: z.boolean(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
export type Passkey = z.output<typeof Passkey>;

/** A new passkey; recovery codes are shown once, and only when the user had none left. */
export const AddedPasskey = z.object({ passkey: Passkey, recovery_codes: z.array(z.string()) });
export type AddedPasskey = z.output<typeof AddedPasskey>;
