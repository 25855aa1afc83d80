import { setTimeout } from 'node:timers/promises';
import type { Flow } from '@fabric/agent-contract';
import type { Packet, Verdict } from '@fabric/simulator/enforcement/packet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomSource } from '@/domain/firewall/random-state.fixture';
import type { EvaluatedFlow } from '@/domain/flow/flow';
import type { FlowGroup, FlowGroups } from '@/domain/flow/flow-sums';
import { toAction } from '@/domain/flow-action';
import { toAuditSay } from '@/domain/flow-verdict';
import { PacketTest, type PacketVerdict } from '@/domain/guest-firewall';
import { type InsightFlow, type Insights, InsightsInput } from '@/domain/insights';
import type { Policy } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import { mergeVerdicts, type SummedVerdict, toSummedVerdict } from '@/domain/summed-verdict';
import { systemScope } from '@/server/auth/scope';
import { clock } from '@/server/lib/clock';
import { addFormerPlacements, makeAgent } from '@/test/factories';
import { call } from '@/test/request';
import { clearSnapshotCaches } from '../../enforcement/guest-firewall/live-reader';
import { readGuestFirewall } from '../../enforcement/guest-firewall/read-guest-live';
import { testPacket } from '../../enforcement/guest-firewall/test-packet';
import { makePolicyLab, type PolicyLab } from '../../enforcement/policies/testing/policy-lab.fixture';
import { makeFlow, makeHeartbeat } from '../../traffic/agents/testing/heartbeat.fixture';
import { readInsightsOverview } from './overview';

let lab: PolicyLab;
let audit: Policy;
let enforced: Policy;
let agent: { authorization: string };

/** Guests and where their own addresses are; 102 has a second interface that does not filter, 105 does not filter at all. */
const GUESTS = [
  { vmid: 100, own: '10.20.11.100', nics: [0] },
  { vmid: 101, own: '10.20.12.101', nics: [0] },
  { vmid: 102, own: '10.20.21.11', nics: [0, 1] },
  { vmid: 105, own: '10.20.20.25', nics: [0] },
] as const;
const PEERS = ['203.0.113.9', '198.51.100.7', '10.60.10.4', '10.20.21.12', '10.20.0.7', '10.20.21.50'];
const PORTS = [22, 25, 53, 80, 135, 443, 3306, 5432, 8080, 8443];

type Sent = { flow: Flow; packet: Packet; verdict: Verdict; line: string | undefined };
const sent = new Map<number, Sent[]>();

/** What a node would report of a conversation: the way of the packet that opened it, or the answer. */
function toReportedFlow(packet: Packet, answered: boolean, decision: Flow['decision']): Flow {
  const icmp = packet.proto === 'icmp';
  const [source_ip, destination_ip] = answered ? [packet.dest, packet.source] : [packet.source, packet.dest];
  const [sport, dport] = answered ? [packet.dport, packet.sport] : [packet.sport, packet.dport];
  return makeFlow({
    source_ip,
    destination_ip,
    protocol: packet.proto,
    source_port: sport ?? null,
    destination_port: dport ?? null,
    decision,
    initiator: answered ? 'destination' : 'source',
    ...(icmp && { icmp_type: answered ? 0 : 8, icmp_code: 0 }),
    vmid: packet.vmid,
    nic: Number(packet.nic.slice(3)),
  });
}

function createPackets({ vmid, own, nics }: (typeof GUESTS)[number], random: () => number): Packet[] {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  return Array.from({ length: 150 }, (_, i) => {
    const direction = random() < 0.6 ? ('in' as const) : ('out' as const);
    // Every conversation has a port or an address of its own: no two are one flow.
    const icmp = i < 10;
    const peer = icmp ? `203.0.113.${100 + i}` : pick(PEERS);
    const ports = { sport: 40_000 + i, dport: pick(PORTS) };
    return {
      vmid,
      nic: `net${pick(nics)}`,
      direction,
      proto: icmp ? 'icmp' : pick(['tcp', 'tcp', 'udp']),
      source: direction === 'in' ? peer : own,
      dest: direction === 'in' ? own : peer,
      ...(icmp ? { icmpType: 'echo-request' } : ports),
    };
  });
}

