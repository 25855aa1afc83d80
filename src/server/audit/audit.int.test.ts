import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readAuditChain } from '@/server/audit/queries/audit';
import { type AuditEntry, recordAudit } from '@/server/audit/record';
import { systemScope } from '@/server/auth/scope';
import { db, sqlClient } from '@/server/db/client';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { verifyAuditChain, verifyAuditTrail } from './trail';

const reader = systemScope('audit:read', 'test');
const write = (
  entry: Partial<AuditEntry> = {},
  origin: { request_id: string; source_address: string | null } | null = null,
) =>
  db.transaction((tx) =>
    recordAudit(
      tx,
      { actor: { kind: 'system', id: null, name: 'test' }, origin },
      { action: 'thing.changed', object_kind: 'thing', ...entry },
    ),
  );

/** Changes history, which no user may do. The append-only triggers are off for this transaction only. */
const tamper = (statement: string) =>
  sqlClient().begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(statement);
  });

const nasty = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.double(),
    fc.constantFrom(
      1e21,
      -0,
      5e-324,
      1.7976931348623157e308,
      0.1 + 0.2,
      2 ** 53 + 2,
      '\0',
      '\ud800',
      '\udc00x',
      '1',
      'null',
    ),
    fc.boolean(),
    fc.constant(null),
    fc.bigInt(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '10', '9', '', 'a\0')),
      tie('value'),
      {
        maxKeys: 4,
      },
    ),
  ),
})).value;

describe('the audit chain', () => {
  it('verifies after a round trip through the database, whatever was recorded', async () => {
    const addresses = fc.option(
      fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('::ffff:10.0.0.1', '::1.2.3.4', '0:0::1')),
    );
    await fc.assert(
      fc.asyncProperty(nasty, nasty, fc.string({ unit: 'binary' }), addresses, async (before, after, name, address) => {
        await write({ before, after, object_name: name }, { request_id: name, source_address: address });
        expect((await verifyAuditChain(reader)).broken).toBeNull();
      }),
      { numRuns: 150 },
    );
    // And once more in many batches of the reader.
    expect((await verifyAuditChain(reader)).checked).toBeGreaterThanOrEqual(150);
  });

  it('keeps its order under simultaneous writers', async () => {
    const { checked } = await verifyAuditChain(reader);
    await Promise.all(Array.from({ length: 40 }, (_, i) => write({ object_id: String(i) })));
    expect(await verifyAuditChain(reader)).toMatchObject({ checked: checked + 40, broken: null });
  });

  it('cannot be changed by the application', async () => {
    await expect(sqlClient()`update audit_records set action = 'x' where seq = 1`).rejects.toThrow('append-only');
    await expect(sqlClient()`delete from audit_records`).rejects.toThrow('append-only');
    await expect(sqlClient()`truncate audit_records`).rejects.toThrow('append-only');
  });

  it.each([
    ['another actor', `actor_name = 'somebody else'`, 'hash'],
    ['another time', `at = at + interval '1 millisecond'`, 'hash'],
    ['another state', `after = '{"a": 2}'`, 'hash'],
    ['a hash of its own', `hash = repeat('a', 64)`, 'hash'],
    ['another predecessor', `previous_hash = repeat('b', 64)`, 'previous_hash'],
  ])('shows %s, at the record where it happened', async (_name, change, reason) => {
    await write({ after: { a: 1 } });
    const seq = (await verifyAuditChain(reader)).checked;
    await write();
    const [before] = await readAuditChain(db, seq - 1, 1);
    await tamper(`update audit_records set ${change} where seq = ${seq}`);
    expect((await verifyAuditChain(reader)).broken).toEqual({ seq, reason });
    const { hash, previous_hash, actor_name, at } = before ?? { hash: '', previous_hash: '', actor_name: '', at: '' };
    await tamper(`update audit_records set hash = '${hash}', previous_hash = '${previous_hash}',
      actor_name = '${actor_name}', at = '${at}', after = '{"a": 1}' where seq = ${seq}`);
    expect((await verifyAuditChain(reader)).broken).toBeNull();
  });

  it('shows a record that is missing, in the middle, at the start, and with an anchor at the end', async () => {
    await write();
    await write();
    const intact = await verifyAuditChain(reader);
    const anchor = intact.last;
    for (const seq of [1, intact.checked - 1]) {
      const hidden = -seq;
      await tamper(`update audit_records set seq = ${hidden} where seq = ${seq}`);
      expect((await verifyAuditChain(reader)).broken).toEqual({ seq, reason: 'missing' });
      await tamper(`update audit_records set seq = ${seq} where seq = ${hidden}`);
    }
    expect((await verifyAuditChain(reader, anchor)).broken).toBeNull();
    await tamper(`delete from audit_records where seq = ${intact.checked}`);
    expect((await verifyAuditChain(reader)).broken).toBeNull();
    expect((await verifyAuditChain(reader, anchor)).broken).toEqual({ seq: intact.checked, reason: 'missing' });
    await write({ object_name: 'forged in its place' });
    expect((await verifyAuditChain(reader, anchor)).broken).toEqual({ seq: intact.checked, reason: 'anchor' });
  });
});

