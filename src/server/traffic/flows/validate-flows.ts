import { checkFlow, type Flow } from '@fabric/agent-contract';
import { HOUR_MS } from '@/domain/durations';
import { storableText } from '../../audit/canonical';
import { stableKey } from '../../lib/ids';
import type { ValidFlow } from '../storage/flow-rows';
import type { AddressBook } from './address-book';
import type { ClockWindow } from './clock-window';
import { attributeFlow, endLookup, isResolvable, observingVmid, resolveObserver } from './known-ends';
import { reportedRecord } from './reported-record';

/** A flow seen at an interface of a workload that the inventory places on another node. Its ends are not resolved. */
export type UnconfirmedFlow = { flow: ValidFlow; index: number; vmid: number; workload_id: string };

export type Rejection = { index: number; reason: string };

export type FlowValidation = {
  /** Each identity once, sorted by key. */
  flows: ValidFlow[];
  /** Flows that were good and are confirmed, duplicates of an identity included. */
  valid: number;
  /** Flows whose workload has to be found first, each identity once. */
  unconfirmed: UnconfirmedFlow[];
  rejected: Rejection[];
  /** The first good ones, as they were sent. */
  sample: Flow[];
};

type Options = {
  clusterId: string;
  nodeId: string;
  clock: ClockWindow;
  retentionHours: number;
  book: AddressBook;
  sampleSize: number;
};

const isIpv6 = (address: string): boolean => address.includes(':');

const text = (value: string | null): string | null => (value === null ? null : storableText(value));

const sum = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);

/** The later report of one identity stands; what both say is new is added. */
function merge(a: ValidFlow, b: ValidFlow): ValidFlow {
  const later = b.record.observed_at >= a.record.observed_at ? b : a;
  return {
    ...later,
    delta_bytes: sum(a.delta_bytes, b.delta_bytes),
    delta_packets: sum(a.delta_packets, b.delta_packets),
  };
}

/**
 * Validates the flows of a heartbeat one by one: a flow that is invalid or older than the retention is rejected with a
 * reason and does not affect the others. Converts times to the service's clock, normalizes addresses and resolves ends
 * to guests and subnets.
 */
export function validateFlows(candidates: readonly unknown[], options: Options): FlowValidation {
  const { clusterId, nodeId, clock, retentionHours, book, sampleSize } = options;
  const cutoff = clock.now - retentionHours * HOUR_MS;
  const endOf = endLookup(book, clusterId);
  const rejected: Rejection[] = [];
  const sample: Flow[] = [];
  const byKey = new Map<string, ValidFlow>();
  const unconfirmed = new Map<string, UnconfirmedFlow>();
  let valid = 0;

  const validate = (candidate: unknown, index: number): string | null => {
    const check = checkFlow(candidate);
    if (!check.ok) return check.reason;
    const { flow } = check;
    const source = endOf(flow.source_ip);
    if (!source) return 'source_ip: expected an IPv4 or IPv6 address';
    const destination = endOf(flow.destination_ip);
    if (!destination) return 'destination_ip: expected an IPv4 or IPv6 address';
    if (isIpv6(source.address) !== isIpv6(destination.address)) {
      return 'destination_ip: expected an address of the same family as source_ip';
    }
    const observed = clock.read(flow.observed_at);
    if (observed === null) return 'observed_at: expected an RFC 3339 time';
    if (observed < cutoff) return `observed_at: older than the flow retention of ${retentionHours} hours`;
    const first = Math.min(clock.read(flow.first_seen_at ?? flow.observed_at) ?? observed, observed);
    const { protocol, source_port, destination_port, decision } = flow;
    const flow_key = stableKey([
      source.address,
      destination.address,
      protocol,
      source_port,
      destination_port,
      decision,
    ]);
    const vmid = observingVmid(flow);
    if (vmid === 'contradiction') return `vmid: the interface does not belong to workload ${flow.vmid}`;
    const sighting = { cluster_id: clusterId, node_id: nodeId, vmid, at: observed };
    const { verdict, workload_id: observer } = resolveObserver(book, sighting);
    const workload_id = verdict === 'confirmed' ? observer : null;
    const ends = attributeFlow(book, sighting, source, destination, workload_id);
    const validated: ValidFlow = {
      record: {
        flow_key,
        source_ip: source.address,
        destination_ip: destination.address,
        protocol,
        source_port,
        destination_port,
        decision,
        state: text(flow.state),
        bytes: null,
        packets: null,
        reported_bytes: flow.bytes,
        reported_packets: flow.packets,
        first_seen_at: new Date(first).toISOString(),
        observed_at: new Date(observed).toISOString(),
        collector: storableText(flow.collector),
        initiator: flow.initiator ?? null,
        icmp_type: flow.icmp_type ?? null,
        icmp_code: flow.icmp_code ?? null,
        interface: text(flow.interface ?? null),
        vmid,
        nic: flow.nic ?? null,
        vlan: flow.vlan ?? null,
        workload_id,
        ...ends,
        source_cidr: source.cidr,
        destination_cidr: destination.cidr,
        raw: reportedRecord(flow),
      },
      delta_bytes: flow.delta_bytes ?? null,
      delta_packets: flow.delta_packets ?? null,
      has_begin: flow.first_seen_at !== undefined,
      source_prefix: source.prefix,
      destination_prefix: destination.prefix,
      is_resolvable: isResolvable([source, destination], ends, { vmid, workload_id }),
    };
    if (sample.length < sampleSize) sample.push(flow);
    if (verdict === 'elsewhere' && observer !== null && vmid !== null) {
      const before = unconfirmed.get(flow_key)?.flow;
      unconfirmed.set(flow_key, {
        flow: before ? merge(before, validated) : validated,
        index,
        vmid,
        workload_id: observer,
      });
      return null;
    }
    const before = byKey.get(flow_key);
    byKey.set(flow_key, before ? merge(before, validated) : validated);
    valid += 1;
    return null;
  };

  for (const [index, candidate] of candidates.entries()) {
    const reason = validate(candidate, index);
    if (reason !== null) rejected.push({ index, reason });
  }
  const flows = [...byKey.values()].sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1));
  return { flows, valid, unconfirmed: [...unconfirmed.values()], rejected, sample };
}
