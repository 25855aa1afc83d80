import postgres from 'postgres';
import { DEMO_KEY } from '@/domain/setup';

/** Loopback networks of the demo's simulated clusters: cluster addresses may point there, and nowhere else. */
export const DEMO_TARGETS = ['127.0.10.0/24', '127.0.11.0/24'] as const;

async function withClient<T>(databaseUrl: string, work: (client: postgres.Sql) => Promise<T>): Promise<T> {
  const client = postgres(databaseUrl, { max: 1, connect_timeout: 10, fetch_types: false, onnotice: () => {} });
  try {
    return await work(client);
  } finally {
    await client.end({ timeout: 5 });
  }
}

const isMarkedDemo = async (client: postgres.Sql): Promise<boolean> =>
  (await client`select 1 from system_settings where key = ${DEMO_KEY}`).length > 0;

/** Whether this installation was made by the demo. */
export const isDemo = (databaseUrl: string): Promise<boolean> => withClient(databaseUrl, isMarkedDemo);

/**
 * Marks an empty installation as a demo, permanently. One that is a demo already is left as it is.
 * @throws Error with one line when the installation is in use: it is never touched
 */
export function claimDemo(databaseUrl: string): Promise<void> {
  return withClient(databaseUrl, async (client) => {
    await client`
      insert into system_settings (key, value, updated_at)
      select ${DEMO_KEY}::text, jsonb_build_object('created_at', now()), now()
      where not exists (select 1 from users) and not exists (select 1 from clusters)
        and not exists (select 1 from system_settings where key = 'setup')
      on conflict do nothing`;
    if (await isMarkedDemo(client)) return;
    throw new Error(
      'SEED_DEMO_DATA=true: this installation is in use and is not a demo, so it is left unchanged. Use a separate directory for the demo (FABRIC_DATA_DIR=.data-demo npm run demo), or start without SEED_DEMO_DATA.',
    );
  });
}
