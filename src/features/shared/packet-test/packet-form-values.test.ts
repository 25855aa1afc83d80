import { expect, test } from 'vitest';
import { PacketTest } from '@/domain/guest-firewall';
import { EMPTY_PACKET, packetFromQuery, toPacket } from './packet-form-values';

const packet = { ...EMPTY_PACKET, source_ip: '10.0.0.1', destination_ip: '10.0.0.2' };

test('unknown fields, and fields that the protocol lacks, are not sent', () => {
  expect(toPacket(packet)).toEqual({
    direction: 'in',
    source_ip: '10.0.0.1',
    destination_ip: '10.0.0.2',
    protocol: 'tcp',
    state: 'new',
  });
  const ping = { ...packet, protocol: 'icmp' as const, destination_port: '22', icmp_type: 8, interface: 'net0' };
  expect(toPacket(ping)).toMatchObject({ icmp_type: 8, interface: 'net0' });
  expect(toPacket(ping)).not.toHaveProperty('destination_port');
});

test('the sent packet passes the schema; addresses of two families do not', () => {
  expect(PacketTest.safeParse(toPacket({ ...packet, destination_port: ' 443 ' })).success).toBe(true);
  const mixed = PacketTest.safeParse(toPacket({ ...packet, destination_ip: 'fd00::1' }));
  expect(mixed.error?.issues[0]?.path).toEqual(['destination_ip']);
});

test('a link fills the form in; what it lacks or mangles stays empty', () => {
  const query = (text: string) => packetFromQuery(new URLSearchParams(text));
  expect(
    query('packet=in&packet_source=10.0.0.1&packet_destination=10.0.0.2&packet_protocol=udp&packet_port=53'),
  ).toEqual({
    packet: { ...packet, protocol: 'udp', destination_port: '53' },
    filled: true,
  });
  expect(query('packet=out&packet_port=x&packet_protocol=gre')).toEqual({
    packet: { ...EMPTY_PACKET, direction: 'out' },
    filled: true,
  });
  expect(query('tab=firewall')).toEqual({ packet: EMPTY_PACKET, filled: false });
});

test.each(['ssh', '65536', '80, 443', '1.5', '-1', '8000-8010'])('refuses %j as a port, at its field', (text) => {
  const { error } = PacketTest.safeParse(toPacket({ ...packet, destination_port: text }));
  expect(error?.issues.map(({ path, message }) => [path.join(), message])).toEqual([
    ['destination_port', 'One port from 0 to 65535.'],
  ]);
});
