import type { InterfaceCounters, InterfaceTraffic } from '@fabric/agent-contract';
import { type GuestInterface, parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import { rfc3339 } from '../sys/clock';

/** Which interface to count for a guest's NIC, best first: the nearer to the guest, the fewer packets it misses. */
const PREFERENCE: readonly GuestInterface['kind'][] = ['tap', 'veth', 'fwln', 'fwpr', 'fwbr'];

/** One host interface per guest NIC: the best of those that exist. */
export function bestInterfaces(interfaces: readonly InterfaceCounters[]): InterfaceCounters[] {
  const best = new Map<string, InterfaceCounters>();
  const rank = ({ name }: InterfaceCounters): number => PREFERENCE.indexOf(parseGuestInterface(name)?.kind ?? 'fwbr');
  for (const candidate of interfaces) {
    if (candidate.vmid === undefined || candidate.nic === undefined) continue;
    const card = `${candidate.vmid} ${candidate.nic}`;
    const known = best.get(card);
    if (!known || rank(candidate) < rank(known)) best.set(card, candidate);
  }
  return [...best.values()];
}

/** Traffic of guest NICs from interface counters, for nodes and times without flows. */
export class InterfaceTrafficMeter {
  private previous: Map<string, InterfaceCounters> | null = null;

  /**
   * What each card transferred since the last call, seen from the guest; cards without traffic are left out. The first
   * call has nothing to compare with and gives nothing.
   */
  measure(interfaces: readonly InterfaceCounters[], now: number): InterfaceTraffic[] {
    const { previous } = this;
    this.previous = new Map(interfaces.map((counters) => [counters.name, counters]));
    if (!previous) return [];
    return bestInterfaces(interfaces)
      .map((counters) => computeTraffic(counters, previous.get(counters.name), now))
      .filter(({ packets }) => packets > 0);
  }
}

function computeTraffic(
  counters: InterfaceCounters,
  before: InterfaceCounters | undefined,
  now: number,
): InterfaceTraffic {
  const gained = (field: 'rx_bytes' | 'rx_packets' | 'tx_bytes' | 'tx_packets'): number => {
    const earlier = before?.[field] ?? 0;
    // A counter that decreased belongs to a recreated interface.
    return counters[field] >= earlier ? counters[field] - earlier : counters[field];
  };
  // What a guest sends is received on its tap. fwln is the far end of the firewall's bridge: there it is the reverse.
  const isGuestView = parseGuestInterface(counters.name)?.kind === 'fwln';
  const [rx, tx] = isGuestView ? (['rx', 'tx'] as const) : (['tx', 'rx'] as const);
  const record = {
    rx_bytes: gained(`${rx}_bytes`),
    rx_packets: gained(`${rx}_packets`),
    tx_bytes: gained(`${tx}_bytes`),
    tx_packets: gained(`${tx}_packets`),
  };
  return {
    interface: counters.name,
    vmid: counters.vmid ?? 0,
    nic: counters.nic ?? 0,
    ...record,
    bytes: record.rx_bytes + record.tx_bytes,
    packets: record.rx_packets + record.tx_packets,
    observed_at: rfc3339(now),
    collector: 'interface',
  };
}