async function report(flows: readonly Flow[]) {
  // The simulated cluster's time is the services'.
  const now = clock.now().toISOString();
  const body = makeHeartbeat(
    flows.map((flow) => ({ ...flow, observed_at: now })),
    { sent_at: now },
  );
  const response = await call('/agents/heartbeat', { method: 'POST', body, headers: agent });
  expect(await response.json()).toMatchObject({ accepted: flows.length, rejected: [] });
}

const insights = async (vmid: number, query = ''): Promise<Insights> => {
  const { status, body } = await lab.json(
    `/workloads/${await lab.id(vmid)}/insights?include_flow_context=true&include_rules=true&${query}`,
  );
  expect(status).toBe(200);
  return body;
};

beforeAll(async () => {
  lab = await makePolicyLab({ timeScale: 5 });
  const { sql, cluster } = lab;
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'lan', 'bridge', 'manual') returning id`;
  const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, '10.20.0.0/16', 'manual') returning id`;
  for (const { vmid, own } of GUESTS) {
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${own}, ${await lab.id(vmid)}, 'manual')`;
  }
  const [node] = await sql`select id from nodes where cluster_id = ${cluster.id} order by name limit 1`;
  agent = await makeAgent({ id: node?.id });
  for (const { vmid } of GUESTS) await addFormerPlacements({ id: node?.id }, { id: await lab.id(vmid) });
  enforced = await lab.create({
    definition: { enforcement_mode: 'enforced', sources: ['any'], targets: ['vmid:101'], default_action: 'drop' },
    rules: [
      { action: 'accept', protocol: 'tcp', destination_ports: ['8443'], log: 'info' },
      { action: 'reject', protocol: 'tcp', destination_ports: ['25'], log: 'info' },
    ],
  });
  await lab.apply(enforced);
  audit = await lab.create({
    definition: {
      enforcement_mode: 'audit',
      sources: ['any'],
      targets: ['vmid:100', 'vmid:105'],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['25', '80'] }],
  });
  await lab.settle();
  const { enforcement } = lab.control;
  enforcement.compileNow();
  const random = randomSource(7);
  for (const guest of GUESTS) {
    const list = createPackets(guest, random).map((packet): Sent => {
      const { verdict, line } = enforcement.evaluatePacket(packet, new Date());
      // Logged packets are reported with the verdict of the line, and some of the others as replies.
      const logged = line !== undefined;
      const answered = !logged && random() < 0.4;
      return { flow: toReportedFlow(packet, answered, logged ? verdict.verdict : 'observed'), packet, verdict, line };
    });
    sent.set(guest.vmid, list);
    await report(list.map(({ flow }) => flow));
  }
}, 60_000);
afterAll(() => lab.close());

const toFlowKey = (
  flow: Pick<Flow | InsightFlow, 'source_ip' | 'destination_ip' | 'protocol' | 'source_port' | 'destination_port'>,
) => [flow.source_ip, flow.destination_ip, flow.protocol, flow.source_port, flow.destination_port].join(' ');

const KINDS: Partial<Record<Verdict['by'], string>> = {
  rule: 'rule',
  policy: 'default',
  'not-enforced': 'not_enforced',
};

describe('the decision on flows', () => {
  const decided = new Set<string>();

  it.each(GUESTS.map(({ vmid }) => vmid))('matches the packet filter of guest %i', async (vmid) => {
    const { flows, summary } = await insights(vmid);
    const list = sent.get(vmid) ?? [];
    expect(flows).toHaveLength(list.length);
    const byKey = new Map(flows.map((flow) => [toFlowKey(flow), flow]));
    for (const { flow, packet, verdict, line } of list) {
      const found = byKey.get(toFlowKey(flow));
      if (packet.proto === 'tcp' && packet.dport === 22 && packet.direction === 'in' && verdict.by === 'policy') {
        // A rule for the set of managers is evaluated before: which entries the hypervisor itself adds to that set is
        // unknown.
        expect(found?.context).toMatchObject({ verdict: 'unknown', decided_by: { detail: 'unknown_reference' } });
        continue;
      }
      expect(found?.context, JSON.stringify(packet)).toMatchObject({
        verdict: verdict.verdict,
        direction: packet.direction,
        logged: line !== undefined,
        conflict: false,
        decided_by: {
          kind: KINDS[verdict.by] ?? 'builtin',
          ...(verdict.by === 'rule' && { position: verdict.position, group: verdict.group ?? null }),
        },
      });
      if (found) decided.add(found.decision);
    }
    expect(summary.conflicts).toBe(0);
    expect(summary.by_context?.reduce((sum, { flows: count }) => sum + count, 0)).toBe(list.length);
  });

  it('met every decision that there is, but one', () => {
    expect([...decided].sort()).toEqual([
      'accept',
      'audit_accept',
      'audit_drop',
      'default_accept',
      'default_drop',
      'drop',
      'observed',
      'reject',
    ]);
  });

  it('matches the test of each packet', async () => {
    for (const { vmid } of GUESTS) {
      const id = await lab.id(vmid);
      const { flows } = await insights(vmid);
      const byKey = new Map(flows.map((flow) => [toFlowKey(flow), flow]));
      for (const { flow, packet } of (sent.get(vmid) ?? []).filter((_, i) => i % 30 === 0)) {
        const { body } = await lab.json(`/workloads/${id}/firewall/test`, {
          body: {
            direction: packet.direction,
            source_ip: packet.source,
            destination_ip: packet.dest,
            protocol: packet.proto,
            interface: packet.nic,
            ...(packet.proto === 'icmp'
              ? { icmp_type: 8, icmp_code: 0 }
              : { source_port: packet.sport, destination_port: packet.dport }),
          },
        });
        const answer: PacketVerdict = body;
        const context = byKey.get(toFlowKey(flow))?.context;
        const [nic] = answer.interfaces;
        expect(context?.verdict).toBe(nic?.verdict);
        expect(context?.decided_by).toMatchObject({
          kind: nic?.decided_by.kind,
          detail: nic?.decided_by.detail,
          explanation: nic?.decided_by.explanation,
          policy_id: nic?.decided_by.rule?.policy_id ?? null,
        });
        expect(context?.audit.map(({ policy_id, verdict }) => [policy_id, verdict])).toEqual(
          answer.audit.map(({ policy_id, verdict }) => [policy_id, verdict]),
        );
        // This packet was never sent, so nothing was observed; the rules say the same about it as about the flow.
        const { rules_say, audit_say, action } = nic ?? {};
        const say = { action: toAction(nic?.verdict ?? 'unknown'), workload_id: id, read_at: answer.read_at };
        expect(rules_say).toEqual({ ...context?.decided_by, ...say });
        expect(action).toBe('unknown');
        expect(audit_say).toEqual(context?.audit.map((outcome) => toAuditSay(outcome, id)));
      }
    }
  });
});

describe('insights', () => {
  it('name the policy behind a rule, and policies in audit mode with what they would do', async () => {
    const ours = await insights(101);
    const rule = ours.flows.find(({ context }) => context?.decided_by.policy_id === enforced.id);
    expect(rule?.context?.decided_by).toMatchObject({ kind: 'rule', policy_name: enforced.name, policy_version: 1 });
    expect(ours.active_firewall_rules?.filter(({ managed }) => managed)).toMatchObject([
      { type: 'in', action: 'ACCEPT', protocol: 'tcp', port: '8443', enabled: true, policy_name: enforced.name },
      { type: 'in', action: 'REJECT', protocol: 'tcp', port: '25', enabled: true },
    ]);
    expect(ours.active_firewall_rules?.some(({ managed, group }) => !managed && group === 'web')).toBe(true);
    expect(ours.audit_policies).toEqual([]);

    const audited = await insights(105);
    expect(audited.audit_policies).toEqual([
      { policy_id: audit.id, name: audit.name, version: 1, priority: audit.priority, rules: 1, default_drop: ['in'] },
    ]);
    const inbound = audited.flows.filter(({ context }) => context?.direction === 'in');
    const would = (flow: InsightFlow) => flow.context?.audit.map(({ verdict, by }) => `${verdict} by ${by}`).join();
    expect(new Set(inbound.map(would))).toEqual(new Set(['accept by rule', 'drop by default']));
    for (const flow of inbound)
      expect(flow.decision).toBe(would(flow) === 'accept by rule' ? 'audit_accept' : 'audit_drop');
  });

  it('mark a log line that says something else than the rules', async () => {
    const dropped = {
      vmid: 101,
      nic: 'net0',
      direction: 'in',
      proto: 'tcp',
      source: PEERS[0] ?? '',
      dest: '10.20.12.101',
    } as const;
    await report([toReportedFlow({ ...dropped, sport: 51_000, dport: 8443 }, false, 'drop')]);
    const { flows, summary } = await insights(101, 'traffic_mode=denied');
    expect(summary.conflicts).toBe(1);
    expect(flows.filter(({ context }) => context?.conflict)).toMatchObject([
      {
        source_port: 51_000,
        decision: 'drop',
        context: { verdict: 'accept', logged: true, decided_by: { kind: 'rule' } },
      },
    ]);
  });
});

it.each(['source', 'destination', 'workloads'])(
  'reports the same for groups by %s as for their flows',
  async (group_by) => {
    await lab.observe();
    const actions = new Set<string | undefined>();
    for (const vmid of [100, 101, 105]) {
      const query = `workload_id=${await lab.id(vmid)}&protocol=tcp`;
      const flows: { body: { items: EvaluatedFlow[] } } = await lab.json(`/flows?${query}&limit=500`);
      const groups: { body: FlowGroups } = await lab.json(`/flows/groups?${query}&limit=50&group_by=${group_by}`);
      const ends = group_by === 'workloads' ? (['source', 'destination'] as const) : ([group_by as 'source'] as const);
      const end = (row: FlowGroup | EvaluatedFlow, which: 'source' | 'destination') =>
        (group_by === 'workloads' ? null : row[`${which}_ip`]) ?? row[`${which}_workload_id`] ?? row[`${which}_cidr`];
      const toRowKey = (row: FlowGroup | EvaluatedFlow) => ends.map((which) => end(row, which)).join(' ');
      const expected = new Map<string, SummedVerdict>();
      for (const flow of flows.body.items) {
        const known = expected.get(toRowKey(flow));
        const verdict = toSummedVerdict(flow);
        expected.set(toRowKey(flow), known ? mergeVerdicts(known, verdict) : verdict);
      }
      expect(groups.body.items.length).toBe(expected.size);
      for (const group of groups.body.items) {
        const { action, rules_say, audit_say, differs } = group;
        const requested = expected.get(toRowKey(group));
        actions.add(rules_say?.action);
        const described = { group: toRowKey(group), rules_say, audit_say };
        expect(described).toEqual({ ...described, rules_say: requested?.rules_say, audit_say: requested?.audit_say });
        // Totals per minute do not show replies.
        if (group_by !== 'workloads') {
          expect([action, differs], toRowKey(group)).toEqual([requested?.action, requested?.differs]);
        }
      }
    }
    expect(actions.has('mixed')).toBe(true);
  },
);

it('claims nothing of a group of which it evaluates a part only', async () => {
  await lab.observe();
  const query = `/flows/groups?workload_id=${await lab.id(105)}&protocol=tcp&source=10.20.20.25&group_by=source`;
  const read = async (limit: number): Promise<FlowGroup[]> => {
    const { body }: { body: FlowGroups } = await lab.json(`${query}&limit=${limit}`);
    return body.items;
  };
  expect((await read(40)).map(({ rules_say }) => rules_say?.kind)).toEqual(['not_enforced']);
  expect(await read(500)).toMatchObject([
    { action: 'unknown', rules_say: { action: 'unknown', kind: 'unknown', detail: 'too_many' } },
  ]);
});

it('answers are as old as the oldest snapshot that they are built from: that of the cluster, which guests share', async () => {
  const scope = systemScope('workload:read', 'test');
  const [first, id] = [await lab.id(100), await lab.id(101)];
  clearSnapshotCaches();
  const { read_at } = await readGuestFirewall(scope, first);
  await setTimeout(20);
  const packet = { direction: 'in', source_ip: '10.20.0.7', destination_ip: '10.20.12.101', protocol: 'tcp' };
  expect((await readGuestFirewall(scope, id)).read_at).toBe(read_at);
  expect((await testPacket(scope, id, PacketTest.parse(packet))).read_at).toBe(read_at);
  const flows = systemScope('flow:read', 'test');
  expect((await readInsightsOverview(flows, scope, InsightsInput.parse({ id }))).rules_read_at).toBe(read_at);
  const stored = async () => {
    const [row] = await lab.sql`select c.read_at as cluster, g.read_at as guest from cluster_firewall_snapshots as c,
      guest_firewall_snapshots as g where c.cluster_id = ${lab.cluster.id} and g.workload_id = ${id}`;
    expect(row?.cluster < row?.guest).toBe(true);
    return new Date(row?.cluster).toISOString();
  };
  const { body }: { body: { items: InsightFlow[] } } = await lab.json(`/flows?workload_id=${id}&limit=1`);
  expect(body.items[0]?.rules_say?.read_at).toBe(await stored());
  const preview: { body: PolicyPreview } = await lab.json(`/policies/${enforced.id}/preview`, { body: {} });
  expect(preview.body.clusters.flatMap(({ guests }) => guests.map((guest) => guest.read_at))).toEqual([await stored()]);
});

it('says the same of a flow in insights, in the list of flows and live: observed, by the rules, in audit mode', async () => {
  type Says = Pick<InsightFlow, 'id' | 'action' | 'rules_say' | 'audit_say'>;
  const plain = ({ id, action, rules_say, audit_say }: Says) => ({
    ...{ id, action, audit_say },
    rules_say: rules_say && { ...rules_say, read_at: null },
  });
  for (const { vmid } of GUESTS) {
    const described = new Map((await insights(vmid)).flows.map((flow) => [flow.id, plain(flow)]));
    expect(described.size).toBeGreaterThan(10);
    for (const path of ['/flows', '/flows/tail']) {
      const query = `${path}?workload_id=${await lab.id(vmid)}&limit=200`;
      const { body }: { body: { items: Says[] } } = await lab.json(query);
      expect(body.items.length).toBeGreaterThan(10);
      for (const flow of body.items) expect(plain(flow), `${path} ${flow.id}`).toEqual(described.get(flow.id));
    }
    const says = [...described.values()];
    for (const { rules_say } of says) expect(rules_say).not.toBeNull();
    // What the cluster itself does with a packet is what the rules are actions to do.
    for (const { flow, verdict, line } of sent.get(vmid) ?? []) {
      const one = (await insights(vmid)).flows.find((other) => toFlowKey(other) === toFlowKey(flow));
      if (line)
        expect(one?.action).toBe(
          { accept: 'allowed', drop: 'dropped', reject: 'rejected' }[verdict.verdict as 'accept'],
        );
      break;
    }
  }
});