describe('reading the trail', () => {
  let acme: { id: string };
  let admin: Record<string, string>;
  let tenantAuditor: Record<string, string>;
  beforeAll(async () => {
    acme = await makeTenant();
    const other = await makeTenant();
    admin = await bearer(await makeUser('admin'));
    tenantAuditor = await bearer(await makeUser('auditor', acme));
    for (let i = 0; i < 7; i += 1) {
      await write({
        action: 'policy.updated',
        object_kind: 'policy',
        object_id: `p${i}`,
        tenant_id: acme.id,
        after: { i },
      });
      await write({ action: 'group.created', object_kind: 'group', object_name: `Web ${i}`, tenant_id: other.id });
    }
    await write({ action: 'cluster.created', object_kind: 'cluster' });
  });

  const list = async (query: string, headers = admin) => {
    const response = await call(`/audit?${query}`, { headers });
    expect([response.status, query]).toEqual([200, query]);
    return response.json();
  };

  it('gives every record once over the pages, newest first, and the other way round', async () => {
    for (const sort of ['-at', 'at']) {
      const seen: number[] = [];
      let cursor = '';
      do {
        const page = await list(`limit=50&sort=${sort}${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.items.map((r: { seq: number }) => r.seq));
        cursor = page.next_cursor ?? '';
        expect(page.total).toBeGreaterThan(50);
      } while (cursor);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual([...seen].sort((a, b) => (sort === 'at' ? a - b : b - a)));
    }
  });

  it('filters by action, object, actor, time and text', async () => {
    expect((await list('action=policy.updated')).total).toBe(7);
    expect((await list('action=policy.*')).total).toBe(7);
    expect((await list('action=polic.*')).total).toBe(0);
    expect((await list('object_kind=policy&object_id=p3')).total).toBe(1);
    expect((await list('q=wEB%203')).total).toBe(1);
    expect((await list('q=%25')).total).toBe(0);
    expect((await list(`tenant_id=${acme.id}`)).total).toBe(7);
    expect((await list('actor_kind=user')).total).toBe(0);
    const [newest] = (await list('limit=1')).items;
    expect((await list(`until=${newest.at}&limit=1`)).items[0].at < newest.at).toBe(true);
    expect((await list('since=2100-01-01T00:00:00%2B02:00')).total).toBe(0);
  });

  it('shows a tenant only its own records, whatever it asks for', async () => {
    const page = await list('limit=500', tenantAuditor);
    expect(page.total).toBe(7);
    expect(page.items.every((r: { tenant_id: string }) => r.tenant_id === acme.id)).toBe(true);
    expect((await list('object_kind=cluster', tenantAuditor)).total).toBe(0);
    expect((await list('object_kind=group', tenantAuditor)).total).toBe(0);

    const [foreign] = (await list('object_kind=group&limit=1')).items;
    const [own] = page.items;
    expect((await call(`/audit/${own.id}`, { headers: tenantAuditor })).status).toBe(200);
    expect((await call(`/audit/${foreign.id}`, { headers: tenantAuditor })).status).toBe(404);
    expect((await call(`/audit/${foreign.id}`, { headers: admin })).status).toBe(200);
    expect((await call('/audit/nonsense', { headers: admin })).status).toBe(404);
  });

  it.each([
    'cursor=abc',
    'cursor=s-1',
    'cursor=s99999999999999999999',
    'limit=0',
    'limit=501',
    'sort=seq',
    'since=yesterday',
    'q=%00',
    'actor_id=1',
    'colour=red',
    'action=a&action=b',
  ])('refuses %s', async (query) => {
    expect((await call(`/audit?${query}`, { headers: admin })).status).toBe(400);
  });
});

describe('a verification of the audit trail', () => {
  it('serves readers of all tenants, and shares one verification between concurrent requests', async () => {
    const scope = systemScope('audit:read', 'test');
    const first = verifyAuditTrail(scope);
    const second = verifyAuditTrail(scope);
    const outcome = await first;
    expect(outcome.broken).toBeNull();
    expect(await second).toBe(outcome);
    expect(await verifyAuditTrail(scope)).not.toBe(outcome);
  });

  it('refuses readers of some tenants, whose records are links of one chain with all others', async () => {
    const tenant = await makeTenant();
    await expect(verifyAuditTrail(systemScope('audit:read', 'test', [tenant.id]))).rejects.toMatchObject({
      code: 'refused',
    });
  });
});
