import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { queueBackend } from '@/server/jobs/backend';
import { closeQueues } from '@/server/jobs/queues';
import { newId } from '@/server/lib/ids';
import { bearer, makeTwoTenants, makeUser } from '@/test/factories';
import { call } from '@/test/request';

vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');

type Headers = { authorization: string };
const sql = sqlClient();
let admin: Headers;
let root: Headers;
let fixture: Awaited<ReturnType<typeof makeTwoTenants>>;

beforeAll(async () => {
  await queueBackend.prepare();
  root = await bearer(await makeUser('super_admin'));
  admin = await bearer(await makeUser('admin'));
  fixture = await makeTwoTenants('admin');
});
afterAll(() => closeQueues());

async function send(method: string, path: string, headers: Headers, body?: unknown) {
  const response = await call(path, { method, headers, body });
  const text = await response.text();
  return { status: response.status, text, json: text ? JSON.parse(text) : null };
}
const webhook = (name: string, more: object = {}) => ({
  kind: 'webhook',
  name,
  url: 'https://hooks.example.org/services/SECRET-PATH?token=SECRET-QUERY',
  ...more,
});
const mail = (name: string, more: object = {}) => ({ kind: 'email', name, recipients: ['Ops@Example.org'], ...more });
const rule = (name: string, more: object = {}) => ({ name, conditions: ['policy_drifted'], ...more });
const readAuditRows = (id: string) => sql<{ action: string; tenant_id: string | null; text: string }[]>`
  select action, tenant_id, concat(before, after) as text from audit_records where object_id = ${id} order by seq`;

