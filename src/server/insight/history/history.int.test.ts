import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { WorkloadListInput } from '@/domain/inventory';
import { AddressListInput } from '@/domain/ipam/ip-address';
import { PolicyListInput } from '@/domain/policies';
import { SecurityGroupListInput, SecurityGroupMemberListInput } from '@/domain/security-group';
import { listIpAddresses } from '@/server/addresses/queries/ip-addresses';
import { systemScope } from '@/server/auth/scope';
import { readPast } from '@/server/db/as-of';
import { db } from '@/server/db/client';
import { listMembers } from '@/server/enforcement/groups/members';
import { listWorkloads, readWorkload } from '@/server/enforcement/inventory-views/workloads';
import { listPolicies, readPolicy } from '@/server/enforcement/policies/policies';
import { listSecurityGroups } from '@/server/enforcement/queries/security-groups';
import { readReach } from '@/server/insight/reach/read-reach';
import { getRunCount } from '@/test/thorough';
import { createRandom, makeRandomHistory } from './random-history.fixture';

const STEPS = getRunCount(250, 1000);
type Reader = readonly string[] | 'all';
const scope = (reader: Reader) => systemScope('workload:read', 'test', reader);

/** Fields whose changes alone are not kept. */
const NOT_KEPT = new Set(['updated_at', 'config_read_at', 'last_seen_at', 'read_at', 'lock']);
const toKept = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer, (key, value) => (NOT_KEPT.has(key) ? undefined : value)));
const orRefusal = (work: Promise<unknown>) => work.catch((error: { code?: string }) => ({ refused: error.code }));

/** Time of the database, to the microsecond. */
async function readClock(): Promise<string> {
  const [row] = await db.execute<{ at: string }>(
    sql`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
  );
  return row?.at ?? '';
}

describe('answers as of a time', { timeout: 300_000 }, () => {
  it(`equal what was read at that time, at each of ${STEPS} random steps, for two tenants and the platform`, async () => {
    const random = createRandom(7);
    const history = await makeRandomHistory(random);
    const page = { limit: 500 };
    const readers: Reader[] = ['all', ...history.tenants.map(({ id }) => [id])];
    const questions: Record<string, (reader: Reader) => (() => Promise<unknown>) | null> = {
      workloads: (reader) => () => listWorkloads(scope(reader), WorkloadListInput.parse(page)),
      workload: (reader) => {
        const id = history.anyWorkload();
        return id ? () => readWorkload(scope(reader), id) : null;
      },
      groups: (reader) => () => listSecurityGroups(reader, SecurityGroupListInput.parse(page)),
      members: (reader) => {
        const id = history.anyGroup();
        const input = SecurityGroupMemberListInput.parse(page);
        return id ? () => listMembers(scope(reader) as never, id, input) : null;
      },
      policies: (reader) => () => listPolicies(scope(reader) as never, PolicyListInput.parse(page)),
      policy: (reader) => {
        const id = history.anyPolicy();
        return id ? () => readPolicy(scope(reader) as never, id) : null;
      },
      addresses: (reader) => () => listIpAddresses(reader, AddressListInput.parse(page)),
      reach: (reader) => () =>
        readReach(scope(reader), null, {
          ...{ from: 'outside', to: ['any'], protocol: 'tcp', ports: ['22'] },
          ...(reader !== 'all' && { tenant_id: reader[0] }),
        }),
    };
    const names = Object.keys(questions);
    const asked: {
      step: number;
      kind: string;
      name: string;
      at: string;
      ask: () => Promise<unknown>;
      live: unknown;
    }[] = [];
    for (let step = 0; step < STEPS; step++) {
      const kind = await history.change();
      const name = names[step % names.length] ?? '';
      const ask = questions[name]?.(readers[Math.floor(random() * readers.length)] ?? 'all');
      if (!ask) continue;
      const live = toKept(await orRefusal(ask()));
      asked.push({ step, kind, name, ask, live, at: await readClock() });
    }
    expect(asked.length).toBeGreaterThan(STEPS * 0.9);
    for (const { ask, live, at, ...which } of asked) {
      const answer = toKept(await readPast(at, () => orRefusal(ask())));
      expect({ ...which, answer }).toEqual({ ...which, answer: live });
    }
    const [kept] = await db.execute<{ n: number }>(sql`select count(*)::int as n from past_workloads`);
    expect(kept?.n).toBeGreaterThan(STEPS / 20);
  });
});
