import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../lib/errors';

const Manifest = z.object({
  version: z.string().max(64),
  files: z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/), z.object({ sha256: z.string(), bytes: z.int() })),
});

export type AgentBundle = {
  directory: string;
  version: string;
  files: { name: string; sha256: string; bytes: number }[];
};

/** The installer script is a template with its own address, not a file of the bundle. */
export const INSTALLER = 'install.sh';

/** Where builds put the agent, from the working directory upwards: Next's server runs some levels below. */
function bundleDirectory(start: string): string | null {
  for (let at = resolve(start); ; at = dirname(at)) {
    for (const folder of [join(at, 'dist', 'agent'), join(at, 'agent', 'dist')]) {
      if (existsSync(join(folder, 'manifest.json'))) return folder;
    }
    if (dirname(at) === at) return null;
  }
}

/** The built agent, or null when this service was built without it. */
export async function readAgentBundle(start = process.cwd()): Promise<AgentBundle | null> {
  const directory = bundleDirectory(start);
  if (!directory) return null;
  const { version, files } = Manifest.parse(JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')));
  return { directory, version, files: Object.entries(files).map(([name, file]) => ({ name, ...file })) };
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

/** One file of the agent with the SHA-256 that the installer expects. @throws AppError `not_found` */
export async function readAgentFile(name: string): Promise<{ content: Buffer<ArrayBuffer>; sha256: string }> {
  const bundle = await readAgentBundle();
  const file = bundle?.files.find((one) => one.name === name && name !== INSTALLER);
  if (!bundle || !file) throw new AppError('not_found', 'The agent has no such file.');
  return {
    content: await readFile(join(/* turbopackIgnore: true */ bundle.directory, file.name)),
    sha256: file.sha256,
  };
}
