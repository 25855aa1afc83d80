import { randomBytes } from 'node:crypto';
import { keyId, seal, unseal } from '../../lib/crypto';
import { DeliveryError } from '../../providers/notifications/delivery-error';
import type { ChannelRow } from '../../repositories/notification-channels';

type Sealed = Pick<ChannelRow, 'url_origin' | 'url_encrypted' | 'signing_secret_encrypted' | 'secret_key_id'>;

/** What a secret of a channel is bound to. */
export const channelSecretContext = (id: string, what: 'url' | 'signing_secret') =>
  `notification_channel:${id}:${what}`;

/** A new secret with which a receiver can tell that a notice is ours. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

/** Both secrets of a webhook as they are stored, by the present key. */
export function sealWebhook(id: string, url: string, secret: string): Sealed {
  return {
    url_origin: new URL(url).origin,
    url_encrypted: seal(url, channelSecretContext(id, 'url')).sealed,
    signing_secret_encrypted: seal(secret, channelSecretContext(id, 'signing_secret')).sealed,
    secret_key_id: keyId(),
  };
}

/**
 * The secrets of a webhook.
 * @throws DeliveryError when they cannot be read with the present key
 */
export function openWebhook(row: ChannelRow): { url: string; secret: string } {
  const { url_encrypted, signing_secret_encrypted, secret_key_id: key_id } = row;
  if (url_encrypted === null || signing_secret_encrypted === null || key_id === null)
    throw new Error(`the channel ${row.id} is no webhook`);
  try {
    return {
      url: unseal({ sealed: url_encrypted, key_id }, channelSecretContext(row.id, 'url')),
      secret: unseal({ sealed: signing_secret_encrypted, key_id }, channelSecretContext(row.id, 'signing_secret')),
    };
  } catch (cause) {
    throw new DeliveryError(
      'The URL of the channel cannot be decrypted with the present FABRIC_SECRET_KEY. Restore that key or enter the URL again.',
      { retry: false, cause },
    );
  }
}
