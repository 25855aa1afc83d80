import {
  PasskeyCreation as Creation,
  type PasskeyAnswer,
  type PasskeyCreation,
  type PasskeyCredential,
  PasskeyRequest,
  type PasskeySite,
} from '@/domain/passkeys';
import { logger } from '../lib/logger';

/** How long a browser may take over one prompt, and how long its challenge is accepted. */
export const CEREMONY_SECONDS = 300;

/** EdDSA, ES256, RS256: what every authenticator has one of, and every supported version of Node.js verifies. */
const ALGORITHMS = [-8, -7, -257];

/** Only sign-ins with passkeys need it, and it is large. */
const loadLibrary = () => import('@simplewebauthn/server');

export type KnownPasskey = {
  credential_id: string;
  public_key: string;
  counter: number;
  transports: readonly string[];
};
type Described = Pick<KnownPasskey, 'credential_id' | 'transports'>;

const describePasskey = ({ credential_id, transports }: Described) => ({
  id: credential_id,
  type: 'public-key' as const,
  transports: [...transports],
});

/** What a browser needs to create a passkey that is none of `known`. */
export async function createCreationOptions(
  site: PasskeySite,
  user: { id: string; email: string; name: string },
  known: readonly Described[],
): Promise<PasskeyCreation> {
  const { generateRegistrationOptions } = await loadLibrary();
  const options = await generateRegistrationOptions({
    rpName: 'Fabric',
    rpID: site.rp_id,
    // Authenticators replace a passkey of the same user ID: it is not the email address, which may change.
    userID: new TextEncoder().encode(user.id),
    userName: user.email,
    userDisplayName: user.name || user.email,
    timeout: CEREMONY_SECONDS * 1000,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return Creation.parse({ ...options, excludeCredentials: known.map(describePasskey) });
}

/** What a browser needs to use one of these passkeys. */
export async function createRequestOptions(site: PasskeySite, known: readonly Described[]): Promise<PasskeyRequest> {
  const { generateAuthenticationOptions } = await loadLibrary();
  const options = await generateAuthenticationOptions({
    rpID: site.rp_id,
    timeout: CEREMONY_SECONDS * 1000,
    // The password was the first factor: an authenticator without PIN is enough.
    userVerification: 'preferred',
  });
  return PasskeyRequest.parse({ ...options, allowCredentials: known.map(describePasskey) });
}

/** The passkey that a browser created for a challenge; null when the answer is not acceptable. */
export async function verifyCreation(
  site: PasskeySite,
  challenge: string,
  { response, ...rest }: PasskeyCredential,
): Promise<(KnownPasskey & { synced: boolean }) | null> {
  const { verifyRegistrationResponse } = await loadLibrary();
  const { transports = [], ...signed } = response;
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...rest, response: signed, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return null;
    const { credential, credentialBackedUp: synced } = registrationInfo;
    return {
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports,
      synced,
    };
  } catch (error) {
    logger.info({ err: error }, 'a new passkey was refused');
    return null;
  }
}

export type PasskeyRefusal = 'wrong_passkey' | 'passkey_counter';

/**
 * Verifies the answer of a known passkey. A counter that did not grow is a refusal of its own: the signature is right,
 * so that either the passkey or an answer of it was copied.
 */
export async function verifyAnswer(
  site: PasskeySite,
  challenge: string,
  answer: PasskeyAnswer,
  known: KnownPasskey,
): Promise<{ counter: number; synced: boolean } | { refused: PasskeyRefusal }> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...answer, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      requireUserVerification: false,
      // The library would throw the same error for the counter as for everything else; it is compared below.
      credential: { id: known.credential_id, publicKey: Buffer.from(known.public_key, 'base64url'), counter: 0 },
    });
    if (!verified) return { refused: 'wrong_passkey' };
    const { newCounter: counter, credentialBackedUp: synced } = authenticationInfo;
    if ((counter > 0 || known.counter > 0) && counter <= known.counter) return { refused: 'passkey_counter' };
    return { counter, synced };
  } catch (error) {
    logger.info({ err: error }, 'the answer of a passkey was refused');
    return { refused: 'wrong_passkey' };
  }
}
