import { createCipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';

const MAGIC = Buffer.from('FABRICBACKUP1\n');
const SALT = 16;
const PREFIX = 7;
const CHUNK = 256 * 1024;
/** 128 MiB for half a second: what each guess of the passphrase costs. */
const COST: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

function keyOf(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** The number of a chunk and whether it is the last are in its nonce: none can be left out, repeated or moved. */
function nonce(prefix: Buffer, counter: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  prefix.copy(bytes);
  bytes.writeUInt32BE(counter, PREFIX);
  bytes[11] = last ? 1 : 0;
  return bytes;
}

/** Cuts a stream into pieces of `size`; the last is shorter, perhaps empty, and is marked as such. */
async function* pieces(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<{ bytes: Buffer; last: boolean }> {
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

/** Encrypts as release 0.1 did, for tests of reading such backups: nothing else writes this format. */
export async function* encryptBeforeAge(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT);
  const prefix = randomBytes(PREFIX);
  const head = Buffer.concat([MAGIC, salt, prefix]);
  const key = await keyOf(passphrase, salt);
  yield head;
  let counter = 0;
  for await (const { bytes, last } of pieces(source, CHUNK)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonce(prefix, counter, last));
    cipher.setAAD(head);
    counter += 1;
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}
