import { describe, expect, it } from 'vitest';
import { formatCidr, toNetwork } from '../net/cidr';
import { type IpAddress, parseIp } from '../net/ip-address';
import { isContainerInterface, isHostAddress, toPlausibleNetwork } from './host-address';

const ip = (text: string) => parseIp(text) as IpAddress;

it.each(['10.0.0.1', '192.0.2.1', '8.8.8.8', 'fd00::1', '2001:db8::1', '172.17.0.1'])('%s is that of a host', (text) =>
  expect(isHostAddress(ip(text))).toBe(true),
);
it.each([
  '127.0.0.1',
  '::1',
  '::',
  '0.0.0.0',
  '169.254.1.1',
  'fe80::1',
  'ff02::1',
  '224.0.0.1',
  '255.255.255.255',
  '::ffff:10.0.0.1',
])('%s is not a host address', (text) => expect(isHostAddress(ip(text))).toBe(false));

describe('what a guest reports about its network', () => {
  it.each([
    ['10.1.2.3', 8, '10.0.0.0/8'],
    ['10.1.2.3', 24, '10.1.2.0/24'],
    ['10.1.2.3', 7, '10.1.2.3/32'],
    ['10.1.2.3', 0, '10.1.2.3/32'],
    ['10.1.2.3', null, '10.1.2.3/32'],
    ['8.8.8.8', 24, '8.8.8.0/24'],
    ['8.8.8.8', 8, '8.8.8.8/32'],
    ['8.8.8.8', 0, '8.8.8.8/32'],
    ['2001:db8::1', 64, '2001:db8::/64'],
    ['2001:db8::1', 3, '2001:db8::1/128'],
    ['fd00::1', 8, 'fd00::/8'],
  ])('%s/%s makes %s', (text, prefix, network) =>
    expect(formatCidr(toNetwork(toPlausibleNetwork(ip(text), prefix)))).toBe(network),
  );
});

it.each([
  'docker0',
  'docker_gwbridge',
  'br-4f1c2a9b7d3e',
  'veth1a2b3c4',
  'cni0',
  'flannel.1',
  'cali12ab',
  'cilium_host',
  'kube-ipvs0',
  'podman0',
  'lxcbr0',
  'virbr0',
  'weave',
  'vxlan.calico',
  'k3s0',
  'hns0',
  'kube-bridge',
  'lo',
  'Loopback Pseudo-Interface 1',
])('%s belongs to containers, or is loopback', (name) => expect(isContainerInterface(name)).toBe(true));
it.each(['eth0', 'ens18', 'br0', 'br-lan', 'bond0', 'Ethernet', 'vmbr0', 'local-net', 'eth0.10', 'k3s-uplink', 'hns'])(
  '%s does not',
  (name) => expect(isContainerInterface(name)).toBe(false),
);