describe('channels', () => {
  it('tell their secrets once, store them encrypted and never log them', async () => {
    const made = await send('POST', '/notification-channels', admin, webhook('Chat'));
    expect(made.status).toBe(201);
    const { id, signing_secret } = made.json;
    expect(signing_secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(made.json).toMatchObject({ url_origin: 'https://hooks.example.org', tenant_id: null, recipients: [] });
    expect(made.text).not.toContain('SECRET');

    const rotated = await send('POST', `/notification-channels/${id}/rotate-secret`, admin);
    expect(rotated.json.signing_secret).not.toBe(signing_secret);
    const changed = await send('PATCH', `/notification-channels/${id}`, admin, {
      url: 'https://other.example.org/SECRET-TOO',
      version: rotated.json.version,
    });
    expect(changed.json).toMatchObject({ url_origin: 'https://other.example.org', version: 3 });

    const [row] = await sql`select * from notification_channels where id = ${id}`;
    const audit = await readAuditRows(id);
    expect(audit.map(({ action }) => action)).toEqual([
      'notification_channel.created',
      'notification_channel.secret_rotated',
      'notification_channel.updated',
    ]);
    const read = await send('GET', `/notification-channels/${id}`, admin);
    expect(row?.previous_secret_encrypted).not.toBeNull();
    expect(read.json.previous_secret_until).toBe(rotated.json.previous_secret_until);
    for (const text of [JSON.stringify(row), JSON.stringify(audit), read.text, changed.text]) {
      expect(text).not.toContain('SECRET');
      expect(text).not.toContain('whsec_');
    }
  });

  it('refuse what is no address of their kind', async () => {
    const bad = async (body: object) => (await send('POST', '/notification-channels', admin, body)).json.errors;
    expect(await bad(webhook('x', { url: 'ftp://example.org' }))).toMatchObject([{ field: 'url' }]);
    expect(await bad(webhook('x', { url: 'https://user:secret@example.org/' }))).toMatchObject([{ field: 'url' }]);
    expect(await bad(webhook('x', { url: 'javascript:alert(1)' }))).toMatchObject([{ field: 'url' }]);
    expect(await bad(mail('x', { recipients: ['a@example.org\r\nBcc: b@example.org'] }))).toMatchObject([
      { field: expect.stringContaining('recipients') },
    ]);
    expect(await bad(mail('x', { recipients: ['a@example.org, b@example.org'] }))).toHaveLength(1);
    expect(await bad(mail('x', { recipients: [] }))).toMatchObject([{ field: 'recipients' }]);
    const { json } = await send('POST', '/notification-channels', admin, mail('Mail of one kind'));
    expect(json.recipients).toEqual(['ops@example.org']);
    expect(json.signing_secret).toBeNull();
    const wrong = await send('PATCH', `/notification-channels/${json.id}`, admin, { url: 'https://example.org/' });
    expect(wrong).toMatchObject({ status: 422, json: { errors: [{ field: 'url' }] } });
    expect((await send('POST', `/notification-channels/${json.id}/rotate-secret`, admin)).status).toBe(422);
  });

  it('reject a URL to which no notification would be sent', async () => {
    const refused = {
      status: 422,
      json: { errors: [{ field: 'url', message: expect.stringContaining('not allowed') }] },
    };
    const post = (url: string, who = admin) => send('POST', '/notification-channels', who, webhook('Reach', { url }));
    for (const url of ['http://169.254.169.254/x', 'http://0xa9.0xfe.1/', 'https://[fe80::1]/'])
      expect(await post(url)).toMatchObject(refused);
    expect(await post('http://10.0.0.9/x', fixture.ours.headers)).toMatchObject(refused);
    const { status, json } = await post('http://10.0.0.9/x');
    expect(status).toBe(201);
    const path = `/notification-channels/${json.id}`;
    expect(await send('PATCH', path, admin, { url: 'http://169.254.169.254/' })).toMatchObject(refused);
    expect((await send('GET', path, admin)).json).toMatchObject({ url_origin: 'http://10.0.0.9' });
  });

  it('stay while rules use them, and have names of their own', async () => {
    const channel = (await send('POST', '/notification-channels', admin, mail('Pager'))).json;
    expect((await send('POST', '/notification-channels', admin, mail('Pager'))).status).toBe(409);
    const made = await send('POST', '/notification-rules', admin, rule('Uses pager', { channel_ids: [channel.id] }));
    expect(made.json.channels).toEqual([{ id: channel.id, name: 'Pager', enabled: true }]);
    const kept = await send('DELETE', `/notification-channels/${channel.id}`, admin);
    expect(kept).toMatchObject({ status: 409, json: { rules_total: 1 } });
    expect((await send('DELETE', `/notification-rules/${made.json.id}`, admin)).status).toBe(204);
    expect((await send('DELETE', `/notification-channels/${channel.id}`, admin)).status).toBe(204);
    expect((await send('GET', `/notification-channels/${channel.id}`, admin)).status).toBe(404);
  });

  it('reject a change from an older version', async () => {
    const { json } = await send('POST', '/notification-channels', admin, mail('Twice changed'));
    const path = `/notification-channels/${json.id}`;
    expect((await send('PATCH', path, admin, { enabled: false, version: 1 })).json.version).toBe(2);
    expect((await send('PATCH', path, admin, { enabled: true, version: 1 })).status).toBe(409);
    // Without a change nothing is written.
    expect((await send('PATCH', path, admin, { enabled: false })).json.version).toBe(2);
    expect(await readAuditRows(json.id)).toHaveLength(2);
    const off = await send('POST', `${path}/test`, admin);
    expect(off).toMatchObject({ status: 422, json: { detail: expect.stringContaining('turned off') } });
  });
});

describe('rules', () => {
  it('have defaults, keep their order of conditions and page', async () => {
    const conditions = ['address_conflict', 'sync_failed', 'sync_failed'];
    const { json, status } = await send('POST', '/notification-rules', admin, { name: 'Everything', conditions });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      conditions: ['sync_failed', 'address_conflict'],
      open_after_minutes: 5,
      close_after_minutes: 5,
      notify_recovery: true,
      in_app: true,
      channels: [],
      incidents_open: 0,
      version: 1,
    });
    const one = await send('GET', '/notification-rules?limit=1&sort=-created_at&condition=sync_failed', admin);
    expect(one.json.items).toMatchObject([{ id: json.id }]);
    const changed = await send('PATCH', `/notification-rules/${json.id}`, admin, { open_after_minutes: 0, version: 1 });
    expect(changed.json).toMatchObject({
      open_after_minutes: 0,
      conditions: ['sync_failed', 'address_conflict'],
      version: 2,
    });
    expect((await readAuditRows(json.id)).map(({ action }) => action)).toEqual([
      'notification_rule.created',
      'notification_rule.updated',
    ]);
  });

  it('require a condition and a recipient', async () => {
    const silent = await send('POST', '/notification-rules', admin, rule('Silent', { in_app: false }));
    expect(silent).toMatchObject({ status: 422, json: { errors: [{ field: 'channel_ids' }] } });
    expect((await send('POST', '/notification-rules', admin, rule('None', { conditions: [] }))).status).toBe(400);
    expect((await send('POST', '/notification-rules', admin, rule('Late', { open_after_minutes: 1441 }))).status).toBe(
      400,
    );
  });

  it('evaluate the objects of their tenant, and use only its channels', async () => {
    const { ours, theirs } = fixture;
    const tenant_id = ours.tenant.id;
    const wrong = await send(
      'POST',
      '/notification-rules',
      ours.headers,
      rule('Agents', { conditions: ['agent_silent'] }),
    );
    expect(wrong).toMatchObject({ status: 422, json: { errors: [{ field: 'conditions' }] } });
    const platform = (await send('POST', '/notification-channels', admin, mail('Of the installation'))).json;
    const foreign = (await send('POST', '/notification-channels', theirs.headers, mail('Theirs'))).json;
    for (const id of [platform.id, foreign.id, newId()]) {
      const refused = await send('POST', '/notification-rules', ours.headers, rule('Mixed', { channel_ids: [id] }));
      expect(refused).toMatchObject({ status: 422, json: { errors: [{ field: 'channel_ids' }] } });
      const also = await send('POST', '/notification-rules', admin, rule('Mixed', { tenant_id, channel_ids: [id] }));
      expect(also.status).toBe(422);
    }
    const own = (await send('POST', '/notification-channels', ours.headers, mail('Ours'))).json;
    expect(own.tenant_id).toBe(tenant_id);
    const made = await send('POST', '/notification-rules', ours.headers, rule('Ours', { channel_ids: [own.id] }));
    expect(made.json).toMatchObject({ tenant_id, channels: [{ id: own.id }] });
    expect((await readAuditRows(made.json.id))[0]).toMatchObject({ tenant_id });
  });
});

