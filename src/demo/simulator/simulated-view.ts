import { createHash } from 'node:crypto';
import type { FirewallStatus } from '@fabric/agent-contract';
import type { ClusterControl } from '@fabric/simulator/control/cluster-control';
import type { Simulator } from '@fabric/simulator/http-server';
import { parseNic } from '@fabric/simulator/schema/guest-nic';
import type { Guest } from '@fabric/simulator/state/guest';
import type { ClustersView, GuestCard, OpeningPacket, PacketVerdict } from '../traffic/clusters-view';

const CARD = 'net0';

function toGuestCard(guest: Guest): GuestCard {
  const kind = guest.type === 'qemu' ? 'tap' : 'veth';
  const nic = parseNic(guest.type, guest.config.current.get(CARD) ?? '');
  const firewalled = nic?.firewall === '1';
  return { node: guest.node, device: `${kind}${guest.vmid}i0`, kind, firewalled, running: guest.isRunning };
}

/** The demo's agents see what the simulated clusters do: where guests run, and what the packet filters let through. */
export function simulatedView(simulator: Simulator): ClustersView {
  const cluster = (site: string): ClusterControl => simulator.cluster(site);
  const chains = (site: string, node: string) =>
    cluster(site)
      .state.guestsOn(node)
      .filter(({ vmid, isRunning }) => isRunning && cluster(site).enforcement.view(vmid).guest_enabled).length;
  return {
    card(site, vmid) {
      const guest = cluster(site).state.guests.get(vmid);
      return guest && toGuestCard(guest);
    },
    cardsOf: (site, node) =>
      cluster(site)
        .state.guestsOn(node)
        .filter((guest) => guest.isRunning)
        .map((guest) => ({ ...toGuestCard(guest), vmid: guest.vmid })),
    evaluatePacket(packet: OpeningPacket, at: Date): PacketVerdict {
      const { verdict, line } = cluster(packet.site).enforcement.evaluatePacket(
        {
          vmid: packet.vmid,
          nic: CARD,
          direction: packet.direction,
          proto: packet.protocol,
          source: packet.source,
          dest: packet.destination,
          ...(packet.source_port !== null && { sport: packet.source_port }),
          ...(packet.destination_port !== null && { dport: packet.destination_port }),
          ...(packet.protocol === 'icmp' && { icmpType: 'echo-request' }),
        },
        at,
      );
      return { verdict: verdict.verdict, ...(line !== undefined && { line }) };
    },
    firewallStatus(site, node): FirewallStatus {
      const [first] = cluster(site).state.guestsOn(node);
      const on = first ? cluster(site).enforcement.view(first.vmid).cluster_enabled : null;
      return {
        implementation: 'iptables',
        service_running: true,
        cluster_enabled: on,
        rules_loaded: on,
        guest_chains: chains(site, node),
      };
    },
    hasChains(site, vmid) {
      const guest = cluster(site).state.guests.get(vmid);
      const { cluster_enabled, guest_enabled } = cluster(site).enforcement.view(vmid);
      return guest !== undefined && toGuestCard(guest).firewalled && cluster_enabled && guest_enabled;
    },
    rulesetHash(site, node) {
      const { files } = cluster(site).state;
      const hash = createHash('sha256').update(files.get('firewall/cluster.fw') ?? '');
      for (const guest of cluster(site).state.guestsOn(node)) {
        hash.update(
          `\0${guest.vmid}\0${toGuestCard(guest).firewalled}\0${files.get(`firewall/${guest.vmid}.fw`) ?? ''}`,
        );
      }
      return hash.digest('hex');
    },
  };
}
