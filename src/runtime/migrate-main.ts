import { env } from '@/server/lib/env';
import { refuseStart } from './child-process';
import { prepareStores } from './prepare-stores';

// Brings database and queues up to date and ends: `npm run db:migrate`, the migrate service of compose.yaml.
try {
  const { DATABASE_URL, REDIS_URL } = env();
  if (!DATABASE_URL) throw new Error('Invalid environment: DATABASE_URL is missing');
  await prepareStores({ DATABASE_URL, REDIS_URL });
  process.stdout.write('database and queues are up to date\n');
} catch (error) {
  refuseStart(error);
}
