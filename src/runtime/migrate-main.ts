import { env } from '@/server/lib/env';
import { prepareStores } from './prepare-stores';

// Brings database and queues up to date and ends: `npm run db:migrate`, the migrate service of compose.yaml.
const { DATABASE_URL, REDIS_URL } = env();
if (!DATABASE_URL) {
  process.stderr.write('Invalid environment: DATABASE_URL is missing\n');
  process.exit(1);
}
await prepareStores({ DATABASE_URL, REDIS_URL });
process.stdout.write('database and queues are up to date\n');
