import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { PolicyFile } from '@/domain/policy-file/document';
import { AppError } from '../../lib/errors';

const PORT_LISTS = ['destination_ports', 'source_ports', 'ports'];

/** The JSON Schema of a policy file, for editors. Ports may be numbers there. */
export const policyFileSchema = (): object => ({
  ...z.toJSONSchema(PolicyFile, {
    io: 'input',
    override: ({ jsonSchema, path }) => {
      const [list, items] = path.slice(-2);
      if (items === 'items' && PORT_LISTS.includes(String(list))) jsonSchema.type = ['string', 'integer'] as never;
    },
  }),
  title: 'Fabric policy file',
});

/** Where builds put the command line, from the working directory upwards: Next's server runs some levels below. */
function findClient(start: string): string | null {
  for (let at = resolve(start); ; at = dirname(at)) {
    const file = join(/* turbopackIgnore: true */ at, 'dist', 'client', 'fabric.mjs');
    if (existsSync(file)) return file;
    if (dirname(at) === at) return null;
  }
}

/** The command line as one file, with its SHA-256. @throws AppError `unavailable` */
export async function readClient(start = process.cwd()): Promise<{ content: Buffer<ArrayBuffer>; sha256: string }> {
  const file = findClient(start);
  if (!file) {
    const message = 'This build does not include the command line. Run npm run build, then restart the service.';
    throw new AppError('unavailable', message);
  }
  const content = await readFile(/* turbopackIgnore: true */ file);
  return { content, sha256: createHash('sha256').update(content).digest('hex') };
}
