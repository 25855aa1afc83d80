import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as queries from '@/server/audit/queries/audit';
import { recordAudit } from '@/server/audit/record';
import { systemScope } from '@/server/auth/scope';
import { db, sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { verifyAuditChain } from '../audit/trail';
import { pruneAudit } from './retention';

const DAY_MS = 86_400_000;
const reader = systemScope('audit:read', 'test');

/** Writes records of so many days ago, oldest first. */
async function write(...daysAgo: number[]) {
  for (const days of daysAgo) {
    const clock = fakeClock(new Date(Date.now() - days * DAY_MS));
    try {
      await db.transaction((tx) =>
        recordAudit(
          tx,
          { actor: { kind: 'system', id: null, name: 'test' }, origin: null },
          {
            action: 'thing.changed',
            object_kind: 'thing',
            object_name: `${days} days ago`,
            after: { retention_days: days, note: 'a "b",\nc' },
          },
        ),
      );
    } finally {
      clock.restore();
    }
  }
}
const keep = (days: number | null) =>
  sqlClient()`insert into system_settings (key, value) values ('runtime', ${JSON.stringify({ audit_retention_days: days })}::text::jsonb)
    on conflict (key) do update set value = excluded.value`;
const left = async () => {
  const rows = await sqlClient()<{ name: string }[]>`
    select coalesce(object_name, action) as name from audit_records order by seq`;
  return rows.map(({ name }) => name);
};
/** Does what is not permitted to anyone: changes history. */
const tamper = (statement: string) =>
  sqlClient().begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(statement);
  });

beforeEach(() => tamper('truncate audit_records; truncate audit_checkpoints; truncate system_settings'));

describe('retention of the audit trail', () => {
  it('keeps everything unless configured otherwise', async () => {
    await write(4000, 100);
    expect(await pruneAudit()).toBe(0);
    await keep(3650);
    expect(await pruneAudit()).toBe(1);
    expect(await left()).toEqual(['100 days ago', 'audit.pruned']);
  });

  it('removes what is older, says so in the trail, and the rest still verifies; a day passes between cuts', async () => {
    await write(90, 80, 70, 40, 5);
    const anchor = (await verifyAuditChain(reader)).last;
    await keep(60);
    expect(await pruneAudit()).toBe(3);
    expect(await left()).toEqual(['40 days ago', '5 days ago', 'audit.pruned']);
    expect(await verifyAuditChain(reader, anchor)).toMatchObject({
      checked: 3,
      pruned: { seq: 3 },
      anchor: 'found',
      last: { seq: 6 },
      broken: null,
    });
    const [record] = await sqlClient()`select after from audit_records where action = 'audit.pruned'`;
    expect(record?.after).toMatchObject({ through_seq: 3, records: 3, retention_days: 60 });
    await keep(30);
    expect(await pruneAudit()).toBe(0);
    const clock = fakeClock(new Date(Date.now() + DAY_MS));
    try {
      expect(await pruneAudit()).toBe(1);
    } finally {
      clock.restore();
    }
    expect(await left()).toEqual(['5 days ago', 'audit.pruned', 'audit.pruned']);
    const gone = await verifyAuditChain(reader, { seq: 2, hash: 'f'.repeat(64) });
    expect(gone).toMatchObject({ broken: null, pruned: { seq: 4 }, anchor: 'pruned' });
  });

  it('lets a verification end that began before', async () => {
    await write(90, 80, 70, 40, 5);
    await keep(60);
    const read = queries.readAuditChain;
    const spy = vi.spyOn(queries, 'readAuditChain').mockImplementationOnce(async (...input) => {
      expect(await pruneAudit(1)).toBe(3);
      return read(...input);
    });
    try {
      expect((await verifyAuditChain(reader)).broken).toBeNull();
    } finally {
      spy.mockRestore();
    }
    expect(await verifyAuditChain(reader)).toMatchObject({ checked: 5, pruned: { seq: 3 }, broken: null });
  });

  it('continues in batches, never with a gap, and keeps the newest record however old it is', async () => {
    await write(100, 99, 20, 98, 97);
    await keep(60);
    expect(await pruneAudit(1)).toBe(2);
    // A clock that was wrong: what follows a young record stays with it.
    expect(await left()).toEqual(['20 days ago', '98 days ago', '97 days ago', 'audit.pruned', 'audit.pruned']);
    expect((await verifyAuditChain(reader)).broken).toBeNull();
    await tamper('truncate audit_records; truncate audit_checkpoints');
    await write(100);
    expect(await pruneAudit()).toBe(0);
    await write(99);
    expect(await pruneAudit()).toBe(1);
    expect(await left()).toEqual(['99 days ago', 'audit.pruned']);
    expect((await verifyAuditChain(reader)).broken).toBeNull();
  });

  it('provides the only way to remove a record, and keeps those of the last 30 days', async () => {
    await write(90, 10, 1);
    await expect(sqlClient()`delete from audit_records where seq = 1`).rejects.toThrow('append-only');
    await sqlClient()`insert into audit_checkpoints (seq, hash, removed) values (2, 'x', 2)`;
    await expect(sqlClient()`delete from audit_records where seq = 2`).rejects.toThrow('append-only');
    await expect(sqlClient()`update audit_checkpoints set hash = 'y'`).rejects.toThrow('append-only');
    await expect(sqlClient()`delete from audit_checkpoints`).rejects.toThrow('append-only');
  });

  it('cannot be forged: it finds an unrecorded cut, another hash, and a missing record', async () => {
    await write(90, 80, 70, 10);
    await keep(75);
    await pruneAudit();
    const intact = await verifyAuditChain(reader);
    expect(intact.broken).toBeNull();
    const [next] = await sqlClient()`select hash from audit_records where seq = 3`;
    await tamper(`delete from audit_records where seq = 3`);
    expect((await verifyAuditChain(reader)).broken).toEqual({ seq: 3, reason: 'missing' });
    await tamper(`insert into audit_checkpoints (seq, hash, removed) values (3, '${next?.hash}', 1)`);
    expect((await verifyAuditChain(reader)).broken).toEqual({ seq: 3, reason: 'checkpoint' });
    await tamper(`update audit_checkpoints set hash = 'x' where seq = 3`);
    expect((await verifyAuditChain(reader)).broken).toEqual({ seq: 4, reason: 'previous_hash' });
  });
});

