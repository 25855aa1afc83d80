import { createHmac } from 'node:crypto';

/**
 * The value of `Fabric-Signature` and `Fabric-Signature-Previous`: `v1=` and the hex HMAC-SHA-256, by a secret of the channel, of the timestamp (seconds, as in
 * `Fabric-Timestamp`), a full stop, and the body's bytes. The timestamp is signed, so an old request cannot be sent again.
 */
export function signWebhook(secret: string, timestamp: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
