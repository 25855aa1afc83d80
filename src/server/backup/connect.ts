import pg from 'pg';

/**
 * A connection for a backup or a restore: no time limits, and texts of values that depend on nothing but the value.
 * @throws Error of PostgreSQL when it cannot be reached
 */
export async function connect(url: string, purpose: 'backup' | 'restore'): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: `fabric-${purpose}`,
    options: [
      ...['statement_timeout=0', 'idle_in_transaction_session_timeout=0', 'client_encoding=UTF8', 'timezone=UTC'],
      ...['datestyle=ISO', 'intervalstyle=postgres', 'extra_float_digits=1', 'bytea_output=hex', 'jit=off'],
      // Rows in the order in which they lie: what was written together stays together.
      ...['synchronize_seqscans=off', 'search_path=public'],
    ]
      .map((setting) => `-c ${setting}`)
      .join(' '),
  });
  // A lost connection is reported to the running query.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Ends the connection, whatever is running on it. */
export async function disconnect(client: pg.Client): Promise<void> {
  await client.end().catch(() => {});
}
