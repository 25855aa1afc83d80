import { type Cidr, cidrContains, cidrCovers, parseCidr } from '../net/cidr';
import { addressBits, type IpAddress } from '../net/ip-address';

const networks = (...texts: string[]): Cidr[] => texts.flatMap((text) => parseCidr(text) ?? []);

/** Unspecified, loopback, link-local, multicast and broadcast: not an address of a host in a network. */
const SPECIAL = networks(
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  '::ffff:0:0/96',
  'fe80::/10',
  'ff00::/8',
);
const PRIVATE = networks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7');
/** Widest public prefix accepted from a guest: a wider one would make much of the Internet internal. */
const WIDEST_PUBLIC = { 4: 16, 6: 48 } as const;

/** Whether a host can have this address in a network. */
export const isHostAddress = (ip: IpAddress): boolean => !SPECIAL.some((cidr) => cidrContains(cidr, ip));

/** Whether the address is of private space, which no host on the internet has. */
export const isPrivateAddress = (ip: IpAddress): boolean => PRIVATE.some((cidr) => cidrContains(cidr, ip));

/**
 * The network that a guest's address and prefix length describe. Without a length, or with one that no sensible
 * network has, it is the address alone: a guest's report must not make external prefixes look internal.
 */
export function toPlausibleNetwork(address: IpAddress, prefix: number | null): Cidr {
  const bits = addressBits(address.family);
  const alone = { address, prefix: bits };
  if (prefix === null || prefix < 1 || prefix > bits) return alone;
  const cidr = { address, prefix };
  if (PRIVATE.some((block) => cidrCovers(block, cidr))) return cidr;
  return prefix >= WIDEST_PUBLIC[address.family] ? cidr : alone;
}

/**
 * Names of interfaces that container engines and orchestrators make inside a guest: bridges, overlay networks and the
 * ends of their cables. What has an address there is no host of the network the guest is attached to.
 */
const CONTAINER_INTERFACES =
  /^(docker|br-[0-9a-f]{4,}|veth|cni|flannel|cali|cilium|lxc_|lxc[0-9a-f]{8,}|kube|nodelocaldns|podman|lxcbr|lxdbr|virbr|weave|vxlan\.calico|vxlan-v6\.calico|tunl0|antrea|ovn-k8s|k3s\d|hns\d|crio|nerdctl|buildah|hci_docker|datapath$)/i;

/** Loopback under the names that operating systems give it. */
const LOOPBACK = /^(lo\d*|loopback.*)$/i;

/** Whether an interface inside a guest belongs to containers, or is loopback. */
export const isContainerInterface = (name: string): boolean => CONTAINER_INTERFACES.test(name) || LOOPBACK.test(name);
