import { closeDb } from '@/server/db/client';
import { env } from '@/server/lib/env';
import type { Installation } from './open-installation';

/** Lets services of this process work on an installation, and closes their connections afterwards. */
export async function withServices<T>(installation: Installation, work: () => Promise<T>): Promise<T> {
  env().DATABASE_URL = installation.databaseUrl;
  env().FABRIC_SECRET_KEY = installation.secretKey ?? undefined;
  env().FABRIC_PREVIOUS_SECRET_KEY = installation.previousSecretKey ?? undefined;
  try {
    return await work();
  } finally {
    await closeDb();
  }
}
