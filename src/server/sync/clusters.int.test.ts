import { type Simulator, startSimulator } from '@fabric/simulator/http-server';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Cluster } from '@/domain/cluster';
import { db } from '@/server/db/client';
import { clusters } from '@/server/db/schema/clusters';
import { auditRecords, syncRuns } from '@/server/db/schema/operations';
import { unseal } from '@/server/lib/crypto';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeNode, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';

vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');

const SECRET = '0f6c4f1e-5a4e-4c5d-9d57-3f1f8d1f2a3b';
const input = {
  name: 'fra',
  api_url: 'https://PVE1.example.org/',
  api_token: `fabric@pve!sync=${SECRET}`,
  tls_fingerprint: 'ab'.repeat(32),
};
let headers: Record<string, string>;
let serial = 0;

beforeAll(async () => {
  headers = await bearer(await makeUser('admin'));
});

async function json(path: string, init: Parameters<typeof call>[1] = {}) {
  const response = await call(path, { ...init, headers: { ...headers, ...init.headers } });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}
const create = async (changes: object = {}) => {
  serial += 1;
  const { status, body } = await json('/clusters', { body: { ...input, name: `cluster ${serial}`, ...changes } });
  expect(status).toBe(201);
  return body as Cluster;
};
const patch = (id: string, body: object, more: Record<string, string> = {}) =>
  json(`/clusters/${id}`, { method: 'PATCH', body, headers: more });
const lastAudit = async (id: string) => (await auditTrail(eq(auditRecords.object_id, id))).at(-1);
const stored = async (id: string) => (await db.select().from(clusters).where(eq(clusters.id, id)))[0];

describe('adding a cluster', () => {
  it('normalizes the input, hides the token and records the change', async () => {
    const { status, body } = await json('/clusters', { body: { ...input, name: '  Frankfurt  ' } });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Frankfurt',
      api_url: 'https://pve1.example.org:8006',
      tls_fingerprint: Array(32).fill('AB').join(':'),
      rule_placement: 'above',
      has_api_token: true,
      sync_status: 'never',
      version: 1,
      counts: { nodes: 0, workloads: 0, networks: 0, subnets: 0, ip_addresses: 0 },
      active_run: null,
    });
    const row = await stored(body.id);
    const token = unseal({ sealed: row?.api_token_encrypted ?? '', key_id: row?.api_token_key_id ?? '' }, body.id);
    expect(token).toBe(input.api_token);
    const record = await lastAudit(body.id);
    expect(record).toMatchObject({ action: 'cluster.created', actor_kind: 'user', object_name: 'Frankfurt' });
    for (const seen of [body, row, record, await json('/clusters'), await json(`/clusters/${body.id}`)])
      expect(JSON.stringify(seen)).not.toContain(SECRET);
  });

  it.each([
    ['http', { api_url: 'http://pve1' }, 'api_url', 'https only'],
    ['credentials', { api_url: 'https://root:x@pve1' }, 'api_url', 'API token'],
    ['a path', { api_url: 'https://pve1/pve' }, 'api_url', 'path'],
    ['a query', { api_url: 'https://pve1/?a=b' }, 'api_url', 'query'],
    ['a missing token', { api_token: undefined }, 'api_token', 'API token'],
    ['a token without realm', { api_token: 'root!x=y' }, 'api_token', 'user@realm!name=secret'],
    ['a token without secret', { api_token: 'root@pam!x=' }, 'api_token', 'user@realm!name=secret'],
    ['a token with a line feed', { api_token: 'root@pam!x=a\nb' }, 'api_token', 'user@realm!name=secret'],
    ['a short fingerprint', { tls_fingerprint: 'AA:BB' }, 'tls_fingerprint', '32 pairs'],
    ['an empty name', { name: '  ' }, 'name', '1 to 64'],
    ['a long name', { name: 'x'.repeat(65) }, 'name', '1 to 64'],
    ['an invisible name', { name: 'a\u200bb' }, 'name', 'Printable'],
    ['an unknown placement', { rule_placement: 'left' }, 'rule_placement', 'One of above, below.'],
    ['an unknown field', { apiToken: 'x' }, 'apiToken', 'Unknown field'],
  ])('refuses %s and says what is wrong', async (_, changes, field, message) => {
    const { status, body } = await json('/clusters', { body: { ...input, ...changes } });
    expect(status).toBe(400);
    expect(body.errors).toContainEqual({ field, message: expect.stringContaining(message) });
    expect(JSON.stringify(body)).not.toContain(SECRET);
  });

  it.each(['https://169.254.169.254', 'https://0.0.0.0:8006', 'https://[::1]', 'https://[::ffff:169.254.169.254]'])(
    'refuses %s, to which no connection may be made, when it is stored and when it is changed',
    async (api_url) => {
      const made = await json('/clusters', { body: { ...input, name: 'kept' } });
      for (const { status, body } of [
        await json('/clusters', { body: { ...input, name: 'other', api_url } }),
        await patch(made.body.id, { api_url, api_token: input.api_token }),
      ]) {
        expect(status).toBe(422);
        expect(body.errors).toEqual([
          { field: 'api_url', message: expect.stringMatching(/not allowed \(.*FABRIC_ALLOW_PRIVATE_TARGETS/) },
        ]);
      }
      expect((await stored(made.body.id))?.api_url).toBe('https://pve1.example.org:8006');
      await db.delete(clusters).where(eq(clusters.id, made.body.id));
    },
  );

  it('refuses a name that is in use, also for two concurrent requests', async () => {
    const both = await Promise.all([1, 2].map(() => json('/clusters', { body: { ...input, name: 'twice' } })));
    expect(both.map((answer) => answer.status).sort()).toEqual([201, 409]);
    expect(await json('/clusters', { body: { ...input, name: 'twice' } })).toMatchObject({
      status: 409,
      body: { code: 'conflict', errors: [{ field: 'name' }] },
    });
  });
});

