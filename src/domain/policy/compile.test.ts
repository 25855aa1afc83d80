import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../firewall/evaluate';
import type { LiveState } from '../firewall/live-state';
import type { Packet } from '../firewall/packet';
import { prepareGuest } from '../firewall/prepare-guest';
import { randomSource, UNFILTERING_NODE } from '../firewall/random-state.fixture';
import { parseCidr } from '../net/cidr';
import { parseIp } from '../net/ip-address';
import { compilePolicies } from './compile';
import type { CompilablePolicy, DesiredGuest, DesiredRule } from './desired';
import { indexInventory } from './inventory-index';
import { PolicyInput } from './policy';
import { evaluatePolicies, toLiveRule } from './policy-model.fixture';
import { DEAD_ENDPOINTS, ENDPOINTS, INVENTORY, randomPolicies } from './random-policies.fixture';

const INDEX = indexInventory(INVENTORY);
const compile = (policies: readonly CompilablePolicy[]) => compilePolicies(policies, INDEX, 'inst1');

const NIC = { name: 'net0', firewall: true, mac: null };
const liveState = (guest: DesiredGuest | undefined): LiveState => ({
  cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} },
  guest: {
    options: { enable: 1, dhcp: 0, ndp: 0, radv: 1, policy_out: 'DROP' },
    rules: (guest?.rules ?? []).map(toLiveRule),
    ipsets: Object.fromEntries((guest?.sets ?? []).map(({ name, cidrs }) => [name, cidrs.map((cidr) => ({ cidr }))])),
    aliases: {},
  },
  node: UNFILTERING_NODE,
});

const ip = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };
const HOSTS = [
  '10.0.0.1',
  '10.0.0.2',
  '10.0.0.3',
  '10.0.0.4',
  '10.0.0.5',
  '10.0.0.6',
  '10.0.0.9',
  '10.9.3.6',
  '10.9.100.200',
  '8.8.8.8',
  'fd00::1',
  'fd00::3',
  '2001:db8::1',
].map(ip);
const SOURCE_PORTS = [7, 45000];
const DESTINATION_PORTS = [22, 27, 33, 85, 237, 5000];

function randomPacket(random: () => number): Packet {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const source = pick(HOSTS);
  const family = HOSTS.filter((host) => host.family === source.family);
  return {
    direction: random() < 0.5 ? 'in' : 'out',
    source,
    destination: pick(family),
    protocol: pick([6, 6, 17, 17, 1, 58, 132, 47]),
    source_port: pick(SOURCE_PORTS),
    destination_port: pick(DESTINATION_PORTS),
    icmp_type: pick([8, 128, 0]),
    icmp_code: 0,
  };
}

const base: CompilablePolicy = {
  id: 'p1',
  version: 3,
  tenant_id: null,
  tier: 'platform_first' as const,
  priority: 10,
  created_at: '2026-01-01T00:00:00Z',
  definition: {
    enforcement_mode: 'enforced',
    direction: 'in',
    sources: ['any'],
    targets: ['web1'],
    default_action: 'none',
  },
  rules: PolicyInput.parse({
    name: 'x',
    definition: { sources: ['any'], targets: ['web1'] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }],
  }).rules.map((rule, position) => ({ ...rule, position })),
};
const withSides = (
  sources: string[],
  targets: string[],
  more: Partial<CompilablePolicy['definition']> = {},
): CompilablePolicy => ({
  ...base,
  definition: { ...base.definition, sources, targets, ...more },
});

