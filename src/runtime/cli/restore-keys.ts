import { existsSync, renameSync, rmSync } from 'node:fs';
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

/**
 * What happens to the key: `prepare` before the database is touched, then `finish` when it holds the backup, or `undo` when it is as it
 * was.
 */
export type KeyPlan = { prepare(): void; finish(terminal: Terminal): void; undo(): void };
type Secrets = NonNullable<CheckedBackup['secrets']>;

const NOTHING: KeyPlan = { prepare() {}, finish() {}, undo() {} };

/** Ids of the keys that a backup needs and that are none of these. */
export function listMissingKeys(
  { key_id, key_ids = [] }: Pick<CheckedBackup['header'], 'key_id' | 'key_ids'>,
  keys: readonly (string | null)[],
): string[] {
  const known = new Set(keys.map((key) => key !== null && keyId(key)));
  const needed = new Set([...(key_id === null ? [] : [key_id]), ...key_ids]);
  return [...needed].filter((id) => !known.has(id));
}

function storePrevious(directory: string, value: string | null): void {
  if (value === null) removeSecret(directory, 'previous_secret_key');
  else writeSecret(directory, 'previous_secret_key', value);
}

/** The keys of the backup become those of the data directory. Between the two steps those of both are accepted. */
function adopt(directory: string, secrets: Secrets): KeyPlan {
  const present = readSecret(directory, 'secret_key');
  const previous = readSecret(directory, 'previous_secret_key');
  const isSame = present === secrets.secret_key;
  return {
    prepare() {
      if (present === null) writeSecret(directory, 'secret_key', secrets.secret_key);
      else storePrevious(directory, isSame ? secrets.previous_secret_key : secrets.secret_key);
    },
    finish(terminal) {
      if (present !== null && !isSame) {
        const path = join(directory, 'secrets', 'secret_key');
        const aside = `${path}.replaced-${clock.now().getTime()}`;
        renameSync(path, aside);
        writeSecret(directory, 'secret_key', secrets.secret_key);
        terminal.note(`The previous key is in ${aside}.`);
      }
      storePrevious(directory, secrets.previous_secret_key);
    },
    undo() {
      if (present === null) removeSecret(directory, 'secret_key');
      storePrevious(directory, previous);
    },
  };
}

function writeVariables(path: string, secrets: Secrets): KeyPlan {
  if (existsSync(path)) throw new Error(`${path} already exists.`);
  const { secret_key, previous_secret_key } = secrets;
  const lines = [
    `FABRIC_SECRET_KEY=${secret_key}`,
    ...(previous_secret_key === null ? [] : [`FABRIC_PREVIOUS_SECRET_KEY=${previous_secret_key}`]),
  ];
  return {
    prepare: () => writePrivateFile(path, `${lines.join('\n')}\n`),
    finish: (terminal) => terminal.note(`Start every process with the variables in ${path}.`),
    undo: () => rmSync(path, { force: true }),
  };
}

/** What is done with the keys, and which of those that the backup needs are not known afterwards. */
function findPlan(
  { header, secrets }: CheckedBackup,
  { dataDirectory, secretKey, previousSecretKey }: Installation,
  writeKey: string | null,
): { plan: KeyPlan; missing: string[] } {
  const missing = listMissingKeys(header, [secretKey, previousSecretKey]);
  const included = listMissingKeys(header, secrets ? [secrets.secret_key, secrets.previous_secret_key] : []);
  if (writeKey !== null) {
    if (!secrets) throw new Error('The backup contains no key (backup --include-key), so there is no key to write.');
    return { plan: writeVariables(writeKey, secrets), missing: included };
  }
  const isPresent = header.key_id === null || (secretKey !== null && keyId(secretKey) === header.key_id);
  const ownFile = dataDirectory !== null && secretKey === readSecret(dataDirectory, 'secret_key');
  if (!secrets || !ownFile || (isPresent && included.length >= missing.length)) return { plan: NOTHING, missing };
  // One of the keys of the backup is there after a restore that was interrupted.
  const needed = new Set(listMissingKeys(header, []));
  if (previousSecretKey !== null && !needed.has(keyId(previousSecretKey))) {
    throw new Error('A key rotation is in progress here. Complete it first: fabric rotate-keys.');
  }
  return { plan: adopt(dataDirectory, secrets), missing: included };
}

/**
 * Makes sure that the restored credentials can be read afterwards.
 * @throws Error that lists where the keys may come from
 */
export function planKeys(
  backup: CheckedBackup,
  installation: Installation,
  { writeKey, acceptLostSecrets }: KeyOptions,
): KeyPlan {
  const { plan, missing } = findPlan(backup, installation, writeKey);
  if (missing.length === 0) return plan;
  if (acceptLostSecrets) {
    return {
      ...plan,
      finish(terminal) {
        plan.finish(terminal);
        terminal.note('Stored credentials cannot be decrypted with the current key: enter them again.');
      },
    };
  }
  const { header, secrets } = backup;
  const isPrevious = header.key_id !== null && !missing.includes(header.key_id);
  const ways = [
    ...missing.map((id, at) =>
      at === 0 && !isPrevious
        ? `set FABRIC_SECRET_KEY to the key of the backup (id ${id})`
        : `set FABRIC_PREVIOUS_SECRET_KEY to the other key of the backup (id ${id})`,
    ),
    ...(secrets && writeKey === null ? ['extract the key from the backup with --write-key FILE'] : []),
    'or use --accept-lost-secrets and enter API tokens and other credentials again',
  ];
  const other = isPrevious ? 'This installation has only one of their keys' : 'This installation has a different key';
  const present = installation.secretKey === null ? 'This installation has no key' : other;
  throw new Error(`The credentials in the backup are encrypted. ${present}: ${ways.join(', ')}.`);
}
