import { eq } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { notificationSecrets } from '../../db/schema/notifications';
import type { Sealed } from '../../lib/crypto';

/** An encrypted setting of the notifications, or null. */
export async function findNotificationSecret(executor: Executor, id: 'smtp_password'): Promise<Sealed | null> {
  const [row] = await executor.select().from(notificationSecrets).where(eq(notificationSecrets.id, id));
  return row ? { sealed: row.value_encrypted, key_id: row.secret_key_id } : null;
}

/** Stores an encrypted setting in place of the one before; null takes it away. */
export async function storeNotificationSecret(
  tx: Tx,
  id: 'smtp_password',
  secret: Sealed | null,
  at: string,
): Promise<void> {
  if (secret === null) {
    await tx.delete(notificationSecrets).where(eq(notificationSecrets.id, id));
    return;
  }
  const values = { value_encrypted: secret.sealed, secret_key_id: secret.key_id, updated_at: at };
  await tx
    .insert(notificationSecrets)
    .values({ id, ...values })
    .onConflictDoUpdate({ target: notificationSecrets.id, set: values });
}
