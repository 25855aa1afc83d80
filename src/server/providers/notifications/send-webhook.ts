import { createHmac } from 'node:crypto';
import { type GuardedPost, postGuarded } from '../net/guarded-post';

/**
 * The value of `Fabric-Signature` and `Fabric-Signature-Previous`: `v1=` and the hex HMAC-SHA-256, by a secret of the channel, of the timestamp (seconds, as in
 * `Fabric-Timestamp`), a full stop, and the body's bytes. The timestamp is signed, so an old request cannot be sent again.
 */
export function signWebhook(secret: string, timestamp: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

export type WebhookRequest = Omit<GuardedPost, 'headers' | 'ca'> & {
  secret: string;
  /** The secret before a rotation, while it is valid. */
  previous_secret?: string | null;
  /** JSON. */
  body: string;
  /** The same at each try, so that a receiver notices what it got twice. */
  delivery_id: string;
  /** Seconds since 1970. */
  timestamp: number;
};

/**
 * Posts a signed notice.
 * @returns the status, 2xx
 * @throws DeliveryError; the reason of `signal` when it aborts
 */
export function sendWebhook(request: WebhookRequest): Promise<number> {
  const { secret, previous_secret = null, delivery_id, timestamp, ...post } = request;
  return postGuarded({
    ...post,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Fabric-Notifications/1',
      'fabric-delivery': delivery_id,
      'fabric-timestamp': String(timestamp),
      'fabric-signature': signWebhook(secret, timestamp, post.body),
      ...(previous_secret !== null && {
        'fabric-signature-previous': signWebhook(previous_secret, timestamp, post.body),
      }),
    },
  });
}
