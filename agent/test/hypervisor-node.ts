import { NetworkNamespaces, run } from './network-namespaces';

/** A guest's NIC as the hypervisor plugs it. */
export type GuestCard = { vmid: number; nic: number; kind: 'tap' | 'veth'; address: string; isFirewalled: boolean };

export type Guest = GuestCard & { namespace: string; interface: string };

/**
 * A node with bridge vmbr0 and guests, each guest a namespace with eth0. NICs look as on Proxmox VE: a firewalled one
 * is attached to its own bridge fwbr<vmid>i<n>, joined to vmbr0 by the pair fwln/fwpr. A veth replaces the tap device.
 */
export class HypervisorNode {
  readonly namespaces = new NetworkNamespaces();
  readonly name = this.namespaces.add('node');

  constructor() {
    this.ip('link add vmbr0 type bridge');
    this.ip('link set vmbr0 up');
    this.ip('addr add 10.0.0.1/24 dev vmbr0');
  }

  addGuest(card: GuestCard): Guest {
    const { vmid, nic, kind, address, isFirewalled } = card;
    const namespace = this.namespaces.add(`guest-${vmid}`);
    const port = `${kind}${vmid}i${nic}`;
    this.ip(`link add ${port} type veth peer name eth0 netns ${namespace}`);
    let bridge = 'vmbr0';
    if (isFirewalled) {
      bridge = `fwbr${vmid}i${nic}`;
      this.ip(`link add ${bridge} type bridge`);
      this.ip(`link add fwln${vmid}i${nic} type veth peer name fwpr${vmid}p${nic}`);
      this.ip(`link set fwln${vmid}i${nic} master ${bridge} up`);
      this.ip(`link set fwpr${vmid}p${nic} master vmbr0 up`);
      this.ip(`link set ${bridge} up`);
    }
    this.ip(`link set ${port} master ${bridge} up`);
    run(`ip -n ${namespace} link set eth0 up`);
    run(`ip -n ${namespace} addr add ${address}/24 dev eth0`);
    run(`ip -n ${namespace} route add default via 10.0.0.1`);
    return { ...card, namespace, interface: port };
  }

  /** Runs an ip(8) command inside the node. */
  ip(words: string): void {
    run(`ip -n ${this.name} ${words}`);
  }

  destroy(): void {
    this.namespaces.destroy();
  }
}
