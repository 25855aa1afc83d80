import { protocolName } from '@/domain/firewall/data/protocols';
import { effectiveOptions } from '@/domain/firewall/guest-options';
import type { Packet } from '@/domain/firewall/packet';
import { ruleAt } from '@/domain/firewall/rule-at';
import { formatBox } from '@/domain/firewall/space/rows';
import { equalSpans } from '@/domain/firewall/space/spans';
import { formatIp } from '@/domain/net/ip-address';
import type { Reach as Within } from '@/domain/permissions';
import { type TestFinding, toStoredPacket } from '@/domain/policy-tests/decide';
import type { Service } from '@/domain/policy-tests/packet-set';
import type { Answer, TestEnd, TestPlace } from '@/domain/policy-tests/test-end';
import type { ReachPart as DecidedPart, PartEnd, ReachDecision } from '@/domain/reach/decide-reach';
import { describeService, listPorts } from '@/domain/reach/describe-service';
import type { Stage } from '@/domain/reach/pairs';
import type {
  Reach,
  ReachDraft,
  ReachPart,
  ReachPlaces,
  ReachReason,
  ReachStage,
  ReachVerdict,
} from '@/domain/reach/reach';
import { ruleNamer } from '../../enforcement/guest-firewall/named-rules';
import { liveStateAt } from '../../enforcement/policies/firewall-state/views';
import type { Readable } from '../../enforcement/policies/planned-change';
import { deciderView, packetView } from '../../enforcement/policy-tests/describe-test';
import { getMoment } from '../../lib/moment';
import { traceStage } from './trace';

/** Places and addresses of one part that are listed. */
const MOST = 20;

export const toVerdict = (answer: Answer): ReachVerdict =>
  answer === 'accept' ? 'allowed' : answer === 'deny' ? 'denied' : 'unknown';

export const toReason = (reason: ReachDecision['reason']): ReachReason | null => {
  if (reason === null) return null;
  const subject = 'endpoint' in reason ? reason.endpoint : 'name' in reason ? reason.name : null;
  return { code: reason.reason, subject };
};

type Reader = { readonly firewall: Readable; readonly reach: Within };

/** What decides at one stage, as results of tests have it. */
export function toDecided(stage: Stage, other: Stage | undefined): Omit<TestFinding, 'packet'> {
  const [source, destination] = stage.at === 'source' ? [stage, other] : [other, stage];
  return {
    source_place: source?.place.ref ?? null,
    destination_place: destination?.place.ref ?? null,
    side: stage.at,
    interface: stage.interface,
    decided_by: stage.decided_by,
  };
}

/** Whether a rule decides of which the reader may not see what it matches. */
function isWithheld({ firewall, reach }: Reader, { place, decided_by: by }: Stage): boolean {
  const workload = place.ref.kind === 'workload' ? firewall.inputs.workloads.get(place.ref.id) : undefined;
  if (!workload || by.kind !== 'rule') return false;
  const found = ruleAt(liveStateAt(firewall, workload), by);
  return found !== null && !ruleNamer(firewall.inputs, reach, workload).isOpen(found.rule);
}

/** Whether there are policies of the platform of which the reader may not see what they match. */
const hasClosedPolicies = ({ firewall, reach }: Reader) =>
  reach !== 'all' &&
  firewall.inputs.policies.some(
    ({ tenant_id, tenant_visibility }) => tenant_id === null && tenant_visibility !== 'rules',
  );

/** Whether there are rules at a workload of which the reader may not see what they match. */
export function hasClosedRules({ firewall, reach }: Reader, { ref }: TestPlace): boolean {
  const workload = ref.kind === 'workload' ? firewall.inputs.workloads.get(ref.id) : undefined;
  if (!workload || reach === 'all') return false;
  const { isOpen } = ruleNamer(firewall.inputs, reach, workload);
  return (firewall.snapshots.guests.get(workload.id)?.state.rules ?? []).some((rule) => !isOpen(rule));
}

function readSwitches({ firewall }: Reader, { place, interface: name }: Stage): ReachStage['switches'] {
  if (place.ref.kind !== 'workload') return null;
  const workload = firewall.inputs.workloads.get(place.ref.id);
  const guest = firewall.snapshots.guests.get(place.ref.id)?.state;
  const cluster = workload && firewall.snapshots.clusters.get(workload.cluster_id)?.state;
  const nics = guest?.nics ?? [];
  const flags = nics.filter((nic) => name === null || nic.name === name).map((nic) => nic.firewall);
  const isOn = flags.every((flag) => flag === true) ? true : flags.includes(false) ? false : null;
  return {
    cluster_firewall: cluster?.firewall_enabled ?? null,
    guest_firewall: guest?.options ? effectiveOptions(guest.options).enable : null,
    interface: flags.length === 0 ? null : isOn,
  };
}

