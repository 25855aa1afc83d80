import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationPage } from '@/domain/flow/conversation';
import type { ConversationWhy } from '@/domain/flow/conversation-why';
import { makePolicyLab, type PolicyLab } from '@/server/enforcement/policies/testing/policy-lab.fixture';
import { clock } from '@/server/lib/clock';
import { makeFlow } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { ReportingAgent } from '@/server/traffic/agents/testing/reporting-agent.fixture';
import { freshAddressBook } from '@/server/traffic/flows/address-book';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { findFirstChange } from './read-why';

const GUEST = 104;
const SERVER = '10.60.10.12';
let lab: PolicyLab;
let agent: ReportingAgent;

const allow = (...ports: string[]) =>
  ports.map((port) => ({ action: 'accept', protocol: 'tcp', destination_ports: [port] }));

/** A conversation that begins now. @returns its ID */
async function converse(port: number): Promise<string> {
  const at = clock.now().toISOString();
  const ends = { source_ip: '10.9.0.7', destination_ip: SERVER, source_port: 50_000 + port, destination_port: port };
  const seen = {
    state: 'ESTABLISHED',
    initiator: 'source',
    first_seen_at: at,
    observed_at: at,
    vmid: GUEST,
    nic: 0,
  } as const;
  await agent.send(agent.make({}, {}, [makeFlow({ ...ends, ...seen, protocol: 'tcp', decision: 'observed' })]));
  const { items } = (await lab.json(`/conversations?port=${port}`)).body as ConversationPage;
  return items[0]?.id ?? '';
}
const explain = async (id: string, init = {}): Promise<ConversationWhy> =>
  (await lab.json(`/conversations/${id}/why`, init)).body;

beforeAll(async () => {
  // History is recorded by the clock of the database.
  lab = await makePolicyLab({ timeScale: 1 });
  const { sql, cluster } = lab;
  const workloadId = await lab.id(GUEST);
  const [network] = await sql`select id from networks where cluster_id = ${cluster.id} and name = 'apps'`;
  const [subnet] = await sql`select id from subnets where network_id = ${network?.id} and cidr = '10.60.10.0/24'`;
  await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${SERVER}, ${workloadId}, 'manual')`;
  await freshAddressBook();
  const [row] = await sql<{ node_id: string }[]>`select node_id from workloads where id = ${workloadId}`;
  agent = await ReportingAgent.enroll({ id: row?.node_id ?? '' });
});
afterAll(() => lab.close());

describe('GET /conversations/{id}/why', () => {
  it('names the rule of then, the rule of now, and the event that changed it', async () => {
    const definition = {
      enforcement_mode: 'enforced',
      sources: ['10.0.0.0/8'],
      targets: [`vmid:${GUEST}`],
      default_action: 'drop',
    };
    const policy = await lab.create({ name: 'shop', definition, rules: allow('8443', '22') });
    await lab.apply(policy);
    await lab.observe();
    const changed = await converse(8443);
    await lab.observe();
    const between = await converse(9443);
    await lab.sql`update workloads set pool = 'other' where vmid = ${GUEST}`;
    const edited = await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { rules: allow('22') } });
    await lab.apply(edited.body);
    await lab.observe();
    await lab.sql`update workloads set pool = 'third' where vmid = ${GUEST}`;

    const why = await explain(changed);
    expect(why.then?.rules_say).toMatchObject({
      ...{ action: 'allowed', kind: 'rule', policy_name: 'shop', policy_version: 1 },
    });
    expect(why.now.rules_say).toMatchObject({ action: 'dropped', kind: 'default' });
    expect(why.changed).toBe(true);
    const kinds = why.events.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'workload_changed')).toHaveLength(2);
    expect(why.events.filter(({ id }) => why.decisive_ids.includes(id)).map(({ kind }) => kind)).toEqual([
      'rules_read',
    ]);
    const known = await explain(await converse(22));
    expect(known.then?.rules_say).toMatchObject({ kind: 'rule' });
    expect([known.changed, known.decisive_ids]).toEqual([false, []]);
    // The rules were read before it and after it, and differ.
    const open = await explain(between);
    expect(open.then?.rules_say).toMatchObject({ action: 'unknown' });
    expect(open.then?.unread).toMatchObject([{ reason: 'between' }]);
    expect([open.changed, open.decisive_ids]).toEqual([null, []]);

    const outsider = await bearer(
      await makeUser('viewer', {
        id: (await lab.sql`insert into tenants (id, name) values (gen_random_uuid(), 'other') returning id`)[0]?.id,
      }),
    );
    expect((await lab.json(`/conversations/${changed}/why`, { headers: outsider })).status).toBe(404);
  });

  it('shows people of one project what happened since the workload came to it, and no rule that is not theirs', async () => {
    const tenant = await makeTenant();
    const [shop, other] = await Promise.all([makeProject(tenant), makeProject(tenant)]);
    const user = await makeUser('viewer', tenant);
    await lab.sql`update role_assignments set project_id = ${shop.id} where user_id = ${user.id}`;
    const headers = await bearer(user);
    const move = async (project: string) => {
      await lab.sql`update workloads set project_id = ${project}, pool = ${`of ${project}`} where vmid = ${GUEST}`;
      await lab.observe();
    };
    await move(other.id);
    const before = await converse(7001);
    await move(shop.id);
    const since = await converse(7002);
    await lab.sql`update workloads set pool = 'later' where vmid = ${GUEST}`;
    expect((await lab.json(`/conversations/${before}/why`, { headers })).status).toBe(404);
    const why = await explain(since, { headers });
    expect(why.conversation_id).toBe(since);
    expect(why.now.rules_say).toMatchObject({ action: 'dropped' });
    const texts = JSON.stringify(why.events);
    expect(why.events.map(({ kind }) => kind)).toContain('workload_changed');
    expect(texts).toContain('later');
    for (const hidden of [other.id, other.name, 'of other', '"shop"']) expect(texts).not.toContain(hidden);
    await move(other.id);
    expect((await lab.json(`/conversations/${since}/why`, { headers })).status).toBe(404);
  });
});

describe('the search for the first change', () => {
  it('finds it in any list of moments, with few readings', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(200), fc.nat(200), async (length, at) => {
        const moments = Array.from({ length }, (_, i) => String(i));
        let readings = 0;
        const isSame = async (moment: string) => {
          readings += 1;
          return Number(moment) < at;
        };
        expect(await findFirstChange(moments, isSame, true)).toBe(at < length ? String(at) : null);
        expect(readings).toBeLessThanOrEqual(8);
        // Of the last ones, the first may be after the change.
        expect(await findFirstChange(moments, isSame, false)).toBe(at > 0 && at < length ? String(at) : null);
      }),
    ));
});
