import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PolicyCoverage, WorkloadCoverage } from '@/domain/coverage';
import type { Policy } from '@/domain/policies';
import { systemScope } from '@/server/auth/scope';
import { clock } from '@/server/lib/clock';
import { countQueries } from '@/test/count-queries';
import { addFormerPlacements, bearer, makeAgent, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../../traffic/agents/testing/heartbeat.fixture';
import { freshAddressBook } from '../../traffic/flows/address-book';
import { confirmReports } from '../../traffic/flows/confirm-reports';
import { retainTelemetry } from '../../traffic/flows/upkeep';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';
import { countCoverage } from './count-coverage';
import { listWorkloadCoverage, readPolicyCoverage } from './read-coverage';

const CALLER = '10.9.0.7';
const APP1 = '10.60.10.11';
const APP2 = '10.60.10.12';
let lab: PolicyLab;
let enforced: Policy;
let audited: Policy;
let engineer: Awaited<ReturnType<typeof makeUser>>;
const agents: Record<string, { authorization: string }> = {};

const rules = (...ports: string[]) =>
  ports.map((port) => ({ action: 'accept', protocol: 'tcp', destination_ports: [port], comment: `port ${port}` }));

beforeAll(async () => {
  lab = await makePolicyLab();
  engineer = await makeUser('security_engineer');
  const { sql, cluster } = lab;
  const [network] = await sql`select id from networks where cluster_id = ${cluster.id} and name = 'apps'`;
  const [subnet] = await sql`select id from subnets where network_id = ${network?.id} and cidr = '10.60.10.0/24'`;
  for (const [address, vmid] of [
    [APP1, 103],
    [APP2, 104],
  ] as const) {
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${address}, ${await lab.id(vmid)}, 'manual')`;
  }
  for (const name of ['pve1', 'pve2']) {
    const [node] = await sql`select id from nodes where cluster_id = ${cluster.id} and name = ${name}`;
    agents[name] = await makeAgent({ id: node?.id });
    await addFormerPlacements({ id: node?.id }, { id: await lab.id(103) }, { id: await lab.id(104) });
  }
  enforced = await lab.create({
    name: 'apps',
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.0.0.0/8'],
      targets: ['vmid:104'],
      default_action: 'drop',
    },
    rules: rules('22', '443', '8080'),
  });
  await lab.apply(enforced);
  audited = await lab.create({
    name: 'apps, to come',
    definition: { enforcement_mode: 'audit', sources: ['10.0.0.0/8'], targets: ['vmid:103'] },
    rules: rules('5432', '6379'),
  });
  await lab.observe();
}, 60_000);
afterAll(() => lab.close());

type Opened = { port: number; from?: number; to?: string; decision?: 'observed' | 'drop'; node?: 'pve1' | 'pve2' };

/** One direction of a conversation as an agent reports it now. */
const flow = ({
  port,
  from = 40_000,
  to = APP2,
  decision = 'observed',
  node = to === APP2 ? 'pve2' : 'pve1',
}: Opened) =>
  makeFlow({
    source_ip: CALLER,
    destination_ip: to,
    source_port: from,
    destination_port: port,
    decision,
    initiator: 'source',
    first_seen_at: clock.now().toISOString(),
    observed_at: clock.now().toISOString(),
    ...(node === 'pve2' ? { vmid: 104, nic: 0 } : to === APP1 ? { vmid: 103, nic: 0 } : {}),
  });

const report = async (node: 'pve1' | 'pve2', flows: unknown[]) => {
  const body = makeHeartbeat(flows, { sent_at: clock.now().toISOString() });
  const response = await call('/agents/heartbeat', { method: 'POST', body, headers: agents[node] ?? {} });
  expect(await response.json()).toMatchObject({ rejected: [] });
};
const count = async () => {
  lab.ahead(31_000);
  return countCoverage();
};
/** Time runs fast here, so the caller signs in right before each request. */
const json = async (path: string, init: Parameters<typeof call>[1] = {}) => {
  const response = await call(path, { ...init, headers: await bearer(engineer) });
  return { status: response.status, body: (await response.json()) as never };
};
const coverage = async (policy: Policy, query = ''): Promise<PolicyCoverage> =>
  (await json(`/policies/${policy.id}/coverage?${query}`)).body;
const guest = async (vmid: number, query = ''): Promise<WorkloadCoverage> => {
  const { body } = await json(`/coverage/workloads?workload_id=${await lab.id(vmid)}&${query}`);
  return (body as { items: WorkloadCoverage[] }).items[0] as WorkloadCoverage;
};
const readHits = async (policy: Policy) =>
  Object.fromEntries(
    (await coverage(policy)).rules.map((rule) => [rule.destination_ports[0], rule.hits + rule.audit_hits]),
  );
const versionTime = async (version: number) => {
  const [row] = await lab.sql`select created_at from policy_versions
    where policy_id = ${enforced.id} and version = ${version}`;
  return row?.created_at.toISOString();
};
const makeTenantPolicy = async (tenant_id: string): Promise<string> => {
  const { status, body } = await json('/policies', {
    body: {
      name: 'of a tenant',
      tenant_id,
      definition: { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: ['vmid:104'] },
      rules: rules('22'),
    },
  });
  expect(status).toBe(201);
  return (body as Policy).id;
};
const forget = async () => {
  await lab.sql`truncate rule_hits, workload_coverage, coverage_marks, traffic_flows, agent_heartbeats`;
};

describe('coverage', () => {
  it('reports guests as not monitored before monitoring starts', async () => {
    const { rules: list, ...rest } = await coverage(enforced);
    expect(rest).toMatchObject({ guests: { total: 1, looked_at: 0 }, looked_since: null, earlier_rules: null });
    expect(list.map((rule) => [rule.hits, rule.never_hit_since])).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ]);
    expect(await guest(104)).toMatchObject({ flows: 0, covered_share: null, looked_since: null });
  });

  it('counts what decided each new conversation, once each', async () => {
    const reply = { ...flow({ port: 40_000, from: 443 }), initiator: 'destination' as const };
    const answer = { ...reply, source_ip: APP2, destination_ip: CALLER };
    await report('pve2', [
      flow({ port: 443 }),
      flow({ port: 443, from: 40_001 }),
      answer,
      flow({ port: 22 }),
      // Dropped, as the log tells, and seen on the way there.
      flow({ port: 3306, decision: 'drop' }),
      flow({ port: 3306 }),
      flow({ port: 9999 }),
    ]);
    // The same conversation on its way through another node.
    await report('pve1', [
      flow({ port: 443, node: 'pve1' }),
      flow({ port: 5432, to: APP1 }),
      flow({ port: 1, to: APP1 }),
    ]);
    await count();
    expect(await readHits(enforced)).toEqual({ '22': 1, '443': 2, '8080': 0 });
    expect(await guest(104)).toMatchObject({
      flows: 5,
      by_policy: 3,
      by_default: 2,
      by_other_rule: 0,
      by_audit: 0,
      observed: 0,
      conflicts: 0,
      covered_share: 0.6,
      looked_since: expect.any(String),
    });
    expect(await readHits(audited)).toEqual({ '5432': 1, '6379': 0 });
    expect((await coverage(audited)).rules[0]).toMatchObject({ hits: 0, audit_hits: 1, guests_hit: 1 });
    expect(await guest(103)).toMatchObject({ flows: 2, by_audit: 1 });
  });

  it('tells since when a rule was looked for in vain, and takes what it was before for another one', async () => {
    // On a busy machine the time of the lab is minutes ahead of the database's, by which versions are dated.
    await lab.sql`update coverage_marks set since = (select min(created_at) - interval '1 minute' from policy_versions)`;
    const { rules: before, days, looked_since, guests, evidence_score } = await coverage(enforced, 'days=3');
    expect(guests).toEqual({ total: 1, looked_at: 1 });
    expect(evidence_score).toBeCloseTo((await guest(104, 'days=3')).evidence_score, 3);
    expect(days).toHaveLength(3);
    // Of today, unless a day has begun since.
    const hitOn = before[1]?.last_hit_at?.slice(0, 10);
    expect(days.slice(1)).toContain(hitOn);
    const daily = days.map((day) => (day === hitOn ? 2 : 0));
    expect(before[1]).toMatchObject({ hits: 2, daily, never_hit_since: null });
    expect(before[2]).toMatchObject({ hits: 0, last_hit_at: null, never_hit_since: await versionTime(1) });
    expect(looked_since && looked_since < (before[2]?.never_hit_since ?? '')).toBe(true);
    const [ssh, , spare] = enforced.rules;
    const { body } = await json(`/policies/${enforced.id}/rules/${enforced.rules[1]?.id}`, {
      method: 'PATCH',
      body: { rule: { action: 'accept', protocol: 'tcp', destination_ports: ['444'] } },
    });
    const changed = body as Policy;
    expect(changed.version).toBe(2);
    const after = await coverage(enforced);
    expect(after.earlier_rules).toMatchObject({ hits: 2, audit_hits: 0 });
    expect(after.rules.map((rule) => [rule.id, rule.hits])).toEqual([
      [ssh?.id, 1],
      [enforced.rules[1]?.id, 0],
      [spare?.id, 0],
    ]);
    const since = after.rules[1]?.never_hit_since ?? '';
    expect(since > (after.looked_since ?? '')).toBe(true);
    expect(since).toBe(await versionTime(2));
    // Back again: the rule is the one that was hit, once more.
    await json(`/policies/${enforced.id}/rules/${enforced.rules[1]?.id}`, {
      method: 'PATCH',
      body: { rule: { action: 'accept', protocol: 'tcp', destination_ports: ['443'], comment: 'port 443' } },
    });
    expect(await readHits(enforced)).toEqual({ '22': 1, '443': 2, '8080': 0 });
  });

  it('moves the last hit of an ongoing conversation without counting it again', async () => {
    const { rules: before } = await coverage(enforced);
    lab.ahead(120_000);
    await report('pve2', [flow({ port: 443 })]);
    // Ongoing conversations are checked every five minutes.
    lab.ahead(300_000);
    await count();
    const { rules: after } = await coverage(enforced);
    expect(after[1]?.hits).toBe(2);
    expect(Date.parse(after[1]?.last_hit_at ?? '') - Date.parse(before[1]?.last_hit_at ?? '')).toBeGreaterThan(100_000);
  });

  it('leaves what was seen before it looked alone', async () => {
    await forget();
    await report('pve2', []);
    await count();
    const old = new Date(clock.now().getTime() - 3_600_000).toISOString();
    await report('pve2', [{ ...flow({ port: 22 }), first_seen_at: old, observed_at: old }, flow({ port: 443 })]);
    await count();
    expect(await readHits(enforced)).toEqual({ '22': 0, '443': 1, '8080': 0 });
  });

  it('gives the same result whenever it counts, also with two concurrent counts', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('report' as const),
        ports: fc.array(fc.constantFrom(22, 443, 8080, 9999), { maxLength: 6 }),
        again: fc.nat(20),
      }),
      fc.constant({ kind: 'count' as const }),
      fc.constant({ kind: 'twice' as const }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
        await forget();
        const begun: Opened[] = [];
        for (const one of [...steps, { kind: 'count' as const }]) {
          if (one.kind === 'report') {
            const fresh = one.ports.map((port, i) => ({ port, from: 40_000 + begun.length + i }));
            const old = begun.slice(0, one.again);
            begun.push(...fresh);
            await report('pve2', [...old, ...fresh].map(flow));
          } else if (one.kind === 'twice') {
            lab.ahead(31_000);
            await Promise.all([countCoverage(), countCoverage()]);
          } else await count();
        }
        const of = (port: number) => begun.filter((opened) => opened.port === port).length;
        expect(await readHits(enforced)).toEqual({ '22': of(22), '443': of(443), '8080': of(8080) });
        expect(await guest(104)).toMatchObject({ flows: begun.length, by_default: of(9999) });
      }),
      { numRuns: 12 },
    );
  });

  it('counts a report that was confirmed later once, whenever its node reports and is counted', async () => {
    const { sql } = lab;
    const [guestId, nodeId] = [await lab.id(104), (await sql`select id from nodes where name = 'pve1'`)[0]?.id];
    // The inventory is read again when a workload changes.
    const touch = () => sql`update workloads set name = name where id = ${guestId}`;
    const arrives = () => addFormerPlacements({ id: nodeId }, { id: guestId }).then(touch);
    const leaves = () =>
      sql`delete from workload_placements where node_id = ${nodeId} and workload_id = ${guestId}`.then(touch);
    const steps = fc.array(fc.constantFrom('beat', 'count'), { maxLength: 3 });
    const run = async (list: readonly string[]) => {
      for (const step of list) step === 'beat' ? await report('pve1', []) : await count();
    };
    await fc.assert(
      fc.asyncProperty(steps, steps, steps, async (before, between, after) => {
        await forget();
        await leaves();
        await freshAddressBook();
        await report('pve1', []);
        await count();
        await run(before);
        await report('pve1', [{ ...flow({ port: 443, node: 'pve1' }), vmid: 104, nic: 0 }]);
        await run(between);
        expect(await guest(104)).toMatchObject({ flows: 0 });
        // The inventory learns that the guest was there.
        await arrives();
        lab.ahead(1_000);
        expect(await confirmReports()).toMatchObject({ confirmed: 1 });
        await run(after);
        await count();
        await count();
        expect(await readHits(enforced)).toEqual({ '22': 0, '443': 1, '8080': 0 });
        expect(await guest(104)).toMatchObject({ flows: 1 });
      }),
      { numRuns: 8 },
    );
  });

  it('shows a tenant its own guests and policies only', async () => {
    const [ours, theirs] = [await makeTenant(), await makeTenant()];
    const project = await makeProject(ours);
    await lab.sql`update workloads set project_id = ${project.id} where vmid = 104`;
    const [us, them] = [await bearer(await makeUser('viewer', ours)), await bearer(await makeUser('viewer', theirs))];
    const names = async (headers: { authorization: string }) => {
      const response = await call('/coverage/workloads', { headers });
      return ((await response.json()) as { items: WorkloadCoverage[] }).items.map((item) => item.vmid);
    };
    expect(await names(us)).toEqual([104]);
    expect(await names(them)).toEqual([]);
    expect((await call(`/policies/${enforced.id}/coverage`, { headers: us })).status).toBe(404);
    // A policy of our tenant, hit at our guest and, before it moved to another tenant, at another guest.
    const id = await makeTenantPolicy(ours.id);
    const [row] = await lab.sql`select id from security_rules where policy_id = ${id}`;
    const today = clock.now().toISOString();
    for (const [vmid, hits] of [
      [104, 3],
      [103, 40],
    ] as const) {
      await lab.sql`insert into rule_hits values
        (${today.slice(0, 10)}, ${id}, ${await lab.id(vmid)}, '0011223344556677', 'enforced', 1, 0, ${hits}, ${today})`;
    }
    const seen = async (headers: { authorization: string }) => {
      const response = await call(`/policies/${id}/coverage`, { headers });
      return response.status === 200 ? ((await response.json()) as PolicyCoverage) : response.status;
    };
    expect(await seen(us)).toMatchObject({ guests: { total: 1 }, rules: [{ id: row?.id, hits: 3, guests_hit: 1 }] });
    expect(await seen(them)).toBe(404);
    expect(await coverage({ id } as Policy)).toMatchObject({ rules: [{ hits: 43, guests_hit: 2 }] });
    await lab.sql`update workloads set project_id = null where vmid = 104`;
  });

  it('takes the same number of queries however much there is', async () => {
    const policy = () => readPolicyCoverage(systemScope('policy:read', 'test'), enforced.id, { days: 90 });
    const list = () => listWorkloadCoverage(systemScope('flow:read', 'test'), { days: 90, limit: 100 });
    await policy();
    expect((await countQueries(policy)).queries).toBe(12);
    expect((await countQueries(list)).queries).toBe(7);
  });

  it('pages through guests in every order', async () => {
    for (const sort of ['workload_name', '-workload_name', 'flows', '-flows', 'covered_share', '-covered_share']) {
      const all = (await json(`/coverage/workloads?sort=${sort}`)).body as {
        items: WorkloadCoverage[];
        total: number;
      };
      expect(all.items).toHaveLength(all.total);
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = `sort=${sort}&limit=4${cursor && `&cursor=${cursor}`}`;
        const page = (await json(`/coverage/workloads?${query}`)).body as {
          items: WorkloadCoverage[];
          next_cursor: string;
        };
        found.push(...page.items.map((item) => item.workload_id));
        cursor = page.next_cursor;
      }
      expect(found, sort).toEqual(all.items.map((item) => item.workload_id));
    }
    expect((await json('/coverage/workloads?days=91')).status).toBe(400);
  });

  it('forgets after ninety days', async () => {
    const total = async () =>
      (await lab.sql`select (select count(*) from rule_hits) + (select count(*) from workload_coverage) as n`)[0]?.n;
    expect(Number(await total())).toBeGreaterThan(0);
    await retainTelemetry();
    expect(Number(await total())).toBeGreaterThan(0);
    lab.ahead(91 * 86_400_000);
    await retainTelemetry();
    expect(Number(await total())).toBe(0);
  });
});
