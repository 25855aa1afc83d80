import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTar, TAR_END, tarEntry } from './tar';

const AT = new Date('2026-02-03T04:05:06Z');
const LARGEST = 1024 * 1024;

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, piece = 1000, largest = LARGEST) {
  const files: { name: string; content: string }[] = [];
  for await (const { name, content } of readTar(inPieces(bytes, piece), largest)) {
    files.push({ name, content: content.toString('hex') });
  }
  return files;
}

const files = fc.array(
  fc.record({
    name: fc.stringMatching(/^[a-z_][a-z0-9_/.]{0,60}$/),
    content: fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 6 },
);
const archive = (entries: readonly { name: string; content: Buffer }[]) =>
  Buffer.concat([...entries.map(({ name, content }) => tarEntry(name, content, AT)), TAR_END]);

describe('tar', () => {
  it('reads back what it wrote, however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 5000 }), async (entries, piece) => {
        const expected = entries.map(({ name, content }) => ({ name, content: content.toString('hex') }));
        expect(await read(archive(entries), piece)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('is what tar understands', () => {
    const bytes = archive([
      { name: 'tables/users/000001.copy', content: Buffer.from('one\n') },
      { name: 'manifest.json', content: Buffer.from('{}\n') },
    ]);
    const { stdout, status } = spawnSync('tar', ['--utc', '-tvf', '-'], { input: bytes, encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^-rw-------.* 4 2026-02-03 04:05 tables\/users\/000001\.copy\n.* 3 2026-02-03 04:05 manifest\.json\n$/,
    );
  });

  it('refuses what is cut off, damaged or too large', async () => {
    const bytes = archive([{ name: 'a', content: Buffer.alloc(2000, 1) }]);
    for (let length = 0; length < bytes.length - 512; length += 97) {
      await expect(read(bytes.subarray(0, length))).rejects.toThrow(/ends early/);
    }
    const damaged = Buffer.from(bytes);
    damaged[0] = 98;
    await expect(read(damaged)).rejects.toThrow(/damaged/);
    await expect(read(bytes, 1000, 1999)).rejects.toThrow(/larger/);
  });
});
