import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { overrideConstant } from '@/test/override-constant';
import { AGE_COST, encrypt, findDecryption } from './encryption';
import { COST } from './encryption-before-age';
import { encryptBeforeAge, readAll, splitBytes } from './testing/bytes.fixture';

const PASSPHRASE = 'a quiet walk through the woods';

// A key is made for each file. With its real cost backup.int.test.ts opens a file that release 0.1 wrote, and backup-command.int.test.ts
// what the program writes.
afterAll(overrideConstant(COST, { N: 2 ** 10 }));
afterAll(overrideConstant(AGE_COST, { logN: 10 }));

async function decryptFile(file: Buffer, passphrase = PASSPHRASE, size?: number): Promise<Buffer> {
  const decrypt = findDecryption(file);
  if (!decrypt) throw new Error('not encrypted');
  return readAll(decrypt(splitBytes(file, size), passphrase));
}

/** How each format lays its pieces: `head` finds where the first begins, from `last` on, a change looks like a wrong key. */
const formats = [
  {
    name: 'an age file',
    seal: (bytes: Buffer) => readAll(encrypt(splitBytes(bytes), PASSPHRASE)),
    plain: 64 * 1024,
    head: (file: Buffer) => file.indexOf('\n', file.indexOf('\n--- ') + 1) + 1 + 16,
  },
  {
    name: 'a file of release 0.1',
    seal: (bytes: Buffer) => readAll(encryptBeforeAge(splitBytes(bytes), PASSPHRASE)),
    plain: 256 * 1024,
    head: () => 'FABRICBACKUP1\n'.length + 16 + 7,
  },
];

describe.each(formats)('encryption of backups as $name', ({ seal, plain: pieceBytes, head }) => {
  it.each([0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 2 * pieceBytes, 1_000_000])(
    'returns %i bytes',
    async (length) => {
      const plain = randomBytes(length);
      const file = await seal(plain);
      // A byte or two are in any file by chance.
      expect(file.includes(plain.subarray(0, 32)) && length > 8).toBe(false);
      expect((await decryptFile(file)).equals(plain)).toBe(true);
    },
  );

  it('reads bytes that arrive one by one', async () => {
    const plain = randomBytes(300);
    expect((await decryptFile(await seal(plain), PASSPHRASE, 1)).equals(plain)).toBe(true);
  });

  it('refuses another passphrase and never writes the same bytes twice', async () => {
    const file = await seal(Buffer.from('text'));
    await expect(decryptFile(file, 'another passphrase')).rejects.toThrow(/passphrase is wrong/);
    expect(file.equals(await seal(Buffer.from('text')))).toBe(false);
  });

  it('refuses a file of which a piece was cut off, left out, repeated, moved or changed', async () => {
    const file = await seal(randomBytes(2 * pieceBytes + 1000));
    const start = head(file);
    const piece = (n: number) => file.subarray(start + n * (pieceBytes + 16), start + (n + 1) * (pieceBytes + 16));
    const before = file.subarray(0, start);
    expect(Buffer.concat([before, piece(0), piece(1), piece(2)]).equals(file)).toBe(true);
    const flipped = (at: number) => {
      const bytes = Buffer.from(file);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    };
    const broken = {
      'cut at a piece': Buffer.concat([before, piece(0), piece(1)]),
      'cut inside a piece': file.subarray(0, file.length - 5),
      'cut after the head': before,
      'cut in the head': file.subarray(0, start - 20),
      'left out': Buffer.concat([before, piece(0), piece(2)]),
      repeated: Buffer.concat([before, piece(0), piece(0), piece(1), piece(2)]),
      moved: Buffer.concat([before, piece(1), piece(0), piece(2)]),
      'more at the end': Buffer.concat([file, Buffer.from('x')]),
      'changed in the head': flipped(start - 1),
      'changed in the last piece': flipped(file.length - 1),
    };
    for (const [name, bytes] of Object.entries(broken)) {
      await expect(decryptFile(bytes), name).rejects.toThrow(/damaged|truncated|modified/);
    }
  });
});

describe('encryption of backups', () => {
  it('passes on why the file cannot be read', async () => {
    const failing = Object.assign(new Error('EIO: i/o error, read'), { syscall: 'read' });
    const file = await formats[0]?.seal(randomBytes(200_000));
    async function* source(): AsyncGenerator<Buffer> {
      if (file) yield file.subarray(0, 150_000);
      throw failing;
    }
    const decrypt = findDecryption(file ?? Buffer.alloc(0));
    await expect(decrypt && readAll(decrypt(source(), PASSPHRASE))).rejects.toBe(failing);
  });

  it('takes a passphrase however its accents were typed', async () => {
    const file = await readAll(encrypt(splitBytes(Buffer.from('text')), 'caf\u00e9 au lait'));
    expect(String(await decryptFile(file, 'cafe\u0301 au lait'))).toBe('text');
  });

  it('does not hold a long file in memory', async () => {
    const piece = randomBytes(1024 * 1024);
    let [made, most] = [0, 0];
    async function* source() {
      for (; made < 32; made += 1) yield piece;
    }
    const decrypt = findDecryption(Buffer.from('age-encryption.org/v1\n'));
    let read = 0;
    for await (const chunk of decrypt?.(encrypt(source(), PASSPHRASE), PASSPHRASE) ?? []) {
      read += chunk.length;
      most = Math.max(most, made - Math.floor(read / piece.length));
    }
    expect(read).toBe(32 * piece.length);
    expect(most).toBeLessThan(6);
  });
});
