import postgres from 'postgres';

/** Lets one process at a time migrate a database; the number is used by Fabric alone (the bytes of "FABR"). */
export const MIGRATION_LOCK = 0x46414252;

/**
 * Does work on a connection of its own while no other process migrates: others that come at the same time wait.
 * @param url `postgres://…` of the database
 */
export async function withMigrationLock<T>(url: string, work: (client: postgres.Sql) => Promise<T>): Promise<T> {
  const client = postgres(url, {
    max: 1,
    connect_timeout: 10,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'fabric-migrate' },
  });
  try {
    await client`select pg_advisory_lock(${MIGRATION_LOCK})`;
    return await work(client);
  } finally {
    // Ends the session, and with it the lock.
    await client.end({ timeout: 5 });
  }
}
