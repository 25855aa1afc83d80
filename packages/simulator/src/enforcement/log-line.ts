import type { GuestType } from '../schema/guest-nic';
import type { Packet, Verdict } from './packet';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MAX_BYTES = 508;

const timestamp = (date: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}`;
  return `${day}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
};

/**
 * A line of the firewall log in the iptables form. Hits inside a security group carry no guest id and no verdict; only
 * the device names identify the guest.
 */
export function firewallLogLine(packet: Packet, verdict: Verdict, level: number, type: GuestType, date: Date): string {
  const { vmid } = packet;
  const index = packet.nic.slice(3);
  const device = `${type === 'qemu' ? 'tap' : 'veth'}${vmid}i${index}`;
  const bridge = `fwbr${vmid}i${index}`;
  const link = `fwln${vmid}i${index}`;
  const [physIn, physOut] = packet.direction === 'in' ? [link, device] : [device, link];
  const chainEnd = packet.direction.toUpperCase();
  const chain = verdict.group === undefined ? `${device}-${chainEnd}` : `GROUP-${verdict.group}-${chainEnd}`;
  const policy = verdict.by === 'policy' ? 'policy ' : '';
  const message = verdict.group === undefined ? `${policy}${verdict.verdict.toUpperCase()}: ` : '';
  const ports = packet.dport === undefined ? '' : `SPT=${packet.sport ?? 0} DPT=${packet.dport} `;
  const devices = `IN=${bridge} OUT=${bridge} PHYSIN=${physIn} PHYSOUT=${physOut}`;
  const body = `SRC=${packet.source} DST=${packet.dest} LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=0 DF PROTO=${packet.proto.toUpperCase()} ${ports}`;
  const line = `${verdict.group === undefined ? vmid : 0} ${level} ${chain} ${timestamp(date)} ${message}${devices} ${body}`;
  return line.slice(0, MAX_BYTES);
}
