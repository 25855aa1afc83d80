import { systemScope } from '@/server/auth/scope';
import { keyId } from '@/server/lib/crypto';
import { type KeyPair, rotateSecrets } from '@/server/operation/rotate-secrets';
import { readSecret, removeSecret, writeSecret } from '../secret-files';
import { randomSecret } from '../secrets';
import { type Command, EXIT, type Terminal } from './command';
import { type Installation, withInstallation, withServices } from './open-installation';

const HOW =
  'Set FABRIC_SECRET_KEY to a new key (openssl rand -base64 32) and FABRIC_PREVIOUS_SECRET_KEY to the one before for every process, start them again, then run this with the same two variables.';

/** Makes the new key of a data directory, or takes up a rotation that was broken off. Each step leaves both keys known. */
function renewStoredKey(directory: string, present: string): KeyPair {
  const previous = readSecret(directory, 'previous_secret_key');
  if (previous !== null && previous !== present) return { present, previous };
  if (previous === null) writeSecret(directory, 'previous_secret_key', present);
  const next = randomSecret();
  writeSecret(directory, 'secret_key', next);
  return { present: next, previous: present };
}

/** @returns the keys, and whether they are kept in the data directory */
function keysOf({ dataDirectory, secretKey, previousSecretKey }: Installation): { keys: KeyPair; stored: boolean } {
  if (dataDirectory !== null && secretKey !== null && readSecret(dataDirectory, 'secret_key') === secretKey) {
    return { keys: renewStoredKey(dataDirectory, secretKey), stored: true };
  }
  if (secretKey === null || previousSecretKey === null) throw new Error(HOW);
  if (secretKey === previousSecretKey) throw new Error(`Both keys are the same. ${HOW}`);
  return { keys: { present: secretKey, previous: previousSecretKey }, stored: false };
}

async function rotate(installation: Installation, terminal: Terminal): Promise<number> {
  const { keys, stored } = keysOf(installation);
  const places = await withServices(installation, () => rotateSecrets(systemScope('*', 'fabric rotate-keys'), keys));
  for (const { name, resealed, unreadable } of places) {
    terminal.note(`${name}: ${resealed} encrypted anew${unreadable > 0 ? `, ${unreadable} that no key opens` : ''}`);
  }
  if (stored && installation.dataDirectory !== null) removeSecret(installation.dataDirectory, 'previous_secret_key');
  const unreadable = places.reduce((total, place) => total + place.unreadable, 0);
  if (unreadable > 0) {
    terminal.note(
      'What no key opens was lost before: enter those credentials again, or restore the key they were made with.',
    );
  }
  terminal.print(`The present key is ${keyId(keys.present)}.`);
  terminal.note(
    stored
      ? 'Make a backup now: earlier ones need the key before.'
      : 'Leave FABRIC_PREVIOUS_SECRET_KEY out from the next start on. Earlier backups need the key before: keep it with them.',
  );
  return unreadable > 0 ? EXIT.failed : EXIT.ok;
}

export const rotateKeysCommand: Command = {
  name: 'rotate-keys',
  summary: 'Encrypts stored credentials with a new FABRIC_SECRET_KEY.',
  help: `  fabric rotate-keys

Embedded mode: with Fabric stopped; makes the new key itself. People sign in again afterwards.

With a key from the environment: ${HOW}
The service runs on meanwhile and accepts both.

Broken off at any point, it is run again: what is done stays done, and both keys are accepted until it is complete.`,
  options: {},
  positionals: [],
  run: ({ terminal }) =>
    withInstallation({ exclusive: true }, terminal, (installation) => rotate(installation, terminal)),
};
