import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';

/** Bytes that end an archive, all zero. */
const END = 1024;

/** Adds a file to the archive; resolves when the reader has taken it. */
export type AddFile = (name: string, content: Buffer) => Promise<void>;

/** A tar archive of the files that `write` adds, as a stream that aborts when `write` fails. */
export function createTar(mtime: Date, write: (add: AddFile) => Promise<void>): AsyncIterable<Buffer> {
  const archive = pack();
  const add: AddFile = (name, content) =>
    new Promise((resolve, reject) => {
      archive.entry({ name, mtime, mode: 0o600 }, content, (error) => (error ? reject(error) : resolve()));
    });
  write(add).then(
    () => archive.finalize(),
    (error) => archive.destroy(error),
  );
  return archive as AsyncIterable<Buffer>;
}

/**
 * The files of a tar archive as it arrives; each is held in memory as a whole. The source is read to its very end: what checks
 * and decrypts the bytes before us must have seen all of them.
 * @param largest bytes that one file may have
 * @throws Error when the archive is damaged, ends early or holds a larger file
 */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  largest: number,
): AsyncGenerator<{ name: string; content: Buffer }> {
  let tail = Buffer.alloc(0);
  async function* watched() {
    for await (const chunk of source) {
      tail = Buffer.concat([tail, chunk.subarray(-END)]).subarray(-END);
      yield chunk;
    }
  }
  const archive = extract();
  const fed = pipeline(watched, archive);
  // The loop below reports what fails; without it a failure before the loop would count as unhandled.
  fed.catch(() => {});
  for await (const entry of archive) {
    const { name, size = 0, type } = entry.header;
    if (type !== 'file') throw new Error(`${name} in the archive is not a file`);
    if (size > largest) throw new Error(`${name} in the archive is larger than any file of a backup`);
    const chunks: Buffer[] = [];
    for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
    yield { name, content: Buffer.concat(chunks) };
  }
  await fed;
  if (tail.length < END || tail.some((byte) => byte !== 0)) throw new Error('the archive is truncated');
}
