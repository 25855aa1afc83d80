import { systemScope } from '@/server/auth/scope';
import { keyId } from '@/server/lib/crypto';
import { listKeyReferences } from '@/server/operation/queries/sealed-values';
import { type KeyPair, rotateSecrets } from '@/server/operation/rotate-secrets';
import { readSecret, removeSecret, writeSecret } from '../secret-files';
import { randomSecret } from '../secrets';
import { type Command, EXIT, type Terminal } from './command';
import { type Installation, withInstallation, withServices } from './open-installation';

const HOW =
  'For every process, set FABRIC_SECRET_KEY to a new key (openssl rand -base64 32) and FABRIC_PREVIOUS_SECRET_KEY to the current one. Restart all processes, then run this command with the same two variables.';

/**
 * Creates the new key of a data directory, or resumes an interrupted rotation: then something is still encrypted with the previous key.
 * Each step keeps both keys known.
 */
async function renewStoredKey(directory: string, present: string): Promise<KeyPair> {
  const previous = readSecret(directory, 'previous_secret_key');
  const isOther = previous !== null && previous !== present;
  if (isOther && (await listKeyReferences(keyId(previous))).length > 0) return { present, previous };
  if (previous !== present) writeSecret(directory, 'previous_secret_key', present);
  const next = randomSecret();
  writeSecret(directory, 'secret_key', next);
  return { present: next, previous: present };
}

/** @returns the keys, and whether they are kept in the data directory */
async function resolveKeys({
  dataDirectory,
  secretKey,
  previousSecretKey,
}: Installation): Promise<{ keys: KeyPair; stored: boolean }> {
  if (dataDirectory !== null && secretKey !== null && readSecret(dataDirectory, 'secret_key') === secretKey) {
    return { keys: await renewStoredKey(dataDirectory, secretKey), stored: true };
  }
  if (secretKey === null || previousSecretKey === null) throw new Error(HOW);
  if (secretKey === previousSecretKey) throw new Error(`Both keys are the same. ${HOW}`);
  return { keys: { present: secretKey, previous: previousSecretKey }, stored: false };
}

async function rotate(installation: Installation, terminal: Terminal): Promise<number> {
  const { keys, stored, places } = await withServices(installation, async () => {
    const resolved = await resolveKeys(installation);
    const places = await rotateSecrets(systemScope('*', 'fabric rotate-keys'), resolved.keys);
    return { ...resolved, places };
  });
  for (const { name, resealed, unreadable } of places) {
    terminal.note(`${name}: ${resealed} re-encrypted${unreadable > 0 ? `, ${unreadable} that no key decrypts` : ''}`);
  }
  if (stored && installation.dataDirectory !== null) removeSecret(installation.dataDirectory, 'previous_secret_key');
  const unreadable = places.reduce((total, place) => total + place.unreadable, 0);
  if (unreadable > 0) {
    terminal.note(
      'Credentials that no key decrypts were already lost: enter them again, or restore the key that encrypted them.',
    );
  }
  terminal.print(`The current key is ${keyId(keys.present)}.`);
  terminal.note(
    stored
      ? 'Create a backup now: earlier backups need the previous key.'
      : 'From the next start, leave FABRIC_PREVIOUS_SECRET_KEY unset. Earlier backups need the previous key: store it with them.',
  );
  return unreadable > 0 ? EXIT.failed : EXIT.ok;
}

export const rotateKeysCommand: Command = {
  name: 'rotate-keys',
  summary: 'Re-encrypt stored credentials with a new FABRIC_SECRET_KEY.',
  help: `  fabric rotate-keys

Embedded mode: stop Fabric first; the command generates the new key. Afterwards all users must sign in again.

With a key from the environment: ${HOW}
The service keeps running and accepts both keys.

If the rotation is interrupted, run it again: it resumes, and both keys are accepted until it is complete.`,
  options: {},
  positionals: [],
  run: ({ terminal }) =>
    withInstallation({ exclusive: true }, terminal, (installation) => rotate(installation, terminal)),
};
