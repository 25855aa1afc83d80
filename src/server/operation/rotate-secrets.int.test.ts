import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { providerSessionContext } from '@/server/access/sign-in/sessions';
import { systemScope } from '@/server/auth/scope';
import { db } from '@/server/db/client';
import { clusters } from '@/server/db/schema/clusters';
import { forwardingDestinations } from '@/server/db/schema/forwarding';
import { notificationChannels, notificationSecrets } from '@/server/db/schema/notifications';
import { auditRecords } from '@/server/db/schema/operations';
import { ldapSettings, oidcSettings, providerSessions, secondFactors } from '@/server/db/schema/sign-in';
import { destinationSecretContext } from '@/server/forwarding/destination-secrets';
import { keyId, seal, unseal } from '@/server/lib/crypto';
import { newId } from '@/server/lib/ids';
import { channelSecretContext } from '@/server/notifications/channel-secrets';
import { notificationSecretContext } from '@/server/notifications/settings';
import { countByKey, keyIdColumns } from '@/server/operation/queries/sealed-values';
import { netboxTokenContext } from '@/server/sync/netbox/sources';
import { auditTrail } from '@/test/audit-trail';
import { makeCluster, makeUser } from '@/test/factories';
import { netboxSources } from '../db/schema/netbox';
import { rotateSecrets, SEALED_PLACES } from './rotate-secrets';

const keys = { previous: 'p'.repeat(40), present: 'n'.repeat(40) };
const scope = systemScope('*', 'test');
const rotate = () => rotateSecrets(scope, keys);

async function sealedCluster(token: string, key: string) {
  const { id } = await makeCluster();
  const { sealed, key_id } = seal(token, id, key);
  await db.update(clusters).set({ api_token_encrypted: sealed, api_token_key_id: key_id }).where(eq(clusters.id, id));
  return id;
}
async function readToken(id: string, key: string): Promise<string> {
  const [row] = await db.select().from(clusters).where(eq(clusters.id, id));
  return unseal({ sealed: row?.api_token_encrypted ?? '', key_id: row?.api_token_key_id ?? '' }, id, key);
}