describe('who may', () => {
  it('see and change nothing of another tenant, whatever the id', async () => {
    const { ours, theirs } = fixture;
    const channel = (await send('POST', '/notification-channels', theirs.headers, webhook('Hidden channel'))).json;
    const hidden = (
      await send('POST', '/notification-rules', theirs.headers, rule('Hidden rule', { channel_ids: [channel.id] }))
    ).json;
    const delivery = (await send('POST', `/notification-channels/${channel.id}/test`, theirs.headers)).json;
    expect(delivery.tenant_id).toBe(theirs.tenant.id);
    const calls: [string, string, unknown?][] = [
      ['GET', `/notification-channels/${channel.id}`],
      ['PATCH', `/notification-channels/${channel.id}`, { enabled: false }],
      ['DELETE', `/notification-channels/${channel.id}`],
      ['POST', `/notification-channels/${channel.id}/test`],
      ['POST', `/notification-channels/${channel.id}/rotate-secret`],
      ['POST', `/notification-channels/${channel.id}/end-previous-secret`],
      ['GET', `/notification-rules/${hidden.id}`],
      ['PATCH', `/notification-rules/${hidden.id}`, { enabled: false }],
      ['DELETE', `/notification-rules/${hidden.id}`],
      ['POST', `/notification-rules/${hidden.id}/test`],
      ['GET', `/notification-deliveries/${delivery.id}`],
      ['POST', `/notification-deliveries/${delivery.id}/retry`],
    ];
    for (const [method, path, body] of calls)
      expect((await send(method, path, ours.headers, body)).status, `${method} ${path}`).toBe(404);
    for (const path of ['rules', 'channels', 'deliveries', 'incidents']) {
      for (const query of ['', `?tenant_id=${theirs.tenant.id}`, '?tenant_id=none', `?q=Hidden`]) {
        const { text, status } = await send('GET', `/notification-${path}${query}`, ours.headers);
        expect(status).toBe(200);
        expect(text, path + query).not.toMatch(new RegExp(`${theirs.tenant.id}|Hidden|Of the installation`));
      }
    }
    const created = await send(
      'POST',
      '/notification-rules',
      ours.headers,
      rule('Abroad', { tenant_id: theirs.tenant.id }),
    );
    expect(created.status).toBe(400);
  });

  it('cannot notify others about anything that they may not read themselves', async () => {
    const [role] = await sql<{ id: string }[]>`insert into roles (id, name, title, permissions)
      values (${newId()}, 'notifier', 'Notifier', '{notification:read,notification:write,policy:read}') returning id`;
    const user = await makeUser();
    await sql`insert into role_assignments (id, user_id, role_id, tenant_id)
      values (${newId()}, ${user.id}, ${role?.id ?? null}, ${fixture.ours.tenant.id})`;
    const headers = await bearer(user);
    const made = await send('POST', '/notification-rules', headers, rule('What I may'));
    expect(made.status).toBe(201);
    const more = { conditions: ['policy_drifted', 'suspicious_traffic_critical'] };
    expect((await send('POST', '/notification-rules', headers, rule('More', more))).status).toBe(403);
    expect((await send('PATCH', `/notification-rules/${made.json.id}`, headers, more)).status).toBe(403);

    // A channel that reports more than the user may read cannot be redirected.
    const channel = (await send('POST', '/notification-channels', headers, mail('Shared'))).json;
    const theirs = rule('By an administrator', { ...more, channel_ids: [channel.id] });
    const wide = await send('POST', '/notification-rules', fixture.ours.headers, theirs);
    expect(wide.status).toBe(201);
    const path = `/notification-channels/${channel.id}`;
    expect((await send('PATCH', path, headers, { recipients: ['me@example.org'] })).status).toBe(403);
    expect((await send('PATCH', path, headers, { name: 'Renamed' })).status).toBe(200);
    const rerouted = await send('PATCH', `/notification-rules/${wide.json.id}`, headers, { channel_ids: [] });
    expect(rerouted.status).toBe(403);

    // Without its rule the channel still has what it was to report, and what a retry would send again.
    expect((await send('DELETE', `/notification-rules/${wide.json.id}`, headers)).status).toBe(204);
    const [notice, delivery] = [newId(), newId()];
    await sql`insert into notifications (id, tenant_id, rule_name, event, condition, title, detail, items, items_total, in_app)
      values (${notice}, ${fixture.ours.tenant.id}, 'By an administrator', 'opened', 'suspicious_traffic_critical', 'x', 'x', '[]', 0, false)`;
    await sql`insert into notification_deliveries (id, notification_id, tenant_id, channel_id, channel_name, channel_kind, status, next_attempt_at)
      values (${delivery}, ${notice}, ${fixture.ours.tenant.id}, ${channel.id}, 'Shared', 'email', 'queued', now())`;
    for (const [status, expected] of [
      ['queued', 403],
      ['sending', 403],
      ['failed', 403],
      ['sent', 200],
    ] as const) {
      const over = status === 'failed' || status === 'sent';
      await sql`update notification_deliveries set status = ${status}, next_attempt_at = case when ${over} then null else now() end,
        finished_at = case when ${over} then now() end where id = ${delivery}`;
      const moved = await send('PATCH', path, headers, { recipients: [`${status}@example.org`] });
      expect(moved.status, status).toBe(expected);
    }
  });

  it('do not do it with a role that only reads, or with none', async () => {
    const viewer = await bearer(await makeUser('viewer'));
    const engineer = await bearer(await makeUser('security_engineer'));
    const withoutRoles = await bearer(await makeUser());
    for (const path of [
      '/notification-rules',
      '/notification-channels',
      '/notification-deliveries',
      '/notification-incidents',
    ]) {
      expect((await send('GET', path, viewer)).status).toBe(403);
      expect((await send('GET', path, withoutRoles)).status).toBe(403);
      expect((await send('GET', path, engineer)).status).toBe(200);
    }
    expect((await send('POST', '/notification-rules', engineer, rule('x'))).status).toBe(403);
    expect((await send('GET', '/notifications', withoutRoles)).json).toMatchObject({ items: [], total: 0 });
  });

  it('can test a channel only a limited number of times', async () => {
    const headers = await bearer(await makeUser('admin'));
    const { json } = await send('POST', '/notification-channels', headers, mail('Often tested'));
    const statuses = [];
    for (let count = 0; count < 12; count++)
      statuses.push((await send('POST', `/notification-channels/${json.id}/test`, headers)).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(202));
    expect(statuses.slice(10)).toEqual([429, 429]);
  });
});

