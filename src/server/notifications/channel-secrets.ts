import { randomBytes } from 'node:crypto';
import { clock } from '../lib/clock';
import { keyId, seal, unseal } from '../lib/crypto';
import { DeliveryError } from '../providers/net/delivery-error';
import type { ChannelRow } from './queries/notification-channels';

type Sealed = Pick<
  ChannelRow,
  | 'url_origin'
  | 'url_encrypted'
  | 'signing_secret_encrypted'
  | 'previous_secret_encrypted'
  | 'previous_secret_until'
  | 'secret_key_id'
>;
/** A secret that was replaced, and until when it still signs. */
export type PreviousSecret = { secret: string; until: string };
export type WebhookSecrets = { url: string; secret: string; previous: PreviousSecret | null };

/**
 * The integration key of PagerDuty is kept as the fragment of the URL, which is encrypted as a whole and of which requests
 * leave out the fragment.
 */
export const withRoutingKey = (url: string, key: string | null): string =>
  `${url.replace(/#.*$/s, '')}${key === null ? '' : `#${key}`}`;

/** The integration key in the URL of a channel; null: there is none. */
export const getRoutingKey = (url: string): string | null => new URL(url).hash.slice(1) || null;

/** What a secret of a channel is bound to. */
export const channelSecretContext = (id: string, what: 'url' | 'signing_secret' | 'previous_secret') =>
  `notification_channel:${id}:${what}`;

/** A new secret with which a receiver can verify that a notification comes from Fabric. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

/** All secrets of a webhook as they are stored, by the present key. */
export function sealWebhook(id: string, { url, secret, previous }: WebhookSecrets): Sealed {
  return {
    url_origin: new URL(url).origin,
    url_encrypted: seal(url, channelSecretContext(id, 'url')).sealed,
    signing_secret_encrypted: seal(secret, channelSecretContext(id, 'signing_secret')).sealed,
    previous_secret_encrypted: previous && seal(previous.secret, channelSecretContext(id, 'previous_secret')).sealed,
    previous_secret_until: previous?.until ?? null,
    secret_key_id: keyId(),
  };
}

/**
 * The secrets of a webhook; the one before a rotation only while it is valid.
 * @throws DeliveryError when they cannot be read with the present key
 */
export function openWebhook(row: ChannelRow): WebhookSecrets {
  const { url_encrypted, signing_secret_encrypted, previous_secret_encrypted, secret_key_id: key_id } = row;
  if (url_encrypted === null || signing_secret_encrypted === null || key_id === null)
    throw new Error(`channel ${row.id}: expected a webhook`);
  const open = (sealed: string, what: Parameters<typeof channelSecretContext>[1]) =>
    unseal({ sealed, key_id }, channelSecretContext(row.id, what));
  const until = row.previous_secret_until;
  const valid = until !== null && Date.parse(until) > clock.now().getTime();
  try {
    return {
      url: open(url_encrypted, 'url'),
      secret: open(signing_secret_encrypted, 'signing_secret'),
      previous:
        valid && previous_secret_encrypted !== null
          ? { secret: open(previous_secret_encrypted, 'previous_secret'), until }
          : null,
    };
  } catch (cause) {
    throw new DeliveryError(
      'The URL of the channel cannot be decrypted with the current FABRIC_SECRET_KEY. Restore the previous key or enter the URL again.',
      { retry: false, cause },
    );
  }
}
