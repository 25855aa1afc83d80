import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrl } from './postgres/server';

function read(...path: string[]): string | null {
  try {
    return readFileSync(join(...path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** URL of the private database that a running service keeps in this data directory; null when none runs. */
export function runningDatabaseUrl(dataDirectory: string): string | null {
  // PostgreSQL writes its port into the fourth line and removes the file when it ends.
  const port = Number(read(dataDirectory, 'postgres', 'postmaster.pid')?.split('\n')[3]);
  const password = read(dataDirectory, 'secrets', 'database_password')?.trim();
  return port > 0 && password ? databaseUrl(port, password, 'fabric') : null;
}