describe('compiled rules', () => {
  it('decide every packet as the policies say', () => {
    let decided = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const policies = randomPolicies(seed);
        const guests = new Map(compile(policies).guests.map((guest) => [guest.workload_id, guest]));
        const random = randomSource(seed + 1);
        for (const workload of INVENTORY.workloads.slice(0, 9)) {
          const prepared = prepareGuest(liveState(guests.get(workload.id)), NIC);
          for (let count = 0; count < 150; count++) {
            const packet = randomPacket(random);
            const says = evaluatePolicies(policies, INVENTORY, workload, packet);
            const { verdict, decided_by } = evaluate(prepared, packet);
            const icmp = packet.protocol === (packet.source.family === 4 ? 1 : 58);
            // No answer to these reaches the sender of the packet.
            const silent = icmp || (packet.direction === 'out' && packet.protocol !== 6);
            const desired = says === 'reject' && silent ? 'drop' : says;
            const found = decided_by.kind === 'rule' ? verdict : null;
            if (found !== desired)
              expect({ found, packet, workload, policies }).toEqual({ found: desired, packet, workload, policies });
            if (found) decided++;
          }
        }
      }),
      { numRuns: 200 },
    );
    expect(decided).toBeGreaterThan(3000);
  });

  it('have the same bytes in any order of the input', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (seed, shuffle) => {
        const random = randomSource(shuffle);
        const mix = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => [random(), item] as const)
            .sort(([a], [b]) => a - b)
            .map(([, item]) => item);
        const policies = randomPolicies(seed);
        const mixed = mix(policies).map((policy) => ({
          ...policy,
          rules: mix(policy.rules),
          definition: {
            ...policy.definition,
            sources: mix(policy.definition.sources),
            targets: mix(policy.definition.targets),
          },
        }));
        const inventory = {
          clusters: mix(INVENTORY.clusters),
          workloads: mix(INVENTORY.workloads),
          security_groups: mix(INVENTORY.security_groups).map((group) => ({
            ...group,
            workload_ids: mix(group.workload_ids),
          })),
          networks: mix(INVENTORY.networks),
        };
        const again = compilePolicies(mixed, indexInventory(inventory), 'inst1');
        expect(JSON.stringify(again)).toBe(JSON.stringify(compile(policies)));
      }),
      { numRuns: 40 },
    );
  });

  it('keep the limits of the hypervisor', () => {
    const fits = ({ content, comment }: DesiredRule) => {
      const address = content.source ?? content.dest ?? '';
      const list = address === '' || address.startsWith('+') ? [] : address.split(',');
      const ports = [content.sport, content.dport].map((text) => (text ?? '').split(/[,:]/).length);
      return (
        address.length <= 512 &&
        new Set(list.map((text) => parseCidr(text)?.address.family)).size <= 1 &&
        Math.max(...ports) <= 15 &&
        /^[ -"$-~]*$/.test(comment)
      );
    };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const rules = compile(randomPolicies(seed)).guests.flatMap((guest) => guest.rules);
        expect(rules.filter((rule) => !fits(rule))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('use a set of the guest for a list too long for a few rules', () => {
    const [guest] = compile([withSides(['sg:many'], ['web1'])]).guests;
    expect(guest?.rules.map((rule) => rule.content.source)).toEqual([`+guest/${guest?.sets[0]?.name}`]);
    expect(guest?.sets[0]?.cidrs).toHaveLength(130);
    const [split] = compile([withSides(['sg:some'], ['web1'])]).guests;
    expect(split?.sets).toEqual([]);
    expect(split?.rules.length).toBeGreaterThan(1);
  });

  it('have hashes of their own even when a policy says the same twice at one position', () => {
    const [rule] = base.rules;
    const [guest] = compile([{ ...base, rules: rule ? [rule, rule] : [] }]).guests;
    expect(new Set(guest?.rules.map(({ rule_hash }) => rule_hash)).size).toBe(2);
  });

  it('turn tcp/udp into two rules', () => {
    const rules = base.rules.map((rule) => ({ ...rule, protocol: 'tcp/udp' as const }));
    const [guest] = compile([{ ...base, rules }]).guests;
    expect(guest?.rules.map((rule) => rule.content.proto)).toEqual(['tcp', 'udp']);
  });

  it('leave out a stored ICMP type that stops the firewall of a node, with a reason', () => {
    const [first, ...others] = base.rules.map((rule, position) => ({ ...rule, position }));
    if (!first) throw new Error('expected a rule');
    const stored = { ...first, protocol: 'icmpv6' as const, destination_ports: [], icmp_type: 'reject-route' };
    const kept = [{ ...first, position: 1 }, ...others.map((rule) => ({ ...rule, position: rule.position + 1 }))];
    const { guests, warnings } = compile([{ ...base, rules: [stored, ...kept] }]);
    expect(guests).toEqual(compile([{ ...base, rules: kept }]).guests);
    expect(warnings).toEqual([{ policy_id: base.id, code: 'icmp_type_unreadable', detail: 'reject-route' }]);
  });

  it('leave out templates and, for a tenant, the workloads of others', () => {
    expect(compile([withSides(['any'], ['golden'])])).toMatchObject({
      guests: [],
      unresolved: [{ reason: 'template' }],
    });
    const foreign = { ...withSides(['any'], ['tag:prod']), tenant_id: 't1' };
    expect(compile([foreign]).guests.map((guest) => guest.workload_id)).toEqual(['web2']);
  });
});

describe('an unresolved endpoint', () => {
  it.each(DEAD_ENDPOINTS)('%s yields no rule and a reason', (endpoint) => {
    for (const policy of [withSides([endpoint], ['web1']), withSides(['any'], [endpoint])]) {
      const { guests, unresolved } = compile([
        { ...policy, definition: { ...policy.definition, default_action: 'drop' } },
      ]);
      expect(guests).toEqual([]);
      expect(unresolved).toEqual([{ policy_id: 'p1', side: expect.any(String), endpoint, reason: expect.any(String) }]);
    }
  });

  it('never widens what the others mean', () => {
    const text = fc.constantFrom(...ENDPOINTS);
    const dead = fc.constantFrom(...DEAD_ENDPOINTS);
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        dead,
        fc.constantFrom('in', 'out', 'both'),
        (live, gone, direction) => {
          const strip = (policy: CompilablePolicy) => compile([policy]).guests;
          const plain = withSides(live, ['web1', 'db1'], { direction });
          const withDead = withSides([...live, gone], ['web1', 'db1', gone], { direction });
          expect(strip(withDead)).toEqual(strip(plain));
        },
      ),
    );
  });

  it('appears with the reason', () => {
    const reason = (endpoint: string) => compile([withSides(['any'], [endpoint])]).unresolved[0]?.reason;
    expect(['twin', 'vmid:101', 'sg:doubled'].map(reason)).toEqual(['ambiguous', 'ambiguous', 'ambiguous']);
    expect(['sg:gone', 'sg:empty', 'any', '10.0.0.1'].map(reason)).toEqual([
      'not_found',
      'empty',
      'not_a_workload',
      'not_a_workload',
    ]);
    expect(compile([withSides(['mute'], ['web1'])]).unresolved[0]?.reason).toBe('no_address');
  });
});