describe('settings', () => {
  it('require a super administrator, and never return the password', async () => {
    const path = '/settings/notifications';
    expect((await send('GET', path, admin)).json).toMatchObject({ smtp_host: null, smtp_password_set: false });
    expect((await send('PATCH', path, admin, { smtp_host: 'mail.example.org' })).status).toBe(403);
    const saved = await send('PATCH', path, root, {
      public_url: 'https://fabric.example.org/',
      smtp_host: 'Mail.Example.org',
      smtp_username: 'fabric',
      smtp_password: 'SECRET-PASSWORD',
      from_address: 'fabric@example.org',
    });
    expect(saved.json).toMatchObject({
      public_url: 'https://fabric.example.org',
      smtp_host: 'mail.example.org',
      smtp_port: 587,
      smtp_security: 'starttls',
      smtp_password_set: true,
    });
    // The password goes to no other server than the one it was entered for.
    const moved = await send('PATCH', path, root, { smtp_host: 'evil.example.org' });
    expect(moved).toMatchObject({ status: 422, json: { errors: [{ field: 'smtp_password' }] } });
    expect(await send('PATCH', path, root, { smtp_host: '169.254.1.1', smtp_password: null })).toMatchObject({
      status: 422,
      json: { errors: [{ field: 'smtp_host' }] },
    });
    const without = await send('PATCH', path, root, { smtp_host: 'other.example.org', smtp_password: null });
    expect(without.json).toMatchObject({ smtp_host: 'other.example.org', smtp_password_set: false });
    expect((await send('PATCH', path, root, { smtp_port: 25, version: 1 })).status).toBe(409);
    expect((await send('PATCH', path, root, { smtp_host: 'mail.example.org:25' })).status).toBe(400);
    const stored = await sql`select value::text from system_settings where key = 'notifications'
      union all select to_jsonb(s)::text from notification_secrets s`;
    const audit = await readAuditRows('notifications');
    expect(audit).toHaveLength(2);
    for (const text of [JSON.stringify(stored), JSON.stringify(audit), saved.text])
      expect(text).not.toContain('SECRET');
  });
});