describe('the setting', () => {
  it('takes 30 days to ten years or nothing, and is audited', async () => {
    const headers = await bearer(await makeUser('super_admin'));
    const patch = (audit_retention_days: unknown) =>
      call('/settings', { method: 'PATCH', body: { audit_retention_days }, headers });
    for (const wrong of [29, 3651, 1.5, 'x']) expect((await patch(wrong)).status).toBe(400);
    expect(await (await patch(365)).json()).toMatchObject({ audit_retention_days: 365 });
    expect(await (await patch(null)).json()).toMatchObject({ audit_retention_days: null });
    const rows = await sqlClient()`select 1 from audit_records where action = 'settings.updated'`;
    expect(rows).toHaveLength(2);
  });
});

describe('an export', () => {
  it('holds what the filters match, all pages of it, as CSV and as lines of JSON; a tenant gets its own', async () => {
    const tenant = await makeTenant();
    const admin = await bearer(await makeUser('admin'));
    const auditor = await bearer(await makeUser('auditor', tenant));
    await write(...Array.from({ length: 3 }, () => 2));
    await db.transaction(async (tx) => {
      for (let i = 0; i < 600; i += 1) {
        await recordAudit(
          tx,
          { actor: { kind: 'user', id: newId(), name: '=cmd()' }, origin: null },
          {
            action: 'policy.updated',
            object_kind: 'policy',
            object_name: `p${i}`,
            tenant_id: i % 2 ? tenant.id : null,
          },
        );
      }
    });
    const file = async (query: string, headers: Record<string, string>) => {
      const response = await call(`/audit?${query}`, { headers });
      expect(response.status).toBe(200);
      return { type: response.headers.get('content-type'), text: await response.text() };
    };
    const lines = await file('format=ndjson&action=policy.*', admin);
    expect(lines.type).toBe('application/x-ndjson');
    const records = lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records).toHaveLength(600);
    expect(new Set(records.map(({ seq }) => seq)).size).toBe(600);
    const own = await file('format=ndjson', auditor);
    expect(
      own.text
        .trim()
        .split('\n')
        .every((line) => JSON.parse(line).tenant_id === tenant.id),
    ).toBe(true);
    const csv = await file('format=csv&action=thing.changed', admin);
    expect(csv.text).toContain('"{""note"":""a \\""b\\"",\\nc"",""retention_days"":2}"');
    expect(csv.text.trim().split('\r\n')).toHaveLength(4);
    expect((await file('format=csv&action=policy.*', admin)).text).toContain(`,'=cmd(),`);
    expect((await call('/audit?format=xml', { headers: admin })).status).toBe(400);
    expect((await call('/audit?format=csv&cursor=x', { headers: admin })).status).toBe(400);
  });
});
