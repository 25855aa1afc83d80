import { providerSessionContext } from '../access/sign-in/provider-session';
import { channelSecretContext } from '../notifications/channel-secrets';
import { notificationSecretContext } from '../notifications/stored-settings';
import type { SealedPlace } from './queries/sealed-values';

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
    name: 'client secret of the sign-in provider',
    table: 'oidc_settings',
    id: 'id',
    keyId: 'client_secret_key_id',
    values: [{ column: 'client_secret_encrypted', context: itself }],
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
