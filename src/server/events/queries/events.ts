import { sql } from 'drizzle-orm';
import { type Executor, sqlClient } from '../../db/client';

/** PostgreSQL refuses longer payloads. */
export const MAX_NOTIFY_BYTES = 7999;

/** Notifies the listeners of the channel when the transaction commits. */
export async function notify(executor: Executor, channel: string, payload: string): Promise<void> {
  if (Buffer.byteLength(payload) > MAX_NOTIFY_BYTES)
    throw new Error(`expected a shorter notification than ${payload.length} characters`);
  await executor.execute(sql`select pg_notify(${channel}, ${payload})`);
}

/**
 * Listens to a channel on its own connection, which is reopened whenever it is lost. `onListening` is called each
 * time listening begins: what was sent before is lost.
 * @returns a function that stops listening
 */
export async function listen(
  channel: string,
  onPayload: (payload: string) => void,
  onListening: () => void,
): Promise<() => Promise<void>> {
  const { unlisten } = await sqlClient().listen(channel, onPayload, onListening);
  return unlisten;
}
