import type { HeartbeatEnvelope } from '@fabric/agent-contract';
import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import type { FlowRecord } from '@/domain/flow/flow-record';
import { isHostAddress } from '@/domain/ipam/host-address';
import { formatIp, parseIp, unmapIp } from '@/domain/net/ip-address';
import type { SeenSource } from '../../addresses/queries/sightings';
import type { AddressBook } from '../flows/address-book';
import type { ClockWindow } from '../flows/clock-window';
import { confirmedObserver } from '../flows/known-ends';
import type { AgentScope } from './agent-identity';

/** The canonical text of an address of a host in a known subnet; null for others: of them nothing can be said. */
function readHost(book: AddressBook, text: string): string | null {
  const parsed = parseIp(text);
  const ip = parsed && unmapIp(parsed);
  return ip && isHostAddress(ip) && book.subnetOf(ip) !== null ? formatIp(ip) : null;
}

/**
 * From which addresses workloads sent packets, as far as a heartbeat proves it. Without the part about it, flows prove it whose source
 * is the workload whose interface saw them; other flows may have been on their way to the workload.
 */
export function listSeenSources(
  { cluster_id, node_id }: AgentScope['node'],
  heartbeat: Pick<HeartbeatEnvelope, 'sent_addresses' | 'sent_at'>,
  { book, times, flows }: { book: AddressBook; times: ClockWindow; flows: readonly { record: FlowRecord }[] },
): SeenSource[] {
  const { sent_addresses, sent_at } = heartbeat;
  if (sent_addresses) {
    const sent = times.read(sent_at) ?? times.now;
    const at = new Date(sent).toISOString();
    return sent_addresses.addresses.flatMap(({ interface: seen_on, vmid, nic, address: text, vlan }) => {
      const guest = parseGuestInterface(seen_on);
      const workload_id = confirmedObserver(book, { cluster_id, node_id, vmid, at: sent });
      const address = readHost(book, text);
      if (workload_id === null || address === null || guest?.vmid !== vmid || guest.nic !== nic) return [];
      return [{ workload_id, nic: `net${nic}`, address, vlan_tag: vlan ?? null, seen_on, at }];
    });
  }
  /** Null: of its address nothing can be said. */
  const seen = new Map<string, SeenSource | null>();
  for (const { record } of flows) {
    const { workload_id, source_workload_id, nic, vlan, source_ip, observed_at: at, interface: seen_on } = record;
    if (workload_id === null || workload_id !== source_workload_id || nic === null) continue;
    const key = `${workload_id} ${nic} ${source_ip}`;
    const known = seen.get(key);
    if (known === null || (known && known.at >= at)) continue;
    const address = known?.address ?? readHost(book, source_ip);
    seen.set(key, address === null ? null : { workload_id, nic: `net${nic}`, address, vlan_tag: vlan, seen_on, at });
  }
  return [...seen.values()].flatMap((source) => source ?? []);
}
