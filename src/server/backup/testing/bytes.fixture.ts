import { createCipheriv, randomBytes } from 'node:crypto';
import { CHUNK, deriveBackupKey, MAGIC_BEFORE_AGE, nonce, PREFIX, pieces, SALT } from '../encryption-before-age';

/** Bytes as they arrive from a file, in pieces of `size`. */
export async function* splitBytes(bytes: Buffer, size = 100_003): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Everything that a stream holds. */
export async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Encrypts as release 0.1 did, for tests of reading such backups: nothing else writes this format. */
export async function* encryptBeforeAge(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT);
  const prefix = randomBytes(PREFIX);
  const head = Buffer.concat([MAGIC_BEFORE_AGE, salt, prefix]);
  const key = await deriveBackupKey(passphrase, salt);
  yield head;
  let counter = 0;
  for await (const { bytes, last } of pieces(source, CHUNK)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonce(prefix, counter, last));
    cipher.setAAD(head);
    counter += 1;
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}
