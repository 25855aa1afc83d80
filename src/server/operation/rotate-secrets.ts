import { providerSessionContext } from '../access/sign-in/sessions';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { destinationSecretContext } from '../forwarding/destination-secrets';
import { keyId, seal, unseal } from '../lib/crypto';
import { channelSecretContext } from '../notifications/channel-secrets';
import { notificationSecretContext } from '../notifications/settings';
import { netboxTokenContext } from '../sync/netbox/sources';
import { listKeyReferences, lockForeignRows, type SealedPlace, storeResealed } from './queries/sealed-values';

const itself = (id: string) => id;

/** Everything that is encrypted with FABRIC_SECRET_KEY. A new place belongs here; a test compares with the schema. */
export const SEALED_PLACES: readonly SealedPlace[] = [
  {
    name: 'API tokens of clusters',
    table: 'clusters',
    id: 'id',
    keyId: 'api_token_key_id',
    values: [{ column: 'api_token_encrypted', context: itself }],
  },
  {
    name: 'notification channels',
    table: 'notification_channels',
    id: 'id',
    keyId: 'secret_key_id',
    values: [
      { column: 'url_encrypted', context: (id) => channelSecretContext(id, 'url') },
      { column: 'signing_secret_encrypted', context: (id) => channelSecretContext(id, 'signing_secret') },
      { column: 'previous_secret_encrypted', context: (id) => channelSecretContext(id, 'previous_secret') },
    ],
  },
  {
    name: 'forwarding destinations',
    table: 'forwarding_destinations',
    id: 'id',
    keyId: 'secret_key_id',
    values: [
      { column: 'url_encrypted', context: (id) => destinationSecretContext(id, 'url') },
      { column: 'header_value_encrypted', context: (id) => destinationSecretContext(id, 'header_value') },
    ],
  },
  {
    name: 'API tokens of NetBox sources',
    table: 'netbox_sources',
    id: 'id',
    keyId: 'secret_key_id',
    values: [{ column: 'token_encrypted', context: netboxTokenContext }],
  },
  {
    name: 'client secret of the sign-in provider',
    table: 'oidc_settings',
    id: 'id',
    keyId: 'client_secret_key_id',
    values: [{ column: 'client_secret_encrypted', context: itself }],
  },
  {
    name: 'password of the directory',
    table: 'ldap_settings',
    id: 'id',
    keyId: 'bind_password_key_id',
    values: [{ column: 'bind_password_encrypted', context: itself }],
  },
  {
    name: 'ID tokens of sign-ins through the provider',
    table: 'provider_sessions',
    id: 'family_id',
    keyId: 'secret_key_id',
    values: [{ column: 'id_token_encrypted', context: providerSessionContext }],
  },
  {
    name: 'second factors',
    table: 'second_factors',
    id: 'user_id',
    keyId: 'secret_key_id',
    values: [{ column: 'secret_encrypted', context: itself }],
  },
  {
    name: 'password of the mail server',
    table: 'notification_secrets',
    id: 'id',
    keyId: 'secret_key_id',
    values: [{ column: 'value_encrypted', context: notificationSecretContext }],
  },
];

/** `previous` sealed what is stored, `present` shall. */
export type KeyPair = { present: string; previous: string };
export type RotatedPlace = {
  name: string;
  resealed: number;
  /** Rows that neither key opens: they were lost before. Nothing is changed about them. */
  unreadable: number;
};

const BATCH = 50;

/** One batch in one transaction, so that concurrent writers of a row wait a moment and nothing is overwritten. */
async function resealBatch(place: SealedPlace, { present, previous }: KeyPair, after: string) {
  const presentId = keyId(present);
  return db.transaction(async (tx) => {
    const rows = await lockForeignRows(tx, place, presentId, after, BATCH);
    let resealed = 0;
    for (const { id, key_id, values } of rows) {
      if (key_id !== keyId(previous)) continue;
      const sealed = values.map((value, index) => {
        const context = place.values[index]?.context(id) ?? id;
        return value === null ? null : seal(unseal({ sealed: value, key_id }, context, previous), context, present);
      });
      await storeResealed(tx, place, id, sealed, presentId);
      resealed += 1;
    }
    return { resealed, unreadable: rows.length - resealed, last: rows.at(-1)?.id ?? null, more: rows.length === BATCH };
  });
}

async function resealPlace(place: SealedPlace, keys: KeyPair): Promise<RotatedPlace> {
  const total = { name: place.name, resealed: 0, unreadable: 0 };
  for (let after: string | null = ''; after !== null; ) {
    const batch = await resealBatch(place, keys, after);
    total.resealed += batch.resealed;
    total.unreadable += batch.unreadable;
    after = batch.more ? batch.last : null;
  }
  return total;
}

/**
 * Re-encrypts everything that is sealed with the previous key with the current one. May be interrupted and run again:
 * what is done stays done. The service may run at the same time if it accepts both keys.
 * @throws Error when something is still sealed with the previous key: that key must not be discarded
 */
export async function rotateSecrets(scope: Scope<'*'>, keys: KeyPair): Promise<RotatedPlace[]> {
  const places: RotatedPlace[] = [];
  for (const place of SEALED_PLACES) places.push(await resealPlace(place, keys));
  const left = await listKeyReferences(keyId(keys.previous));
  if (left.length > 0)
    throw new Error(
      `Still encrypted with the previous key: ${left.join(', ')}. Keep that key, and run the command again.`,
    );
  await db.transaction((tx) =>
    recordAudit(tx, scope, {
      action: 'secret_key.rotated',
      object_kind: 'secret_key',
      object_id: keyId(keys.present),
      before: { key_id: keyId(keys.previous) },
      after: { key_id: keyId(keys.present), places },
    }),
  );
  return places;
}
