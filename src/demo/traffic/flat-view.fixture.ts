import { SITES } from '../inventory/company';
import type { ClustersView, GuestCard, OpeningPacket, PacketVerdict } from './clusters-view';

/** Clusters in which everything runs where the demo puts it. `evaluatePacket` gives a packet's verdict; the default accepts. */
export function flatView(
  evaluatePacket: (packet: OpeningPacket) => PacketVerdict = () => ({ verdict: 'accept' }),
): ClustersView {
  const card = (site: string, vmid: number): GuestCard | undefined => {
    const guest = SITES.find(({ name }) => name === site)?.guests.find((item) => item.vmid === vmid);
    if (!guest) return undefined;
    const kind = guest.kind === 'vm' ? 'tap' : 'veth';
    const running = !guest.stopped && !guest.template;
    return { node: guest.node, device: `${kind}${vmid}i0`, kind, firewalled: guest.firewall !== undefined, running };
  };
  return {
    card,
    cardsOf: (site, node) =>
      (SITES.find(({ name }) => name === site)?.guests ?? []).flatMap(({ vmid }) => {
        const found = card(site, vmid);
        return found?.running && found.node === node ? [{ ...found, vmid }] : [];
      }),
    evaluatePacket,
    firewallStatus: () => ({
      implementation: 'iptables',
      service_running: true,
      cluster_enabled: true,
      rules_loaded: true,
      guest_chains: 3,
    }),
    hasChains: (site, vmid) => card(site, vmid)?.firewalled === true,
    rulesetHash: () => 'a'.repeat(64),
  };
}
