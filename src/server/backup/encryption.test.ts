import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decrypt, ENCRYPTED_MAGIC, encrypt } from './encryption';

const PASSPHRASE = 'a quiet walk through the woods';

async function* inPieces(bytes: Buffer, size = 100_003): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function all(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const sealed = (bytes: Buffer) => all(encrypt(inPieces(bytes), PASSPHRASE));
const opened = (bytes: Buffer, passphrase = PASSPHRASE, size?: number) =>
  all(decrypt(inPieces(bytes, size), passphrase));

const HEAD = ENCRYPTED_MAGIC.length + 16 + 7;
const PIECE = 256 * 1024 + 16;

describe('encryption of backups', () => {
  it.each([0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 512 * 1024, 1_000_000])(
    'gives %i bytes back',
    async (length) => {
      const plain = randomBytes(length);
      const file = await sealed(plain);
      // A byte or two are in any file by chance.
      expect(file.includes(plain.subarray(0, 32)) && length > 8).toBe(false);
      expect((await opened(file)).equals(plain)).toBe(true);
    },
  );

  it('takes bytes one by one', async () => {
    const plain = randomBytes(300);
    expect((await opened(await sealed(plain), PASSPHRASE, 1)).equals(plain)).toBe(true);
  });

  it('refuses another passphrase, and never writes the same twice', async () => {
    const file = await sealed(Buffer.from('text'));
    await expect(opened(file, 'another passphrase')).rejects.toThrow(/passphrase is wrong/);
    expect(file.equals(await sealed(Buffer.from('text')))).toBe(false);
  });

  it('notices what was cut off, left out, repeated, moved or changed', async () => {
    const file = await sealed(randomBytes(600 * 1024));
    const piece = (n: number) => file.subarray(HEAD + n * PIECE, Math.min(HEAD + (n + 1) * PIECE, file.length));
    const head = file.subarray(0, HEAD);
    const broken = {
      'cut at a piece': Buffer.concat([head, piece(0), piece(1)]),
      'cut inside': file.subarray(0, file.length - 5),
      'left out': Buffer.concat([head, piece(0), piece(2)]),
      repeated: Buffer.concat([head, piece(0), piece(0), piece(1), piece(2)]),
      moved: Buffer.concat([head, piece(1), piece(0), piece(2)]),
      'more at the end': Buffer.concat([file, Buffer.from('x')]),
    };
    for (const [name, bytes] of Object.entries(broken)) {
      await expect(opened(bytes), name).rejects.toThrow(/damaged|cut off|changed|ends early/);
    }
    const flipped = Buffer.from(file);
    flipped[HEAD - 1] = (flipped[HEAD - 1] ?? 0) ^ 1;
    await expect(opened(flipped)).rejects.toThrow(/changed/);
  });
});
