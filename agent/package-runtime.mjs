// What a Debian package of the agent brings besides the agent: the Node.js executable and koffi's native library of
// the machine, as packages of npm with a pinned version and a pinned checksum.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'fabric-agent');
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** Version of Node.js, and its package and checksum for each Debian architecture. */
export const RUNTIME = JSON.parse(readFileSync(join(HERE, 'runtime.json'), 'utf8'));

const hasIntegrity = (file, integrity) =>
  `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}` === integrity;

/** The archive of a package of npm, from the cache or the registry that npm is configured for. @throws Error */
export function fetchPackage({ name, version, integrity }) {
  const file = join(CACHE, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  if (existsSync(file) && hasIntegrity(file, integrity)) return file;
  mkdirSync(CACHE, { recursive: true });
  const directory = mkdtempSync(join(CACHE, 'fetch-'));
  try {
    const { status, error } = spawnSync(
      'npm',
      ['pack', `${name}@${version}`, '--silent', '--ignore-scripts', '--pack-destination', directory],
      { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const [archive] = readdirSync(directory);
    if (status !== 0 || archive === undefined) {
      throw new Error(
        `npm cannot fetch ${name}@${version} (${error?.message ?? `status ${status}`}). Check the network.`,
      );
    }
    if (!hasIntegrity(join(directory, archive), integrity)) {
      throw new Error(`${name}@${version} differs from its pinned checksum. Do not use it; check the registry.`);
    }
    renameSync(join(directory, archive), file);
    return file;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** One file of such an archive. @throws Error when it is not in there */
export function readPackedFile(archive, path) {
  const { status, stdout, stderr } = spawnSync('tar', ['-xzOf', archive, `package/${path}`], {
    maxBuffer: MAX_FILE_BYTES,
  });
  if (status !== 0) throw new Error(`cannot read ${path} of ${archive}: ${stderr?.toString().trim()}`);
  return stdout;
}

/** koffi's native library for a machine, in the version of the lock file. */
export function readNativeLibrary(machine) {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const name = `@koromix/koffi-linux-${machine}`;
  const { version, integrity } = packages[`node_modules/${name}`];
  return readPackedFile(fetchPackage({ name, version, integrity }), `linux_${machine}/koffi.node`);
}

// Offsets in the header of a 64 bit ELF file, and in an entry of its program headers.
const ELF = { magic: 0x464c457f, class64: 2, programOffset: 32, sectionOffset: 40, entryBytes: 54, entries: 56 };
const SECTION_FIELDS = { from: 58, to: 64 };
const SEGMENT = { offset: 8, fileBytes: 32 };

/**
 * An executable without what only debuggers of machine code read: symbols and debug sections are behind the last
 * segment that is loaded. Works for every machine type; strip(1) knows only its own.
 */
export function stripExecutable(executable) {
  if (executable.readUInt32LE(0) !== ELF.magic || executable[4] !== ELF.class64) {
    throw new Error('expected a 64 bit ELF executable');
  }
  const table = Number(executable.readBigUInt64LE(ELF.programOffset));
  const [size, count] = [executable.readUInt16LE(ELF.entryBytes), executable.readUInt16LE(ELF.entries)];
  let end = table + size * count;
  for (let at = table; at < table + size * count; at += size) {
    const [offset, bytes] = [SEGMENT.offset, SEGMENT.fileBytes].map((field) =>
      Number(executable.readBigUInt64LE(at + field)),
    );
    end = Math.max(end, offset + bytes);
  }
  const stripped = Buffer.from(executable.subarray(0, end));
  stripped.writeBigUInt64LE(0n, ELF.sectionOffset);
  stripped.fill(0, SECTION_FIELDS.from, SECTION_FIELDS.to);
  return stripped;
}