/** @param packet the example of the part; null: withheld, so that what it matched is, too */
function describeStage(reader: Reader, stage: Stage, packet: Packet | null, other: Stage | undefined): ReachStage {
  const { firewall, reach } = reader;
  const { ref } = stage.place;
  const decided_by = deciderView(firewall, reach, toDecided(stage, other));
  if (!decided_by) throw new Error(`expected a decider at ${ref.name}`);
  const snapshots = ref.kind === 'workload' ? firewall.snapshots.guests : firewall.snapshots.clusters;
  return {
    at: stage.at,
    workload_id: ref.kind === 'workload' ? ref.id : null,
    workload_name: ref.kind === 'workload' ? ref.name : null,
    node: ref.kind === 'node' ? ref.name : null,
    verdict: toVerdict(stage.answer),
    decided_by,
    switches: readSwitches(reader, stage),
    trace: packet ? traceStage(firewall, reach, stage, packet) : [],
    read_at: snapshots.get(ref.kind === 'workload' ? ref.id : ref.cluster_id)?.read_at ?? null,
  };
}

/** @param whole all that is outside of the end; null: which addresses is withheld */
function describeEnd(end: PartEnd, family: 4 | 6, whole: TestEnd | null): ReachPlaces {
  if ('outside' in end) {
    const isWhole = whole === null || equalSpans(whole.outside[family], end.outside.spans);
    const { from } = formatBox({
      family,
      protocols: [],
      icmp: [],
      destination_ports: [],
      source_ports: [],
      sources: end.outside,
      destinations: end.outside,
    });
    return { kind: 'outside', items: [], items_total: 0, outside: isWhole ? null : from };
  }
  const places = new Map<string, ReachPlaces['items'][number]>();
  for (const { place, value } of end.spots) {
    const { ref } = place;
    const known = places.get(place.key) ?? {
      workload_id: ref.kind === 'workload' ? ref.id : null,
      node: ref.kind === 'node' ? ref.name : null,
      name: ref.name,
      addresses: [],
    };
    known.addresses.push(formatIp({ family, value }));
    places.set(place.key, known);
  }
  return { kind: 'places', items: [...places.values()].slice(0, MOST), items_total: places.size, outside: null };
}

/** The policy that would let a packet pass, as a draft takes it: rules at the source, too, when that stops it. */
function toDraft(part: DecidedPart, stage: Stage): ReachDraft {
  const { witness } = part;
  const end = (at: Stage['at'], address: Packet['source']) => {
    const ref = part.stages.find((one) => one.at === at)?.place.ref;
    return ref?.kind === 'workload' ? { workload_id: ref.id } : { address: formatIp(address) };
  };
  const protocol = protocolName(witness.protocol);
  const { destination_port: port, icmp_type } = witness;
  return {
    source: end('source', witness.source),
    destination: end('destination', witness.destination),
    ...(protocol !== null && { protocol: protocol === 'icmpv6' ? 'ipv6-icmp' : protocol }),
    ...(port !== undefined && { port }),
    ...(icmp_type !== undefined && { icmp_type }),
    ...(stage.at === 'source' && part.stages.length > 1 && { direction: 'both' as const }),
  };
}

type Question = {
  readonly from: TestEnd;
  readonly to: TestEnd;
  readonly service: Service;
  readonly change_id: string | null;
};

/** An answer as the API shows it, as far as the reader may know it. */
export function describeReach(reader: Reader, decision: ReachDecision, question: Question): Reach {
  const { from, to, service, change_id } = question;
  const { answer, parts, parts_total, blocked_by, reason } = decision;
  const deciding = [...parts, ...(blocked_by ? [blocked_by.part] : [])].flatMap(({ stages }) => stages);
  // What others of the parts hold says what the withheld one holds, which may be one that is not shown.
  const withheld =
    deciding.some((stage) => isWithheld(reader, stage)) || (parts_total > parts.length && hasClosedPolicies(reader));
  const describeStages = ({ stages, witness }: DecidedPart) =>
    stages.map((stage) =>
      describeStage(
        reader,
        stage,
        withheld ? null : witness,
        stages.find((one) => one !== stage),
      ),
    );
  const describePacket = ({ stages, witness }: DecidedPart) => {
    // Examples begin at the edges of what rules match.
    if (withheld) return null;
    const [first, second] = stages;
    if (!first) throw new Error('expected a stage in each part');
    return packetView({ packet: toStoredPacket(witness), ...toDecided(first, second) });
  };
  const describePart = (part: DecidedPart): ReachPart => {
    const services = withheld ? [] : part.services.map((set) => describeService(set, service));
    return {
      verdict: toVerdict(part.verdict),
      from: describeEnd(part.from, part.family, withheld ? null : from),
      to: describeEnd(part.to, part.family, withheld ? null : to),
      services,
      ports: withheld ? [] : listPorts(services),
      pairs: part.pairs,
      stages: describeStages(part),
      witness: describePacket(part),
    };
  };
  const describeBlocked = ({ part, stage: by }: NonNullable<typeof blocked_by>) => {
    const packet = describePacket(part);
    return { packet, draft: packet && toDraft(part, by) };
  };
  const stage = blocked_by && describeStages(blocked_by.part).find(({ at }) => at === blocked_by.stage.at);
  return {
    answer,
    parts: parts.map(describePart),
    parts_total,
    blocked_by: blocked_by && stage ? { stage, ...describeBlocked(blocked_by) } : null,
    reason: toReason(reason),
    withheld,
    change_id,
    as_of: getMoment(),
  };
}
