import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../lib/errors';
import { INSTALLER, readAgentBundle } from './agent-bundle';

/** One file of the agent with the SHA-256 that the installer expects. @throws AppError `not_found` */
export async function readAgentFile(name: string): Promise<{ content: Buffer<ArrayBuffer>; sha256: string }> {
  const bundle = await readAgentBundle();
  const file = bundle?.files.find((one) => one.name === name && name !== INSTALLER);
  if (!bundle || !file) throw new AppError('not_found', 'The agent has no such file.');
  return { content: await readFile(join(bundle.directory, file.name)), sha256: file.sha256 };
}
