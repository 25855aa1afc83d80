import { existsSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../lib/errors';

const Files = z.record(
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
  z.object({ sha256: z.string(), bytes: z.int() }),
);
const Manifest = z.object({ version: z.string().max(64), files: Files });
/** What `npm run package:agent` writes: `contents` are checksums of what the packages contain of it. */
const Packages = z.object({ contents: z.record(z.string(), z.string()), files: Files });
const PACKAGES = 'fabric-agent-packages.json';
const MANIFEST = 'manifest.json';

const CHUNK_BYTES = 65_536;

type AgentFile = { name: string; sha256: string; bytes: number };

export type AgentBundle = {
  directory: string;
  version: string;
  files: AgentFile[];
  /** Debian packages of the same agent. */
  packages: { directory: string; files: AgentFile[] };
};

/** The installer script is a template with its own address, not a file of the bundle. */
export const INSTALLER = 'install.sh';

/** The first folder with this file, from the working directory upwards: Next's server runs some levels below. */
function findFolder(start: string, folders: readonly string[], file: string): string | null {
  for (let at = resolve(start); ; at = dirname(at)) {
    for (const folder of folders) {
      const path = join(/* turbopackIgnore: true */ at, folder);
      if (existsSync(join(/* turbopackIgnore: true */ path, file))) return path;
    }
    if (dirname(at) === at) return null;
  }
}

/** The built agent, or null when this service was built without it. */
export async function readAgentBundle(start = process.cwd()): Promise<AgentBundle | null> {
  const directory = findFolder(start, ['dist/agent', 'agent/dist'], MANIFEST);
  if (!directory) return null;
  const { version, files } = Manifest.parse(await readJson(directory, MANIFEST));
  return { directory, version, files: listFiles(files), packages: await readPackages(start, files) };
}

const readJson = async (directory: string, file: string): Promise<unknown> =>
  JSON.parse(await readFile(join(/* turbopackIgnore: true */ directory, file), 'utf8'));

const listFiles = (files: z.infer<typeof Files>): AgentFile[] =>
  Object.entries(files).map(([name, file]) => ({ name, ...file }));

/** Packages of another build of the agent are left out: nodes would get another agent than the console reports. */
async function readPackages(start: string, bundle: z.infer<typeof Files>): Promise<AgentBundle['packages']> {
  const none = { directory: '', files: [] };
  const directory = findFolder(start, ['dist'], PACKAGES);
  if (!directory) return none;
  const { contents, files } = Packages.parse(await readJson(directory, PACKAGES));
  if (Object.entries(contents).some(([name, sha256]) => bundle[name]?.sha256 !== sha256)) return none;
  const isThere = ({ name, bytes }: AgentFile) =>
    statSync(join(/* turbopackIgnore: true */ directory, name), { throwIfNoEntry: false })?.size === bytes;
  return { directory, files: listFiles(files).filter(isThere) };
}

/** @throws AppError `unavailable` */
export async function requireAgentBundle(): Promise<AgentBundle> {
  const bundle = await readAgentBundle();
  if (!bundle) {
    throw new AppError(
      'unavailable',
      'This build does not include the agent. Run npm run build, then restart the service.',
    );
  }
  return bundle;
}

/** One file of the agent with the SHA-256 that the installer expects. A package is streamed. @throws AppError `not_found` */
export async function readAgentFile(name: string): Promise<AgentFile & { content: ReadableStream<Uint8Array> }> {
  const bundle = await readAgentBundle();
  const own = bundle?.files.find((one) => one.name === name && name !== INSTALLER);
  const file = own ?? bundle?.packages.files.find((one) => one.name === name);
  if (!bundle || !file) throw new AppError('not_found', 'The agent has no such file.');
  const { directory } = own ? bundle : bundle.packages;
  return { ...file, content: await streamFile(join(/* turbopackIgnore: true */ directory, file.name)) };
}

/** Content of a file as it is taken. `Readable.toWeb` throws outside of any call when a client disconnects (Node.js 20). */
async function streamFile(path: string): Promise<ReadableStream<Uint8Array>> {
  const file = await open(path);
  return new ReadableStream({
    async pull(controller) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES));
      if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
      controller.close();
      await file.close();
    },
    cancel: () => file.close(),
  });
}