describe('changing a cluster', () => {
  it('changes what is given, counts the version, and records before and after', async () => {
    const cluster = await create();
    const { status, body } = await patch(cluster.id, { name: `${cluster.name} b`, rule_placement: 'below' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { version: 2, rule_placement: 'below', api_url: cluster.api_url },
    });
    expect(await lastAudit(cluster.id)).toMatchObject({
      action: 'cluster.updated',
      before: { name: cluster.name, rule_placement: 'above', has_api_token: true },
      after: { name: `${cluster.name} b`, rule_placement: 'below', has_api_token: true },
    });
  });

  it('writes nothing when nothing changes', async () => {
    const cluster = await create();
    const record = await lastAudit(cluster.id);
    expect((await patch(cluster.id, { name: cluster.name, api_url: cluster.api_url })).body.version).toBe(1);
    expect((await patch(cluster.id, {})).status).toBe(200);
    expect(await lastAudit(cluster.id)).toEqual(record);
  });

  it('stores a new token encrypted and tells only that there is one', async () => {
    const cluster = await create();
    const { body } = await patch(cluster.id, { api_token: 'fabric@pve!sync=other-secret-value' });
    expect(JSON.stringify(body)).not.toContain('other-secret');
    const row = await stored(cluster.id);
    expect(unseal({ sealed: row?.api_token_encrypted ?? '', key_id: row?.api_token_key_id ?? '' }, cluster.id)).toBe(
      'fabric@pve!sync=other-secret-value',
    );
    const record = await lastAudit(cluster.id);
    expect(record?.after).toMatchObject({ has_new_api_token: true });
    expect(JSON.stringify(record)).not.toContain('other-secret');
  });

  it('sends the stored token nowhere else: a new address needs it again', async () => {
    const cluster = await create();
    expect(await patch(cluster.id, { api_url: 'https://evil.example.org' })).toMatchObject({
      status: 422,
      body: { code: 'refused', errors: [{ field: 'api_token' }] },
    });
    expect((await stored(cluster.id))?.api_url).toBe('https://pve1.example.org:8006');
    await db
      .update(clusters)
      .set({ tls_ca: 'PEM', entry_points: [{ node: 'a', url: 'https://10.0.0.1:8006', fingerprint: null }] })
      .where(eq(clusters.id, cluster.id));
    const moved = await patch(cluster.id, { api_url: 'https://pve2.example.org', api_token: input.api_token });
    expect(moved).toMatchObject({
      status: 200,
      body: { api_url: 'https://pve2.example.org:8006', tls_fingerprint: null },
    });
    // What was learnt and trusted at the old address does not count at the new one.
    expect(await stored(cluster.id)).toMatchObject({ tls_ca: null, entry_points: [] });
  });

  it('detects that another user changed it first', async () => {
    const cluster = await create();
    await patch(cluster.id, { rule_placement: 'below' });
    const stale = { status: 409, body: { code: 'version_conflict', version: 2, given_version: 1 } };
    expect(await patch(cluster.id, { name: 'x', version: 1 })).toMatchObject(stale);
    expect(await patch(cluster.id, { name: 'x' }, { 'if-match': '"1"' })).toMatchObject(stale);
    expect((await patch(cluster.id, { rule_placement: 'above' }, { 'if-match': 'W/"2"' })).status).toBe(200);
    const racing = await Promise.all(
      ['below', 'below'].map((rule_placement, i) =>
        patch(cluster.id, { rule_placement, name: `race ${i}`, version: 3 }),
      ),
    );
    expect(racing.map((answer) => answer.status).sort()).toEqual([200, 409]);
  });

  it('returns an error on a rename while policies name the cluster', async () => {
    const cluster = await create({ name: 'paris/1' });
    const policy = { name: 'web of paris', definition: { sources: ['network:paris%2F1/vmbr0'], targets: ['any'] } };
    const created = await json('/policies', { body: policy });
    expect(created.status).toBe(201);
    expect(await patch(cluster.id, { name: 'lyon' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining('web of paris'), errors: [{ field: 'name' }] },
    });
    const { id } = created.body as { id: string };
    await json(`/policies/${id}`, { method: 'PATCH', body: { definition: { sources: ['any'], targets: ['any'] } } });
    expect(await patch(cluster.id, { name: 'lyon' })).toMatchObject({ status: 200, body: { name: 'lyon' } });
  });

  it('does not find what is not there', async () => {
    const id = '01890000-0000-7000-8000-000000000000';
    expect((await patch(id, { name: 'x' })).status).toBe(404);
    expect((await json(`/clusters/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await json(`/clusters/${id}/sync`, { method: 'POST' })).status).toBe(404);
    expect((await json(`/clusters/${id}/sync-runs`)).status).toBe(404);
    expect((await json('/clusters/nonsense')).status).toBe(404);
  });
});

describe('deleting a cluster', () => {
  it('tells before what goes with it, and takes it all', async () => {
    const cluster = await create();
    const node = await makeNode(cluster);
    await makeWorkload(cluster, null, { node_id: node.id });
    await db
      .insert(syncRuns)
      .values({ cluster_id: cluster.id, kind: 'inventory', status: 'queued', trigger: 'manual' });
    const counts = { nodes: 1, workloads: 1, networks: 0, subnets: 0, ip_addresses: 0 };
    expect(await json(`/clusters/${cluster.id}/delete-preview`)).toEqual({ status: 200, body: counts });
    expect((await json(`/clusters/${cluster.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await json(`/clusters/${cluster.id}`)).status).toBe(404);
    expect(await lastAudit(cluster.id)).toMatchObject({
      action: 'cluster.deleted',
      before: { name: cluster.name, deleted_with_it: counts },
    });
  });
});

describe('the list', () => {
  it('sorts, filters, searches and pages', async () => {
    const prefix = `list%_${Date.now()}`;
    for (const letter of ['c', 'a', 'b']) await create({ name: `${prefix} ${letter}` });
    const names = async (query: string) => {
      const { body } = await json(`/clusters?q=${encodeURIComponent(prefix)}${query}`);
      return {
        names: body.items.map((item: Cluster) => item.name.at(-1)).join(''),
        total: body.total,
        next: body.next_cursor,
      };
    };
    expect(await names('')).toEqual({ names: 'abc', total: 3, next: null });
    expect(await names('&sort=-name')).toMatchObject({ names: 'cba' });
    expect(await names('&sort=created_at')).toMatchObject({ names: 'cab' });
    expect(await names('&sort=-last_sync_at')).toMatchObject({ total: 3 });
    for (const sort of ['name', '-name', 'created_at', '-created_at', 'last_sync_at', 'sync_status', 'api_url']) {
      let seen = '';
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Awaited<ReturnType<typeof names>> = await names(
          `&limit=1&sort=${sort}${cursor && `&cursor=${cursor}`}`,
        );
        seen += page.names;
        cursor = page.next;
      }
      expect([...seen].sort().join(''), sort).toBe('abc');
    }
    expect((await json('/clusters?sync_status=ok')).body.items).toEqual([]);
    expect((await json('/clusters?sort=secret')).status).toBe(400);
    const forged = Buffer.from(JSON.stringify(['x', 'y'])).toString('base64url');
    expect((await json(`/clusters?cursor=${forged}`)).status).toBe(400);
    expect((await json(`/clusters?sort=last_sync_at&cursor=${forged}`)).status).toBe(400);
  });
});

describe('checking an access', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator({ scenario: smallLab, timeScale: 50 });
  });
  afterAll(() => simulator.close());
  const findStatus = (body: { checks: { name: string; status: string }[] }, name: string) =>
    body.checks.find((check) => check.name === name)?.status;

  it('reports what works before anything is stored', async () => {
    const { nodes, tokens } = simulator.cluster();
    const access = { api_url: nodes[0]?.url, api_token: tokens.manager, tls_fingerprint: nodes[0]?.fingerprint256 };
    const good = await json('/clusters/check', { body: access });
    expect(good.status).toBe(200);
    expect(good.body).toMatchObject({ cluster_name: 'lab', fingerprint: nodes[0]?.fingerprint256 });
    expect(findStatus(good.body, 'sign_in')).toBe('ok');
    const untrusted = await json('/clusters/check', { body: { ...access, tls_fingerprint: null } });
    expect(untrusted.body.fingerprint).toBe(nodes[0]?.fingerprint256);
    expect(findStatus(untrusted.body, 'tls')).toBe('failed');
    expect(JSON.stringify([good, untrusted])).not.toContain(tokens.manager.split('=')[1]);
    const records = await auditTrail(eq(auditRecords.action, 'cluster.checked'));
    const seen = records.filter(({ after }) => (after as { api_url?: string } | null)?.api_url === access.api_url);
    expect(seen).toMatchObject([{ after: { failed: [] } }, { after: { failed: expect.arrayContaining(['tls']) } }]);
    expect(JSON.stringify(seen)).not.toContain(tokens.manager.split('=')[1]);
  });

  it('uses a stored token at the stored address only', async () => {
    const { nodes, tokens } = simulator.cluster();
    const cluster = await create({
      api_url: nodes[0]?.url,
      api_token: tokens.manager,
      tls_fingerprint: nodes[0]?.fingerprint256,
    });
    const own = await json('/clusters/check', { body: { cluster_id: cluster.id } });
    expect(findStatus(own.body, 'sign_in')).toBe('ok');
    const mark = simulator.log.entries().length;
    const elsewhere = { cluster_id: cluster.id, api_url: nodes[1]?.url, tls_fingerprint: nodes[1]?.fingerprint256 };
    expect(await json('/clusters/check', { body: elsewhere })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'api_token' }] },
    });
    expect(simulator.log.entries()).toHaveLength(mark);
    const withToken = await json('/clusters/check', { body: { ...elsewhere, api_token: tokens.manager } });
    expect(findStatus(withToken.body, 'sign_in')).toBe('ok');
  });

  it('needs an address or a cluster, and a token', async () => {
    expect((await json('/clusters/check', { body: {} })).status).toBe(400);
    expect((await json('/clusters/check', { body: { api_url: 'https://pve1' } })).status).toBe(422);
    const id = '01890000-0000-7000-8000-000000000000';
    expect((await json('/clusters/check', { body: { cluster_id: id } })).status).toBe(404);
  });
});
