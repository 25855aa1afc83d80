import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatMarker } from '@/domain/policy/marker';
import type { Conversation } from '@/domain/topology/conversation-table';
import { sqlClient } from '@/server/db/client';
import { bearer, makeUser } from '@/test/factories';
import { overrideConstant } from '@/test/override-constant';
import { call } from '@/test/request';
import { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { cacheStats } from '../../lib/cache';
import { ago, DATABASE, type PlantedTraffic, plantTraffic } from '../topology/testing/map-traffic.fixture';
import { evaluateConversations } from './conversation-verdicts';
import { KEPT_LIMITS } from './kept-ends';

const sql = sqlClient();
let fixture: PlantedTraffic;

beforeAll(async () => {
  fixture = await plantTraffic();
});

/** The same as another inventory with other readings, of which nothing is kept. */
function isolate({ inputs, snapshots }: FirewallState): FirewallState {
  const workloads = new Map([...inputs.workloads].map(([id, workload]) => [id, { ...workload }]));
  const guests = new Map([...snapshots.guests].map(([id, read]) => [id, { ...read, state: { ...read.state } }]));
  const clusters = new Map([...snapshots.clusters].map(([id, read]) => [id, { ...read, state: { ...read.state } }]));
  return new FirewallState({ ...inputs, workloads, policies: [...inputs.policies] }, { guests, clusters }, []);
}

describe('verdicts of conversations', () => {
  it('evaluates a conversation as if it were the only one, whatever was read and evaluated before', async () => {
    const [web, database] = [fixture.ours.workload, fixture.theirs.workload];
    const prefixes = ['203.0.113.0/24', '2001:db8::/48', '10.0.0.0/8', `${DATABASE}/32`];
    const summed = fc.record({
      source_workload_id: fc.constantFrom(null, web.id, database.id),
      source_prefix: fc.constantFrom(...prefixes),
      source_internal: fc.boolean(),
      destination_workload_id: fc.constantFrom(null, web.id, database.id),
      destination_prefix: fc.constantFrom(...prefixes),
      destination_internal: fc.boolean(),
      protocol: fc.constantFrom('tcp', 'udp', 'icmp'),
      port: fc.constantFrom(null, 22, 443, 5432),
      decision: fc.constantFrom('observed', 'accept', 'drop'),
      ...{ bytes: fc.nat(9), packets: fc.nat(9), flows: fc.nat(9), last_seen_at: fc.constant('') },
    });
    // Rollups do not say whether replies were seen.
    const conversation = fc.oneof(
      summed,
      fc.tuple(summed, fc.boolean()).map(([one, answered]) => ({ ...one, answered })),
    );
    const reading = fc.record({
      id: fc.constantFrom(web.id, database.id),
      // Before that of the cluster, or after it.
      read_at: fc.constantFrom(ago(5), ago(4), ago(2)),
      type: fc.constantFrom('in', 'out'),
      port: fc.constantFrom('22', '443', '5432'),
      // The same was read again.
      isSame: fc.boolean(),
    });
    const ours = [fixture.ours.tenant.id];
    const readers = [
      { flows: 'all', rules: 'all' },
      { flows: 'all', rules: null },
      { flows: ours, rules: ours },
      { flows: ours, rules: null },
    ] as const;
    const readings = fc.array(reading, { minLength: 2, maxLength: 4 });
    const asked = fc.array(conversation, { minLength: 10, maxLength: 30 });
    const limits = fc.constantFrom({}, { young: 5 }, { ends: 3 }, { services: 4 });
    await fc.assert(
      fc.asyncProperty(limits, readings, asked, async (limited, later, conversations) => {
        const restore = overrideConstant(KEPT_LIMITS, limited);
        let firewall = isolate(await readFirewallState());
        const found = [];
        for (const { id, read_at, type, port, isSame } of later) {
          const { guests, clusters } = firewall.snapshots;
          const before = guests.get(id);
          if (!before) throw new Error('expected a reading');
          const rules = [{ pos: 0, type, action: 'DROP', enable: 1, proto: 'tcp', dport: port }];
          const state = isSame ? before.state : { ...before.state, rules };
          const former = firewall;
          firewall = firewall.with({ guests: new Map([...guests, [id, { ...before, read_at, state }]]), clusters });
          for (const reader of readers) {
            // Who asked before the reading changed still gets an answer of then, and leaves none of it to others.
            const [then] = await Promise.all([
              evaluateConversations(former, reader, conversations),
              evaluateConversations(firewall, reader, conversations.slice(5)),
            ]);
            const verdicts = await evaluateConversations(firewall, reader, conversations);
            found.push({ firewall: former, reader, verdicts: then }, { firewall, reader, verdicts });
          }
        }
        restore();
        for (const { firewall: then, reader, verdicts } of found) {
          const other = isolate(then);
          const alone = [];
          for (const one of conversations) alone.push(...(await evaluateConversations(other, reader, [one])));
          expect(verdicts).toEqual(alone);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('prepares a guest once, however many conversations it has', async () => {
    const firewall = await readFirewallState();
    const other = isolate(firewall);
    const countMisses = (name: string) => cacheStats().find((cache) => cache.name === name)?.misses ?? 0;
    const [web, database] = [fixture.ours.workload.id, fixture.theirs.workload.id];
    const ask = (ports: readonly number[]) =>
      evaluateConversations(
        other,
        { flows: 'all', rules: 'all' },
        ports.map((port) => ({
          ...{ source_workload_id: web, source_prefix: '10.0.0.0/8', source_internal: true },
          ...{ destination_workload_id: database, destination_prefix: `${DATABASE}/32`, destination_internal: true },
          ...{ protocol: 'tcp', port, decision: 'observed', bytes: 1, packets: 1, flows: 1, last_seen_at: '' },
        })),
      );
    const before = countMisses('guest_contexts');
    const found = await ask([1, 2, 3, 4, 5]);
    expect(countMisses('guest_contexts') - before).toBe(2);
    // What was found out is not even looked up.
    const { hits = 0 } = cacheStats().find((cache) => cache.name === 'guest_contexts') ?? {};
    expect(await ask([5, 4, 3, 2, 1])).toEqual([...found].reverse());
    expect(cacheStats().find((cache) => cache.name === 'guest_contexts')?.hits).toBe(hits);
  });

  it('follow the inventory: what changed about a workload, and about policies that audit it', async () => {
    const [web, database, idle] = [fixture.ours.workload, fixture.theirs.workload, fixture.idle];
    const outside = { workload_id: null, prefix: '203.0.113.0/24', internal: false };
    const stranger = { workload_id: null, prefix: '10.1.0.50/32', internal: true };
    const known = [web, database, idle].map(({ id }) => ({ workload_id: id, prefix: '10.1.0.0/16', internal: true }));
    const ends = [outside, stranger, ...known];
    const conversations = ends.flatMap((source) =>
      ends.flatMap((destination) =>
        [22, 443, 5432].map(
          (port): Conversation => ({
            ...{
              source_workload_id: source.workload_id,
              source_prefix: source.prefix,
              source_internal: source.internal,
            },
            ...{ destination_workload_id: destination.workload_id, destination_prefix: destination.prefix },
            ...{ destination_internal: destination.internal, protocol: 'tcp', port, decision: 'observed' },
            ...{ bytes: 1, packets: 1, flows: 1, last_seen_at: ago(1) },
          }),
        ),
      ),
    );
    const ours = [fixture.ours.tenant.id];
    const readers = [
      { flows: 'all', rules: 'all' },
      { flows: ours, rules: ours },
    ] as const;
    const answer = async (firewall: FirewallState) => {
      const answers = [];
      for (const reader of readers) answers.push(await evaluateConversations(firewall, reader, conversations));
      return answers;
    };
    const post = async (body: object) => {
      const headers = await bearer(await makeUser('admin'));
      const response = await call('/policies', { method: 'POST', headers, body });
      expect(response.status, await response.clone().text()).toBeLessThan(300);
    };
    const makePolicy = (name: string, sources: string[], targets: string[], enforcement_mode = 'audit') =>
      post({
        ...{ name, priority: 20, rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['5432', '22'] }] },
        definition: { enforcement_mode, direction: 'in', sources, targets, default_action: 'none' },
      });
    const setTags = (id: string, tags: string[]) => sql`update workloads set tags = ${tags} where id = ${id}`;
    const blockSending = () => {
      const rules = JSON.stringify([{ pos: 0, type: 'out', action: 'DROP', enable: 1, proto: 'tcp', dport: '22' }]);
      return sql`update guest_firewall_snapshots set state_hash = 'out', state = jsonb_set(state, '{rules}', ${rules}::text::jsonb)
        where workload_id = ${web.id}`;
    };
    /** The database has a rule of this policy. */
    const placeRule = async (name: string) => {
      const { instance, policies } = (await readFirewallState()).inputs;
      const policy_id = policies.find((policy) => policy.name === name)?.id ?? '';
      const comment = formatMarker({ instance, policy_id, version: 1, rule_hash: '0'.repeat(16), vmid: database.vmid });
      const rule = { pos: 0, type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '443', comment };
      await sql`update guest_firewall_snapshots set state_hash = 'other', state = jsonb_set(state, '{rules}', ${JSON.stringify([rule])}::text::jsonb)
        where workload_id = ${database.id}`;
    };
    /** All that the web server has is a group with a rule of this policy. */
    const placeInGroup = async (name: string) => {
      const { instance, policies } = (await readFirewallState()).inputs;
      const policy_id = policies.find((policy) => policy.name === name)?.id ?? '';
      const comment = formatMarker({ instance, policy_id, version: 1, rule_hash: '1'.repeat(16), vmid: database.vmid });
      const inGroup = { pos: 0, type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '443', comment };
      await sql`update cluster_firewall_snapshots set state_hash = 'other',
        state = jsonb_set(state, '{groups}', ${JSON.stringify({ shared: [inGroup] })}::text::jsonb) where cluster_id = ${database.cluster_id}`;
      const rules = JSON.stringify([{ pos: 0, type: 'group', action: 'shared', enable: 1 }]);
      await sql`update guest_firewall_snapshots set state_hash = 'with a group', state = jsonb_set(state, '{rules}', ${rules}::text::jsonb)
        where workload_id = ${web.id}`;
    };
    /** Part of what was read of the cluster. */
    const setCluster = (part: string, value: unknown) => sql`update cluster_firewall_snapshots
      set state_hash = gen_random_uuid()::text, state = jsonb_set(state, ${[part]}, ${JSON.stringify(value)}::text::jsonb)
      where cluster_id = ${database.cluster_id}`;
    const shared = { pos: 0, type: 'in', action: 'DROP', enable: 1, source: '+dc/clients' };
    const node = { options: {}, networks: ['192.0.2.1/24'], rules: [] };
    const forHosts = { pos: 0, type: 'in', action: 'DROP', enable: 1, source: 'unused' };
    // With how many guests have to be prepared again at most.
    const changes: [string, number, () => Promise<unknown>][] = [
      ['nothing', 0, async () => {}],
      ['one that has stopped', 0, () => sql`update workloads set status = 'stopped' where id = ${idle.id}`],
      ['what a workload may send', 1, blockSending],
      ['an address', 1, () => sql`update ip_addresses set address = '10.1.0.77' where workload_id = ${web.id}`],
      [
        'another tenant',
        1,
        () => sql`update workloads set project_id = ${fixture.ours.project.id} where id = ${database.id}`,
      ],
      ['a new policy', 0, () => makePolicy('by tag', ['any'], ['tag:prod'])],
      ['a tag', 1, () => setTags(web.id, ['prod'])],
      ['a policy for traffic from a tag', 1, () => makePolicy('from clients', ['tag:client'], [web.name])],
      ['a tag of another', 2, () => setTags(idle.id, ['client'])],
      [
        'an address of a stranger',
        2,
        () => sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
          select gen_random_uuid(), cluster_id, network_id, id, '10.1.0.50', ${idle.id}, 'manual' from subnets where cidr = '10.1.0.0/16'`,
      ],
      ['a policy that is enforced', 0, () => makePolicy('enforced', ['any'], [database.name], 'enforced')],
      ['a rule of it', 1, () => placeRule('enforced')],
      [
        'other rules of it that are not applied',
        0,
        () => sql`update policies set priority = 5 where name = 'enforced'`,
      ],
      ['another name of it', 1, () => sql`update policies set name = 'renamed' where name = 'enforced'`],
      ['what tenants see of it', 1, () => sql`update policies set tenant_visibility = 'hidden' where name = 'renamed'`],
      [
        'another tenant of it',
        1,
        () => sql`update policies set tenant_id = ${fixture.ours.tenant.id}, tier = 'tenant' where name = 'renamed'`,
      ],
      ['a rule of it in a group of the cluster', 3, () => placeInGroup('renamed')],
      ['another name of what is in the group', 3, () => sql`update policies set name = 'again' where name = 'renamed'`],
      ['a policy that does not exist any more', 3, () => sql`delete from policies where name = 'again'`],
      ['a policy that is not enabled', 1, () => sql`update policies set enabled = false where name = 'by tag'`],
      ['a node that filters with nftables', 3, () => sql`update nodes set nftables = true where id = ${fixture.n1.id}`],
      ['other rules in a group', 1, () => setCluster('groups', { shared: [shared] })],
      ['a set to which it refers', 1, () => setCluster('ipsets', { clients: [{ cidr: 'home' }] })],
      ['an alias in the set', 1, () => setCluster('aliases', { home: '203.0.113.0/24' })],
      ['another address for the alias', 1, () => setCluster('aliases', { home: '192.0.2.0/24' })],
      ['an alias to which no guest refers', 0, () => setCluster('aliases', { home: '192.0.2.0/24', unused: '::1' })],
      ['nodes that were not read before', 3, () => setCluster('nodes', { n1: node, n2: node })],
      ['a node', 1, () => setCluster('nodes', { n1: node, n2: { ...node, networks: ['10.1.0.10/30'] } })],
      ['rules of the data center that were not read before', 3, () => setCluster('rules', [])],
      ['a rule of the data center for hosts', 0, () => setCluster('rules', [forHosts])],
      ['the switch of the cluster', 3, () => setCluster('firewall_enabled', false)],
      ['the switch of the cluster, once more', 3, () => setCluster('firewall_enabled', true)],
      ['one that is gone', 1, () => sql`update workloads set missing_since = now() where id = ${idle.id}`],
    ];
    const before = await answer(await readFirewallState());
    const countPrepared = () => cacheStats().find(({ name }) => name === 'guest_contexts')?.misses ?? 0;
    const answers = [before];
    for (const [name, most, change] of changes) {
      await change();
      const firewall = await readFirewallState();
      const prepared = countPrepared();
      const found = await answer(firewall);
      expect(countPrepared() - prepared, name).toBeLessThanOrEqual(most);
      expect(found, name).toEqual(await answer(isolate(firewall)));
      // What was found out in between was about another inventory.
      expect(await answer(firewall), name).toEqual(found);
      answers.push(found);
    }
    expect(new Set(answers.map((found) => JSON.stringify(found))).size).toBeGreaterThan(6);
  });
});
