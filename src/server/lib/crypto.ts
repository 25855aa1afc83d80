import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { env } from './env';

function secretKey(): string {
  const key = env().FABRIC_SECRET_KEY;
  if (!key) throw new Error('FABRIC_SECRET_KEY is not set; `npm start` generates one for the embedded mode');
  return key;
}

/** A 256-bit key for one purpose, derived (HKDF-SHA-256) from FABRIC_SECRET_KEY or from the secret given. */
export function deriveKey(purpose: string, secret = secretKey()): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hkdfSync('sha256', secret, 'fabric', purpose, 32));
}

/** Names a secret without telling it: stored beside what it encrypted, so that rotation knows what is left to do. */
export function keyId(secret = secretKey()): string {
  return createHash('sha256').update(`fabric-key-id:${secret}`).digest('hex').slice(0, 16);
}

export type Sealed = { sealed: string; key_id: string };

/** AES-256-GCM; `context` (e.g. the row's id) is authenticated, so a value cannot be moved to another row. */
export function seal(plain: string, context: string, secret = secretKey()): Sealed {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', deriveKey('secret-box', secret), iv);
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return { sealed: Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64'), key_id: keyId(secret) };
}

/**
 * The keys that are accepted: the present one, which encrypts and signs, and while it is being replaced the one before.
 */
export function acceptedKeys(): [string, ...string[]] {
  const { FABRIC_PREVIOUS_SECRET_KEY: previous } = env();
  return previous ? [secretKey(), previous] : [secretKey()];
}

/** @throws Error when the key is another one or the value was changed. */
export function unseal(value: Sealed, context: string, given?: string): string {
  const secret = (given === undefined ? acceptedKeys() : [given]).find((key) => keyId(key) === value.key_id);
  if (secret === undefined) {
    throw new Error(
      'The secret was encrypted with a different FABRIC_SECRET_KEY. Restore that key or enter the secret again.',
    );
  }
  const bytes = Buffer.from(value.sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', deriveKey('secret-box', secret), bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}
