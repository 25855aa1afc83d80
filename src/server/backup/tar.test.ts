import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { createTar, readTar } from './tar';
import { readAll, splitBytes } from './testing/bytes.fixture';

const AT = new Date('2026-02-03T04:05:06Z');
const LARGEST = 1024 * 1024;

async function read(bytes: Buffer, piece = 1000, largest = LARGEST) {
  const files: { name: string; content: string }[] = [];
  for await (const { name, content } of readTar(splitBytes(bytes, piece), largest)) {
    files.push({ name, content: content.toString('hex') });
  }
  return files;
}

const files = fc.array(
  fc.record({
    name: fc.stringMatching(/^[a-z_][a-z0-9_.]{0,60}(\/[a-z0-9_.]{1,80}){0,2}$/),
    content: fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 6 },
);
const archive = (entries: readonly { name: string; content: Buffer }[]) =>
  readAll(
    createTar(AT, async (add) => {
      for (const { name, content } of entries) await add(name, content);
    }),
  );

describe('tar', () => {
  it('reads back what it wrote, however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 5000 }), async (entries, piece) => {
        const expected = entries.map(({ name, content }) => ({ name, content: content.toString('hex') }));
        expect(await read(await archive(entries), piece)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('writes what tar lists', async () => {
    const bytes = await archive([
      { name: 'tables/users/000001.copy', content: Buffer.from('one\n') },
      { name: 'manifest.json', content: Buffer.from('{}\n') },
    ]);
    const { stdout, status } = spawnSync('tar', ['--utc', '-tvf', '-'], { input: bytes, encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^-rw-------.* 4 2026-02-03 04:05 tables\/users\/000001\.copy\n.* 3 2026-02-03 04:05 manifest\.json\n$/,
    );
  });

  it('aborts with the error of the writer', async () => {
    const broken = createTar(AT, async (add) => {
      await add('a', Buffer.from('one'));
      throw new Error('the server went away');
    });
    await expect(readAll(broken)).rejects.toThrow('the server went away');
  });

  it('lets the writer wait for the reader', async () => {
    let added = 0;
    const files = createTar(AT, async (add) => {
      for (; added < 20; added += 1) await add(`file ${added}`, Buffer.alloc(1024 * 1024));
    });
    for await (const chunk of files) {
      expect(chunk.length).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(added).toBeLessThan(4);
      break;
    }
  });

  it('refuses an archive that is cut off, damaged or too large', async () => {
    const bytes = await archive([{ name: 'a', content: Buffer.alloc(2000, 1) }]);
    for (let length = 0; length < bytes.length; length += 97) {
      await expect(read(bytes.subarray(0, length)), String(length)).rejects.toThrow(
        /is truncated|Unexpected end of data/,
      );
    }
    for (const length of [512 + 2048, 512 + 2048 + 512]) {
      await expect(read(bytes.subarray(0, length)), String(length)).rejects.toThrow(/is truncated/);
    }
    const damaged = Buffer.from(bytes);
    damaged[0] = 98;
    await expect(read(damaged)).rejects.toThrow(/Invalid tar header/);
    await expect(read(bytes, 1000, 1999)).rejects.toThrow(/larger/);
  });

  it('refuses what is no file', async () => {
    const links = pack();
    links.entry({ name: 'passwd', type: 'symlink', linkname: '/etc/passwd' });
    links.finalize();
    await expect(read(await readAll(links as AsyncIterable<Buffer>))).rejects.toThrow(
      /passwd in the archive is not a file/,
    );
  });

  it('reads the source to its end before it is done', async () => {
    const bytes = await archive([{ name: 'a', content: Buffer.from('x') }]);
    async function* source() {
      yield bytes;
      throw new Error('the last bytes were changed');
    }
    await expect(
      (async () => {
        for await (const _ of readTar(source(), LARGEST));
      })(),
    ).rejects.toThrow('the last bytes were changed');
  });
});
