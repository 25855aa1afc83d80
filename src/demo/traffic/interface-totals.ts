import type { InterfaceCounters, InterfaceTraffic } from '@fabric/agent-contract';
import type { ClustersView } from './clusters-view';
import type { SeenFlow } from './node-flows';

/** What a device has carried; `rx` of a guest's device is what the guest sent. */
export type DeviceTotals = { rx_bytes: number; rx_packets: number; tx_bytes: number; tx_packets: number };
/** Totals of a node's devices by name. */
export type NodeTotals = Record<string, DeviceTotals>;

/** Represents the node's cables; its own name is that of the bond they form. */
const UPLINK = 'bond0';

const createZeroTotals = (): DeviceTotals => ({ rx_bytes: 0, rx_packets: 0, tx_bytes: 0, tx_packets: 0 });

function add(totals: NodeTotals, device: string, side: 'rx' | 'tx', flow: SeenFlow['flow']): void {
  const of = totals[device] ?? createZeroTotals();
  of[`${side}_bytes`] += flow.delta_bytes ?? 0;
  of[`${side}_packets`] += flow.delta_packets ?? 0;
  totals[device] = of;
}

/** What the flows of one node carried over its devices. */
export function sumFlowTotals(flows: readonly SeenFlow[]): NodeTotals {
  const totals: NodeTotals = {};
  for (const { flow, from_device, to_device, leaves } of flows) {
    if (from_device !== undefined) add(totals, from_device, 'rx', flow);
    if (to_device !== undefined) add(totals, to_device, 'tx', flow);
    if (leaves) add(totals, UPLINK, 'tx', flow);
    else if (to_device !== undefined && from_device === undefined) add(totals, UPLINK, 'rx', flow);
  }
  return totals;
}

/** Both together. */
export function addTotals(before: NodeTotals, more: NodeTotals): NodeTotals {
  const sums: NodeTotals = { ...before };
  for (const [device, totals] of Object.entries(more)) {
    const known = sums[device] ?? createZeroTotals();
    sums[device] = {
      rx_bytes: known.rx_bytes + totals.rx_bytes,
      rx_packets: known.rx_packets + totals.rx_packets,
      tx_bytes: known.tx_bytes + totals.tx_bytes,
      tx_packets: known.tx_packets + totals.tx_packets,
    };
  }
  return sums;
}

const flawless = { rx_errors: 0, rx_dropped: 0, tx_errors: 0, tx_dropped: 0 };
const reverseTotals = ({ rx_bytes, rx_packets, tx_bytes, tx_packets }: DeviceTotals): DeviceTotals => ({
  rx_bytes: tx_bytes,
  rx_packets: tx_packets,
  tx_bytes: rx_bytes,
  tx_packets: rx_packets,
});
const halveTotals = (totals: DeviceTotals, round: (value: number) => number): DeviceTotals => ({
  rx_bytes: round(totals.rx_bytes / 2),
  rx_packets: round(totals.rx_packets / 2),
  tx_bytes: round(totals.tx_bytes / 2),
  tx_packets: round(totals.tx_packets / 2),
});

/** All interfaces of a node with their totals, as /proc/net/dev shows them. */
export function interfaceCounters(
  view: ClustersView,
  site: string,
  node: string,
  totals: NodeTotals,
): InterfaceCounters[] {
  const uplink = totals[UPLINK] ?? createZeroTotals();
  const counters: InterfaceCounters[] = [
    { name: 'eno1', kind: 'physical', ...halveTotals(uplink, Math.ceil), ...flawless },
    { name: 'eno2', kind: 'physical', ...halveTotals(uplink, Math.floor), ...flawless },
    { name: UPLINK, kind: 'bond', ...uplink, ...flawless },
    { name: 'vmbr0', kind: 'bridge', ...uplink, ...flawless },
  ];
  for (const { vmid, device, kind, firewalled } of view.cardsOf(site, node)) {
    const own = totals[device] ?? createZeroTotals();
    counters.push({ name: device, kind, vmid, nic: 0, ...own, ...flawless });
    if (!firewalled) continue;
    counters.push({ name: `fwpr${vmid}p0`, kind: 'fwpr', vmid, nic: 0, ...own, ...flawless });
    counters.push({ name: `fwln${vmid}i0`, kind: 'fwln', vmid, nic: 0, ...reverseTotals(own), ...flawless });
    counters.push({ name: `fwbr${vmid}i0`, kind: 'fwbr', vmid, nic: 0, ...own, ...flawless });
  }
  return counters;
}

/** What the guests' cards carried, seen from the guest: sent by an agent that has no flows. */
export function interfaceTraffic(
  view: ClustersView,
  at: { site: string; node: string; observed_at: string },
  moved: NodeTotals,
): InterfaceTraffic[] {
  return view.cardsOf(at.site, at.node).flatMap(({ vmid, device }) => {
    const own = moved[device];
    if (!own) return [];
    return {
      interface: device,
      vmid,
      nic: 0,
      ...reverseTotals(own),
      bytes: own.rx_bytes + own.tx_bytes,
      packets: own.rx_packets + own.tx_packets,
      observed_at: at.observed_at,
      collector: 'interface',
    };
  });
}
