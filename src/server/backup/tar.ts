const BLOCK = 512;
const ZEROS = Buffer.alloc(BLOCK);

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;

/** The 512 bytes in front of a file of a POSIX (ustar) archive. @param name at most 100 bytes */
function header(name: string, size: number, mtime: Date): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for the archive`);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(0o600, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(Math.floor(mtime.getTime() / 1000), 12), 136);
  block.fill(' ', 148, 156);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** One file of a tar archive, ready to be written. */
export function tarEntry(name: string, content: Buffer, mtime: Date): Buffer {
  const padding = (BLOCK - (content.length % BLOCK)) % BLOCK;
  return Buffer.concat([header(name, content.length, mtime), content, ZEROS.subarray(0, padding)]);
}

/** What ends a tar archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

const number = (field: Buffer) => Number.parseInt(field.toString('latin1').replace(/[\0 ]+$/, ''), 8);

function parseHeader(block: Buffer): { name: string; size: number } {
  const stated = number(block.subarray(148, 156));
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  const name = block.subarray(0, 100).toString('utf8').replace(/\0.*$/s, '');
  const size = number(block.subarray(124, 136));
  if (stated !== sum || name === '' || !(size >= 0)) throw new Error('an entry of the archive is damaged');
  return { name, size };
}

/**
 * The files of a tar archive as it arrives; each is held in memory as a whole.
 * @param largest bytes that one file may have
 * @throws Error when the archive is damaged, ends early or holds a larger file
 */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  largest: number,
): AsyncGenerator<{ name: string; content: Buffer }> {
  let held: Buffer[] = [];
  let length = 0;
  const chunks = source[Symbol.asyncIterator]();
  const take = async (wanted: number): Promise<Buffer> => {
    while (length < wanted) {
      const { value, done } = await chunks.next();
      if (done) throw new Error('the archive ends early');
      held.push(value);
      length += value.length;
    }
    const all = held.length === 1 && held[0] ? held[0] : Buffer.concat(held, length);
    held = [all.subarray(wanted)];
    length -= wanted;
    return all.subarray(0, wanted);
  };
  for (;;) {
    const block = await take(BLOCK);
    if (block.equals(ZEROS)) break;
    const { name, size } = parseHeader(block);
    if (size > largest) throw new Error(`${name} in the archive is larger than a backup writes`);
    const content = await take(size);
    yield { name, content };
    await take((BLOCK - (size % BLOCK)) % BLOCK);
  }
  // To the very end: what checks and decrypts the bytes before us must have seen all of them.
  for (let next = await chunks.next(); !next.done; next = await chunks.next());
}
