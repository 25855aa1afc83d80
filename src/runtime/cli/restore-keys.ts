import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckedBackup } from '@/server/backup/read-backup';
import { clock } from '@/server/lib/clock';
import { keyId } from '@/server/lib/crypto';
import { readSecret, removeSecret, writePrivateFile, writeSecret } from '../secret-files';
import type { Terminal } from './command';
import type { Installation } from './open-installation';

export type KeyOptions = {
  /** Where the key of the backup goes as variables, for an installation that takes it from the environment. */
  writeKey: string | null;
  /** Restore although no one has the key. */
  acceptLostSecrets: boolean;
};

/** What happens to the key: `prepare` before the database is touched, `finish` when it holds the backup. */
export type KeyPlan = { prepare(): void; finish(terminal: Terminal): void };

const NOTHING: KeyPlan = { prepare() {}, finish() {} };

/** The key of the backup becomes the one of the data directory. Between the two steps both are accepted. */
function adopt(directory: string, secrets: NonNullable<CheckedBackup['secrets']>): KeyPlan {
  const present = readSecret(directory, 'secret_key');
  return {
    prepare() {
      if (present === null) writeSecret(directory, 'secret_key', secrets.secret_key);
      else writeSecret(directory, 'previous_secret_key', secrets.secret_key);
    },
    finish(terminal) {
      if (present !== null) {
        const path = join(directory, 'secrets', 'secret_key');
        const aside = `${path}.replaced-${clock.now().getTime()}`;
        renameSync(path, aside);
        writeSecret(directory, 'secret_key', secrets.secret_key);
        terminal.note(`The previous key is in ${aside}.`);
      }
      if (secrets.previous_secret_key === null) removeSecret(directory, 'previous_secret_key');
      else writeSecret(directory, 'previous_secret_key', secrets.previous_secret_key);
    },
  };
}

function writeVariables(path: string, secrets: NonNullable<CheckedBackup['secrets']>): KeyPlan {
  if (existsSync(path)) throw new Error(`${path} already exists.`);
  const { secret_key, previous_secret_key } = secrets;
  const lines = [
    `FABRIC_SECRET_KEY=${secret_key}`,
    ...(previous_secret_key === null ? [] : [`FABRIC_PREVIOUS_SECRET_KEY=${previous_secret_key}`]),
  ];
  return {
    prepare: () => writePrivateFile(path, `${lines.join('\n')}\n`),
    finish: (terminal) => terminal.note(`Start every process with the variables in ${path}.`),
  };
}

/**
 * Makes sure that the restored credentials can be read afterwards.
 * @throws Error that lists where the key may come from
 */
export function planKeys(
  { header, secrets }: CheckedBackup,
  { dataDirectory, secretKey, previousSecretKey }: Installation,
  { writeKey, acceptLostSecrets }: KeyOptions,
): KeyPlan {
  const fits = (key: string | null) => key !== null && keyId(key) === header.key_id;
  if (writeKey !== null) {
    if (!secrets) throw new Error('The backup contains no key (backup --include-key), so there is no key to write.');
    return writeVariables(writeKey, secrets);
  }
  if (header.key_id === null || fits(secretKey)) return NOTHING;
  const ownFile = dataDirectory !== null && secretKey === readSecret(dataDirectory, 'secret_key');
  if (secrets && dataDirectory !== null && ownFile) {
    if (previousSecretKey !== null && !fits(previousSecretKey)) {
      throw new Error('A key rotation is in progress here. Complete it first: fabric rotate-keys.');
    }
    return adopt(dataDirectory, secrets);
  }
  if (acceptLostSecrets) {
    return {
      ...NOTHING,
      finish: (terminal) =>
        terminal.note('Stored credentials cannot be decrypted with the current key: enter them again.'),
    };
  }
  const ways = [
    `set FABRIC_SECRET_KEY to the key of the backup (id ${header.key_id})`,
    ...(secrets ? ['extract the key from the backup with --write-key FILE'] : []),
    'or use --accept-lost-secrets and enter API tokens and other credentials again',
  ];
  const present = secretKey === null ? 'This installation has no key' : 'This installation has a different key';
  throw new Error(`The credentials in the backup are encrypted. ${present}: ${ways.join(', ')}.`);
}
