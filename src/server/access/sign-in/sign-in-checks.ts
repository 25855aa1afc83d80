import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';
import { clock } from '../../lib/clock';
import { deriveKey } from '../../lib/crypto';

/** How long somebody may take at the provider. */
export const PROVIDER_SIGN_IN_SECONDS = 900;

const Pending = z.object({
  state: z.string(),
  nonce: z.string(),
  code_verifier: z.string(),
  /** The page to go to afterwards, as the browser asked. */
  next: z.string().nullable(),
  /** The sign-in that the browser held when it began; a new one takes its place. */
  replaces: z.string().nullable(),
});
/** A sign-in through the provider that a browser began. */
export type PendingSignIn = z.output<typeof Pending>;

const key = () => deriveKey('provider-sign-in');

/** As text for a cookie: only this service can read or make it. */
export async function sealPendingSignIn(pending: PendingSignIn): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1000);
  return new EncryptJWT(pending)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuedAt(now)
    .setExpirationTime(now + PROVIDER_SIGN_IN_SECONDS)
    .encrypt(key());
}

/** What `sealPendingSignIn` wrote; null when it is foreign, changed or too old. */
export async function openPendingSignIn(text: string): Promise<PendingSignIn | null> {
  try {
    const { payload } = await jwtDecrypt(text, key(), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      currentDate: clock.now(),
    });
    return Pending.parse(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
    throw error;
  }
}
