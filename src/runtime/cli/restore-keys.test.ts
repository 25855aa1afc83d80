import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckedBackup } from '@/server/backup/read-backup';
import { keyId } from '@/server/lib/crypto';
import { readSecret, writeSecret } from '../secret-files';
import type { Terminal } from './command';
import type { Installation } from './open-installation';
import { planKeys } from './restore-keys';

const [OWN, OTHER, CURRENT, FORMER] = ['o', 'x', 'c', 'f'].map((letter) => letter.repeat(40)) as [
  string,
  string,
  string,
  string,
];
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-keys-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const terminal = { note: () => {}, print: () => {} } as unknown as Terminal;
const makeBackup = (header: Partial<CheckedBackup['header']>, secrets: CheckedBackup['secrets'] = null) =>
  ({ header: { key_id: keyId(CURRENT), ...header }, secrets }) as CheckedBackup;
/** In the middle of a rotation: some rows name the key before. */
const rotating = { key_ids: [CURRENT, FORMER].map(keyId) };
const both = { secret_key: CURRENT, previous_secret_key: FORMER };
const readKeys = () => [readSecret(directory, 'secret_key'), readSecret(directory, 'previous_secret_key')];
function store(present: string | null, previous: string | null = null): void {
  if (present !== null) writeSecret(directory, 'secret_key', present);
  if (previous !== null) writeSecret(directory, 'previous_secret_key', previous);
}
const embedded = () => {
  const [secretKey = null, previousSecretKey = null] = readKeys();
  return { dataDirectory: directory, secretKey, previousSecretKey } as Installation;
};
const external = (secretKey: string | null, previousSecretKey: string | null = null) =>
  ({ dataDirectory: null, secretKey, previousSecretKey }) as Installation;
const plan = (
  backup: CheckedBackup,
  installation: Installation,
  { writeKey = null as string | null, acceptLostSecrets = false } = {},
) => planKeys(backup, installation, { writeKey, acceptLostSecrets });

describe('planKeys', () => {
  it.each([
    [null, null],
    [OWN, null],
    [OWN, CURRENT],
    [CURRENT, null],
  ])('leaves the keys as they were when the restore fails: %s, %s', (present, previous) => {
    store(present, previous);
    const keys = plan(makeBackup(rotating, both), embedded());
    keys.prepare();
    keys.undo();
    expect(readKeys()).toEqual([present, previous]);
  });

  it.each([
    [null, null],
    [OWN, null],
    [OWN, CURRENT],
    [CURRENT, null],
    [CURRENT, FORMER],
  ])('takes over both keys of a backup that was created during a rotation: %s, %s', (present, previous) => {
    store(present, previous);
    const keys = plan(makeBackup(rotating, both), embedded());
    keys.prepare();
    // Whatever ends the process now: the key of the backup is accepted.
    expect(readKeys()).toContain(CURRENT);
    keys.finish(terminal);
    expect(readKeys()).toEqual([CURRENT, FORMER]);
    const aside = readdirSync(join(directory, 'secrets')).filter((name) => name.startsWith('secret_key.replaced-'));
    expect(aside).toHaveLength(present === OWN ? 1 : 0);
  });

  it('removes the file with the variables when the restore fails', () => {
    const file = join(directory, 'fabric.env');
    const keys = plan(makeBackup(rotating, both), external(null), { writeKey: file });
    keys.prepare();
    expect(readFileSync(file, 'utf8')).toContain(`FABRIC_PREVIOUS_SECRET_KEY=${FORMER}`);
    keys.undo();
    expect(existsSync(file)).toBe(false);
  });

  it('requires every key that rows name', () => {
    const backup = makeBackup(rotating);
    expect(() => plan(backup, external(CURRENT))).toThrow(
      `only one of their keys: set FABRIC_PREVIOUS_SECRET_KEY to the other key of the backup (id ${keyId(FORMER)})`,
    );
    expect(() => plan(backup, external(OTHER))).toThrow(
      `has a different key: set FABRIC_SECRET_KEY to the key of the backup (id ${keyId(CURRENT)}), set FABRIC_PREVIOUS`,
    );
    const unknown = makeBackup({ key_id: null, key_ids: [keyId(CURRENT)] });
    expect(() => plan(unknown, external(null))).toThrow(/has no key: set FABRIC_SECRET_KEY to the key of the backup/);
    for (const accepted of [external(CURRENT, FORMER), external(FORMER, CURRENT)]) plan(backup, accepted).undo();
    plan(unknown, external(CURRENT)).undo();
    plan(backup, external(OTHER), { acceptLostSecrets: true }).finish(terminal);
  });

  it('requires the present key of a backup that does not list what its rows name', () => {
    expect(() => plan(makeBackup({}), external(OTHER))).toThrow(/has a different key/);
    plan(makeBackup({}), external(CURRENT)).undo();
    plan(makeBackup({ key_id: null }), external(null)).undo();
  });

  it('refuses to replace keys while another rotation is in progress', () => {
    store(OWN, OTHER);
    expect(() => plan(makeBackup(rotating, both), embedded())).toThrow(/rotation is in progress here/);
  });
});
