import { keyId, seal, unseal } from '../lib/crypto';
import { DeliveryError } from '../providers/net/delivery-error';
import type { DestinationRow } from './queries/forwarding-destinations';

/** What a secret of a destination is bound to. */
export const destinationSecretContext = (id: string, what: 'url' | 'header_value') =>
  `forwarding_destination:${id}:${what}`;

export type HttpSecrets = { url: string; header_value: string | null };
type Sealed = Pick<DestinationRow, 'url_origin' | 'url_encrypted' | 'header_value_encrypted' | 'secret_key_id'>;

/** The secrets of an HTTP destination as they are stored, by the present key. */
export function sealHttp(id: string, { url, header_value }: HttpSecrets): Sealed {
  return {
    url_origin: new URL(url).origin,
    url_encrypted: seal(url, destinationSecretContext(id, 'url')).sealed,
    header_value_encrypted: header_value && seal(header_value, destinationSecretContext(id, 'header_value')).sealed,
    secret_key_id: keyId(),
  };
}

/** @throws DeliveryError when they cannot be read with the present key */
export function openHttp(row: DestinationRow): HttpSecrets {
  const { id, url_encrypted, header_value_encrypted, secret_key_id: key_id } = row;
  if (url_encrypted === null || key_id === null) throw new Error(`destination ${id}: expected a URL`);
  const open = (sealed: string, what: Parameters<typeof destinationSecretContext>[1]) =>
    unseal({ sealed, key_id }, destinationSecretContext(id, what));
  try {
    return {
      url: open(url_encrypted, 'url'),
      header_value: header_value_encrypted === null ? null : open(header_value_encrypted, 'header_value'),
    };
  } catch (cause) {
    throw new DeliveryError(
      'The URL of the destination cannot be decrypted with the current FABRIC_SECRET_KEY. Restore the previous key, or enter the URL and the header value again.',
      { retry: false, cause },
    );
  }
}
