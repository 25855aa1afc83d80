import { ReadableStream as NodeStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import { decryptBeforeAge, MAGIC_BEFORE_AGE } from './encryption-before-age';

/** First bytes of an encrypted backup, which is an age file (age-encryption.org/v1). */
const AGE_MAGIC = Buffer.from('age-encryption.org/v1\n');
/** scrypt with N = 2^17 and r = 8, 128 MiB: the cost of each guess of the passphrase. */
export const AGE_COST = { logN: 17 };

type Decrypt = (source: AsyncIterable<Buffer>, passphrase: string) => AsyncGenerator<Buffer>;

/** One passphrase, however its accents were typed. */
const normalizePassphrase = (passphrase: string) => passphrase.normalize('NFKC');
/** Node has one class of web streams and two types of them. */
const webStream = (source: AsyncIterable<Buffer>) => NodeStream.from(source) as unknown as ReadableStream<Uint8Array>;

async function* buffers(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  const chunks = stream as unknown as AsyncIterable<Uint8Array>;
  for await (const { buffer, byteOffset, byteLength } of chunks) yield Buffer.from(buffer, byteOffset, byteLength);
}

/** Encrypts a stream of any length under a passphrase, as an age file, in little memory. */
export async function* encrypt(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const age = new Encrypter();
  age.setPassphrase(normalizePassphrase(passphrase));
  age.setScryptWorkFactor(AGE_COST.logN);
  yield* buffers(await age.encrypt(webStream(source)));
}

/** @throws Error when the passphrase is wrong, or the file was damaged or cut off */
async function* decryptAge(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const age = new Decrypter();
  age.addPassphrase(normalizePassphrase(passphrase));
  let begun = false;
  try {
    const plain = await age.decrypt(webStream(source));
    begun = true;
    yield* buffers(plain);
  } catch (cause) {
    // A file that cannot be read is not one that was changed.
    if (cause instanceof Error && 'syscall' in cause) throw cause;
    throw new Error(
      begun
        ? 'the backup was damaged or truncated after it was written'
        : 'the passphrase is wrong, or the file was modified',
      { cause },
    );
  }
}

const FORMATS: readonly { magic: Buffer; decrypt: Decrypt }[] = [
  { magic: AGE_MAGIC, decrypt: decryptAge },
  { magic: MAGIC_BEFORE_AGE, decrypt: decryptBeforeAge },
];

/** The number of bytes at the start of a file that show whether it is encrypted. */
export const MAGIC_BYTES = Math.max(...FORMATS.map(({ magic }) => magic.length));

/** How to decrypt a file that starts so; null when it is not encrypted by us. */
export const findDecryption = (start: Buffer): Decrypt | null =>
  FORMATS.find(({ magic }) => start.subarray(0, magic.length).equals(magic))?.decrypt ?? null;
