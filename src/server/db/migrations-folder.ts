import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The `drizzle/` folder, found upwards from this file: it stands beside `src/` in a checkout and beside `dist/` in an
 * image, so the same lookup serves sources and bundles.
 * @throws Error when no parent directory holds it.
 */
export function migrationsFolder(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const folder = join(directory, 'drizzle');
    if (existsSync(join(folder, 'meta', '_journal.json'))) return folder;
    const parent = dirname(directory);
    if (parent === directory) throw new Error('The folder drizzle/ with the database migrations is missing');
    directory = parent;
  }
}
