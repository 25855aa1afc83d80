import type { SentAddress, SentAddresses } from '@fabric/agent-contract';
import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { type FlowTable, WORD } from '../capture/flow-table';
import type { CaptureSnapshot } from './capture-flows';

/** Of the part of the heartbeat. */
const VERSION = 1;

/** Unspecified, loopback and link-local addresses belong to no one in particular; the server ignores them as well. */
const NO_HOST = /^(0\.|127\.|169\.254\.|::1?$|fe[89ab])/;

type Seen = { row: number; packets: number };

const buildKey = (table: FlowTable, row: number): string => {
  const word = (part: number) => table.word(row, part);
  const address = [0, 1, 2, 3].map((i) => word(WORD.source + i)).join('.');
  return `${word(WORD.ifindex)} ${table.vlan(row)} ${address}`;
};

/**
 * From which addresses each guest sent packets in this interval. Of an interface with more than a router of a site should have, those
 * with the most packets: a guest that scans from random addresses does not displace the rest.
 */
export function listSentAddresses({ table, names }: Pick<CaptureSnapshot, 'table' | 'names'>): SentAddresses {
  const seen = new Map<string, Seen>();
  for (let row = 0; row < table.size; row += 1) {
    const packets = table.newPackets[row] as number;
    if (packets === 0 || !table.isFromGuest(row)) continue;
    const key = buildKey(table, row);
    const known = seen.get(key);
    if (known) known.packets += packets;
    else seen.set(key, { row, packets });
  }
  const addresses: SentAddress[] = [];
  const counts = new Map<number, number>();
  let left_out = 0;
  for (const { row } of [...seen.values()].sort((a, b) => b.packets - a.packets)) {
    const ifindex = table.word(row, WORD.ifindex);
    const name = names.get(ifindex);
    const guest = name === undefined ? null : parseGuestInterface(name);
    const address = table.address(row, WORD.source);
    if (name === undefined || !guest || NO_HOST.test(address)) continue;
    const count = counts.get(ifindex) ?? 0;
    if (count >= AGENT_LIMITS.sent_addresses_of_interface || addresses.length >= AGENT_LIMITS.sent_addresses) {
      left_out += 1;
      continue;
    }
    counts.set(ifindex, count + 1);
    const vlan = table.vlan(row);
    addresses.push({
      ...{ interface: name, vmid: guest.vmid, nic: guest.nic, address },
      ...(vlan > 0 && vlan < 4095 && { vlan }),
    });
  }
  return { version: VERSION, addresses: addresses.sort(compareByInterface), left_out };
}

/** Adjacent entries that resemble each other make the compressed heartbeat smaller. */
function compareByInterface(a: SentAddress, b: SentAddress): number {
  const place = ({ interface: name, address }: SentAddress): string => `${name} ${address}`;
  return place(a) < place(b) ? -1 : 1;
}
