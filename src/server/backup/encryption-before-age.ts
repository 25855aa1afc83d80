import { createDecipheriv, type ScryptOptions, scrypt } from 'node:crypto';

/** First bytes of an encrypted backup of release 0.1: AES-256-GCM piece by piece under a key by scrypt. Later ones are age files. */
export const MAGIC_BEFORE_AGE = Buffer.from('FABRICBACKUP1\n');
export const SALT = 16;
export const PREFIX = 7;
const TAG = 16;
export const CHUNK = 256 * 1024;
/** 128 MiB for half a second: what each guess of the passphrase costs. */
export const COST: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

const HEAD = MAGIC_BEFORE_AGE.length + SALT + PREFIX;

export function deriveBackupKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** The number of a chunk and whether it is the last are in its nonce: none can be left out, repeated or moved. */
export function nonce(prefix: Buffer, counter: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  prefix.copy(bytes);
  bytes.writeUInt32BE(counter, PREFIX);
  bytes[11] = last ? 1 : 0;
  return bytes;
}

/** Cuts a stream into pieces of `size`; the last is shorter, perhaps empty, and is marked as such. */
export async function* pieces(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ bytes: Buffer; last: boolean }> {
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    // A whole piece waits until something follows it: only then it is certain not to be the last.
    while (rest.length > size) {
      yield { bytes: rest.subarray(0, size), last: false };
      rest = rest.subarray(size);
    }
  }
  yield { bytes: rest, last: true };
}

/** @throws Error when the passphrase is wrong, or the file was damaged or cut off */
export async function* decryptBeforeAge(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < HEAD) {
    const { value, done } = await chunks.next();
    if (done) throw new Error('the backup is truncated');
    start = Buffer.concat([start, value]);
  }
  const head = start.subarray(0, HEAD);
  const salt = head.subarray(MAGIC_BEFORE_AGE.length, MAGIC_BEFORE_AGE.length + SALT);
  const prefix = head.subarray(HEAD - PREFIX);
  const key = await deriveBackupKey(passphrase, salt);
  async function* body(): AsyncGenerator<Buffer> {
    yield start.subarray(HEAD);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  let counter = 0;
  for await (const { bytes, last } of pieces(body(), CHUNK + TAG)) {
    if (bytes.length < TAG) throw new Error('the backup is truncated');
    const decipher = createDecipheriv('aes-256-gcm', key, nonce(prefix, counter, last));
    decipher.setAAD(head);
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
    let plain: Buffer;
    try {
      plain = Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG)), decipher.final()]);
    } catch (cause) {
      throw new Error(
        counter === 0
          ? 'the passphrase is wrong, or the file was modified'
          : 'the backup was damaged or truncated after it was written',
        { cause },
      );
    }
    counter += 1;
    yield plain;
  }
}