describe('rotating the key', () => {
  beforeEach(async () => {
    await db.execute(
      sql`truncate clusters, second_factors, provider_sessions, oidc_settings, notification_channels, notification_secrets,
        forwarding_destinations cascade`,
    );
  });

  it('knows every column that names a key', async () => {
    const known = SEALED_PLACES.map(({ table, keyId: column }) => ({ table, column }));
    const byName = (a: { table: string }, b: { table: string }) => (a.table < b.table ? -1 : 1);
    expect([...(await keyIdColumns())]).toEqual(known.sort(byName));
  });

  it('encrypts everything again, bound to its own row, and records it in the audit trail', async () => {
    const ids = await Promise.all(Array.from({ length: 120 }, (_, n) => sealedCluster(`token ${n}`, keys.previous)));
    await makeCluster();
    const user = await makeUser();
    const factor = seal('BASE32', user.id, keys.previous);
    await db
      .insert(secondFactors)
      .values({ user_id: user.id, secret_encrypted: factor.sealed, secret_key_id: factor.key_id });
    const family_id = newId();
    const token = seal('ID token', providerSessionContext(family_id), keys.previous);
    await db.insert(providerSessions).values({
      ...{ family_id, user_id: user.id, issuer: 'https://id.example.org' },
      ...{ id_token_encrypted: token.sealed, secret_key_id: token.key_id },
    });
    const client = seal('client secret', 'oidc', keys.previous);
    await db.insert(oidcSettings).values({
      ...{
        enabled: false,
        label: 'x',
        issuer: 'https://id.example.org',
        client_id: 'fabric',
        scopes: [],
        group_claim: '',
      },
      ...{ public_url: '', create_users: false, link_by_email: false, trusts_second_factor: false },
      ...{ client_secret_encrypted: client.sealed, client_secret_key_id: client.key_id },
    });
    const directory = seal('bind secret', 'ldap', keys.previous);
    await db.insert(ldapSettings).values({
      ...{ enabled: false, urls: ['ldaps://ldap.example.org'], security: 'ldaps', bind_dn: 'x', base_dn: 'x' },
      ...{ bind_password_encrypted: directory.sealed, bind_password_key_id: directory.key_id },
      ...{ user_filter: 'x', id_attribute: 'x', name_attribute: 'x', email_attribute: 'x' },
      ...{ group_source: 'search', group_base_dn: 'x', group_filter: 'x', nested_groups: false, require_group: true },
    });
    const channel = newId();
    const sealedFor = (text: string, what: 'url' | 'signing_secret' | 'previous_secret') =>
      seal(text, channelSecretContext(channel, what), keys.previous).sealed;
    await db.insert(notificationChannels).values({
      ...{
        id: channel,
        name: 'x',
        kind: 'webhook',
        url_origin: 'https://example.org',
        secret_key_id: keyId(keys.previous),
      },
      url_encrypted: sealedFor('https://example.org/a', 'url'),
      signing_secret_encrypted: sealedFor('whsec', 'signing_secret'),
      previous_secret_encrypted: sealedFor('whsec before', 'previous_secret'),
      previous_secret_until: '2026-12-01T00:00:00Z',
    });
    const destination = newId();
    await db.insert(forwardingDestinations).values({
      ...{
        id: destination,
        name: 'x',
        kind: 'http',
        streams: ['audit'],
        max_wait_hours: 24,
        header_name: 'Authorization',
      },
      ...{ url_origin: 'https://example.org', secret_key_id: keyId(keys.previous) },
      url_encrypted: seal('https://example.org/a', destinationSecretContext(destination, 'url'), keys.previous).sealed,
      header_value_encrypted: seal('Bearer', destinationSecretContext(destination, 'header_value'), keys.previous)
        .sealed,
    });
    const netbox = newId();
    const apiToken = seal('token', netboxTokenContext(netbox), keys.previous);
    await db.insert(netboxSources).values({
      ...{ id: netbox, name: 'x', url: 'https://netbox.example.org', networks: [] },
      ...{ token_encrypted: apiToken.sealed, secret_key_id: apiToken.key_id },
    });
    const password = seal('mail password', notificationSecretContext('smtp_password'), keys.previous);
    await db
      .insert(notificationSecrets)
      .values({ id: 'smtp_password', value_encrypted: password.sealed, secret_key_id: password.key_id });
    expect((await rotate()).map(({ resealed, unreadable }) => [resealed, unreadable])).toEqual([
      [120, 0],
      [1, 0],
      [1, 0],
      [1, 0],
      [1, 0],
      [1, 0],
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    const [hook] = await db.select().from(notificationChannels);
    const opened = (sealed: string | null | undefined, context: string) =>
      unseal({ sealed: sealed ?? '', key_id: keyId(keys.present) }, context, keys.present);
    expect(hook?.secret_key_id).toBe(keyId(keys.present));
    expect(opened(hook?.url_encrypted, channelSecretContext(channel, 'url'))).toBe('https://example.org/a');
    expect(opened(hook?.signing_secret_encrypted, channelSecretContext(channel, 'signing_secret'))).toBe('whsec');
    expect(opened(hook?.previous_secret_encrypted, channelSecretContext(channel, 'previous_secret'))).toBe(
      'whsec before',
    );
    const [siem] = await db.select().from(forwardingDestinations);
    expect(opened(siem?.url_encrypted, destinationSecretContext(destination, 'url'))).toBe('https://example.org/a');
    expect(opened(siem?.header_value_encrypted, destinationSecretContext(destination, 'header_value'))).toBe('Bearer');
    const [session] = await db.select().from(providerSessions);
    expect(opened(session?.id_token_encrypted, providerSessionContext(family_id))).toBe('ID token');
    const [mail] = await db.select().from(notificationSecrets);
    expect(opened(mail?.value_encrypted, notificationSecretContext('smtp_password'))).toBe('mail password');
    for (const [n, id] of ids.entries()) expect(await readToken(id, keys.present)).toBe(`token ${n}`);
    await expect(readToken(ids[0] ?? '', keys.previous)).rejects.toThrow(
      /encrypted with a different FABRIC_SECRET_KEY/,
    );
    const [stored] = await db.select().from(secondFactors);
    expect(
      unseal({ sealed: stored?.secret_encrypted ?? '', key_id: stored?.secret_key_id ?? '' }, user.id, keys.present),
    ).toBe('BASE32');
    const records = await auditTrail(eq(auditRecords.action, 'secret_key.rotated'));
    expect(records.at(-1)).toMatchObject({
      before: { key_id: keyId(keys.previous) },
      after: { key_id: keyId(keys.present) },
    });
    expect(JSON.stringify(records)).not.toContain(keys.present);
    // Again: nothing is left to do.
    expect((await rotate()).every(({ resealed }) => resealed === 0)).toBe(true);
  });

  it('encrypts rows again whose other values are null, and keeps those null', async () => {
    const [hook, siem] = [newId(), newId()];
    const sealed = (text: string, context: string) => seal(text, context, keys.previous).sealed;
    const origin = { url_origin: 'https://example.org', secret_key_id: keyId(keys.previous) };
    await db.insert(notificationChannels).values({
      ...{ id: hook, name: 'without a rotation', kind: 'webhook', ...origin },
      url_encrypted: sealed('https://example.org/a', channelSecretContext(hook, 'url')),
      signing_secret_encrypted: sealed('NULL', channelSecretContext(hook, 'signing_secret')),
    });
    await db.insert(forwardingDestinations).values({
      ...{ id: siem, name: 'without a header', kind: 'http', streams: ['audit'], max_wait_hours: 24, ...origin },
      header_name: 'Authorization',
      url_encrypted: sealed('https://example.org/b', destinationSecretContext(siem, 'url')),
    });
    const nullable = await db.execute<{ name: string }>(sql`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and is_nullable = 'YES' and column_name like '%\_encrypted' order by 1`);
    // The others of these are null only together with the id of their key, or never while the row has one.
    expect(nullable.map(({ name }) => name)).toEqual([
      'clusters.api_token_encrypted',
      'forwarding_destinations.header_value_encrypted',
      'forwarding_destinations.url_encrypted',
      'notification_channels.previous_secret_encrypted',
      'notification_channels.signing_secret_encrypted',
      'notification_channels.url_encrypted',
      'oidc_settings.client_secret_encrypted',
    ]);
    expect((await rotate()).reduce((total, place) => total + place.resealed, 0)).toBe(2);
    const [channel] = await db.select().from(notificationChannels);
    expect(channel).toMatchObject({ secret_key_id: keyId(keys.present), previous_secret_encrypted: null });
    const signing = { sealed: channel?.signing_secret_encrypted ?? '', key_id: keyId(keys.present) };
    expect(unseal(signing, channelSecretContext(hook, 'signing_secret'), keys.present)).toBe('NULL');
    const [destination] = await db.select().from(forwardingDestinations).where(eq(forwardingDestinations.id, siem));
    expect(destination).toMatchObject({ secret_key_id: keyId(keys.present), header_value_encrypted: null });
  });

  it('continues where it was interrupted, and skips what no key decrypts', async () => {
    const done = await sealedCluster('done', keys.present);
    const open = await sealedCluster('open', keys.previous);
    const lost = await sealedCluster('lost', 'l'.repeat(40));
    expect((await rotate())[0]).toEqual({ name: 'API tokens of clusters', resealed: 1, unreadable: 1 });
    expect(await readToken(done, keys.present)).toBe('done');
    expect(await readToken(open, keys.present)).toBe('open');
    expect(await readToken(lost, 'l'.repeat(40))).toBe('lost');
    const [place] = SEALED_PLACES;
    expect(place && [...(await countByKey(place))].map(({ rows }) => rows).sort()).toEqual([1, 2]);
  });

  it('keeps values that are entered during the rotation', async () => {
    const id = await sealedCluster('before', keys.previous);
    let rotating: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      const { sealed, key_id } = seal('entered meanwhile', id, keys.present);
      await tx
        .update(clusters)
        .set({ api_token_encrypted: sealed, api_token_key_id: key_id })
        .where(eq(clusters.id, id));
      rotating = rotate();
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    await rotating;
    expect(await readToken(id, keys.present)).toBe('entered meanwhile');
  });

  it('refuses to retire a key while something is encrypted with it', async () => {
    await db.execute(
      sql`insert into system_settings (key, value) values ('later', ${JSON.stringify({ password_key_id: keyId(keys.previous) })}::jsonb)`,
    );
    await expect(rotate()).rejects.toThrow(/Still encrypted with the previous key: setting later/);
    await db.execute(sql`delete from system_settings where key = 'later'`);
  });
});
