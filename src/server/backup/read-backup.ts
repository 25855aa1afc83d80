import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import { findDecryption, MAGIC_BYTES } from './encryption';
import {
  BackupHeader,
  BackupManifest,
  BackupSecrets,
  FORMAT_VERSION,
  HEADER_FILE,
  LARGEST_FILE,
  MANIFEST_FILE,
  SECRETS_FILE,
  TABLE_FILE,
} from './manifest';
import { readTar } from './tar';

export type CheckedBackup = {
  header: BackupHeader;
  manifest: BackupManifest;
  secrets: BackupSecrets | null;
  encrypted: boolean;
};

/** How to decrypt a backup; null when it is not encrypted. @throws Error when it is no backup at all */
async function readDecryption(path: string): Promise<ReturnType<typeof findDecryption>> {
  const file = await open(path);
  try {
    const start = Buffer.alloc(MAGIC_BYTES);
    await file.read(start, 0, start.length, 0);
    const decrypt = findDecryption(start);
    const isGzip = start[0] === 0x1f && start[1] === 0x8b;
    if (!decrypt && !isGzip) throw new Error(`${path} is not a Fabric backup.`);
    return decrypt;
  } finally {
    await file.close();
  }
}

/** Whether a file is an encrypted backup. @throws Error when it is no backup at all */
export const isEncrypted = async (path: string): Promise<boolean> => (await readDecryption(path)) !== null;

/** The files of a backup, in order. */
export async function* backupFiles(
  path: string,
  passphrase: string | null,
): AsyncGenerator<{ name: string; content: Buffer }> {
  const decrypt = await readDecryption(path);
  if (decrypt && passphrase === null) throw new Error(`${path} is encrypted. Specify its passphrase.`);
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
  const raw: AsyncIterable<Buffer> = decrypt ? decrypt(file, passphrase ?? '') : file;
  const source = Readable.from(raw, { objectMode: false, highWaterMark: 1024 * 1024 });
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  gunzip.on('close', () => {
    source.destroy();
    file.destroy();
  });
  try {
    yield* readTar(source.pipe(gunzip), LARGEST_FILE);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : error}.`, { cause: error });
  } finally {
    gunzip.destroy();
  }
}

function parse<T extends z.ZodType>(schema: T, name: string, content: Buffer): z.infer<T> {
  let value: unknown;
  try {
    value = JSON.parse(content.toString('utf8'));
  } catch {
    throw new Error(`The file ${name} in the backup is not valid JSON.`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(`The file ${name} in the backup is invalid: ${issue?.path.join('.')}: ${issue?.message}.`);
}

function parseHeader(content: Buffer): BackupHeader {
  const header = parse(BackupHeader, HEADER_FILE, content);
  if (header.format_version > FORMAT_VERSION) {
    throw new Error(
      `The backup was written by a later release (${header.program_version}). Restore it with that release.`,
    );
  }
  return header;
}

/**
 * Reads a backup from beginning to end and compares it with its own manifest, touching nothing else.
 * @throws Error naming what is wrong: not a backup, a wrong passphrase, damage, something missing
 */
export async function checkBackup(path: string, passphrase: string | null): Promise<CheckedBackup> {
  let header: BackupHeader | null = null;
  let secrets: BackupSecrets | null = null;
  let manifest: BackupManifest | null = null;
  const seen = new Map<string, { hash: ReturnType<typeof createHash>; bytes: number; parts: number }>();
  for await (const { name, content } of backupFiles(path, passphrase)) {
    if (manifest) throw new Error(`The backup contains data after its end (${name}).`);
    if (!header && name !== HEADER_FILE) throw new Error(`${path} is not a Fabric backup.`);
    if (name === HEADER_FILE) header = parseHeader(content);
    else if (name === SECRETS_FILE) secrets = parse(BackupSecrets, name, content);
    else if (name === MANIFEST_FILE) manifest = parse(BackupManifest, name, content);
    else {
      const [, table, part] = TABLE_FILE.exec(name) ?? [];
      if (!table) throw new Error(`The backup contains the unknown file ${name}.`);
      const soFar = seen.get(table) ?? { hash: createHash('sha256'), bytes: 0, parts: 0 };
      if (Number(part) !== soFar.parts + 1) throw new Error(`A part of the table ${table} is missing from the backup.`);
      soFar.hash.update(content);
      soFar.bytes += content.length;
      soFar.parts += 1;
      seen.set(table, soFar);
    }
  }
  if (!header || !manifest) throw new Error(`${path} ends before its manifest: the backup was not completed.`);
  for (const table of manifest.tables) {
    const found = seen.get(table.name);
    const sha256 = (found?.hash ?? createHash('sha256')).digest('hex');
    if (sha256 !== table.sha256) throw new Error(`The table ${table.name} in the backup is damaged.`);
    seen.delete(table.name);
  }
  const [extra] = seen.keys();
  if (extra) throw new Error(`The table ${extra} is not in the manifest of the backup.`);
  return { header, manifest, secrets, encrypted: await isEncrypted(path) };
}
