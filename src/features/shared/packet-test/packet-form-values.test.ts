import { expect, test } from 'vitest';
import { PacketTest } from '@/domain/guest-firewall';
import { EMPTY_PACKET, toPacket } from './packet-form-values';

const packet = { ...EMPTY_PACKET, source_ip: '10.0.0.1', destination_ip: '10.0.0.2' };

test('what is not known is not sent, and what the protocol lacks neither', () => {
  expect(toPacket(packet)).toEqual({
    direction: 'in',
    source_ip: '10.0.0.1',
    destination_ip: '10.0.0.2',
    protocol: 'tcp',
    state: 'new',
  });
  const ping = { ...packet, protocol: 'icmp' as const, destination_port: 22, icmp_type: 8, interface: 'net0' };
  expect(toPacket(ping)).toMatchObject({ icmp_type: 8, interface: 'net0' });
  expect(toPacket(ping)).not.toHaveProperty('destination_port');
});

test('it is what the service takes; addresses of two families are refused', () => {
  expect(PacketTest.safeParse(toPacket({ ...packet, destination_port: 443 })).success).toBe(true);
  const mixed = PacketTest.safeParse(toPacket({ ...packet, destination_ip: 'fd00::1' }));
  expect(mixed.error?.issues[0]?.path).toEqual(['destination_ip']);
});
