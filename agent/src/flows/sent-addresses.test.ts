import { sentAddressesSchema } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import { expect, it } from 'vitest';
import { buildCaptureSnapshot, type CapturedRow } from '../../test/capture-snapshot';
import { listSentAddresses } from './sent-addresses';

const row = (source: string, more: Partial<CapturedRow> = {}): CapturedRow => ({
  ...{ source, destination: '10.0.0.200', protocol: 6, sourcePort: 1, destinationPort: 2 },
  ...{ ifindex: 1, packets: 3, bytes: 300, ...more },
});

it('lists the addresses from which each interface sent packets, and not those of packets to it', () => {
  const rows = [
    row('10.0.0.1'),
    row('10.0.0.1', { destination: '10.0.0.9' }),
    row('10.0.0.77', { isFromGuest: false }),
    row('2001:db8::5', { ifindex: 2 }),
    row('10.0.0.3', { ifindex: 2, vlan: 40 }),
    ...['0.0.0.0', '127.0.0.1', '169.254.1.1', 'fe80::1'].map((source) => row(source)),
  ];
  const sent = listSentAddresses(buildCaptureSnapshot(rows));
  expect(sentAddressesSchema.parse(sent)).toEqual({
    version: 1,
    addresses: [
      { interface: 'tap101i0', vmid: 101, nic: 0, address: '10.0.0.1' },
      { interface: 'tap102i0', vmid: 102, nic: 0, address: '10.0.0.3', vlan: 40 },
      { interface: 'tap102i0', vmid: 102, nic: 0, address: '2001:db8::5' },
    ],
    left_out: 0,
  });
});

it('keeps the addresses with the most packets of an interface with very many, and counts the others', () => {
  const many = Array.from({ length: 100 }, (_, i) => row(`10.0.1.${i}`, { packets: 1 }));
  const sent = listSentAddresses(buildCaptureSnapshot([...many, row('10.0.0.1', { packets: 9 })]));
  expect(sent.addresses).toHaveLength(AGENT_LIMITS.sent_addresses_of_interface);
  expect(sent.addresses[0]?.address).toBe('10.0.0.1');
  expect(sent.left_out).toBe(101 - AGENT_LIMITS.sent_addresses_of_interface);
});

it('lists nothing that was sent before the interval', () => {
  const snapshot = buildCaptureSnapshot([row('10.0.0.1')]);
  snapshot.table.startInterval();
  expect(listSentAddresses(snapshot).addresses).toEqual([]);
});
