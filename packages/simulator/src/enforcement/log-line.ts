import type { GuestType } from '../schema/guest-nic';
import type { Packet, Verdict } from './packet';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MAX_BYTES = 508;

const timestamp = (date: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}`;
  return `${day}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
};

/** Hits inside a security group carry no verdict; only the device names identify the guest. */
function describeIptables(device: string, { vmid, nic, direction }: Packet, verdict: Verdict): string[] {
  const index = nic.slice(3);
  const bridge = `fwbr${vmid}i${index}`;
  const link = `fwln${vmid}i${index}`;
  const [physIn, physOut] = direction === 'in' ? [link, device] : [device, link];
  const end = direction.toUpperCase();
  const chain = verdict.group === undefined ? `${device}-${end}` : `GROUP-${verdict.group}-${end}`;
  const policy = verdict.by === 'policy' ? 'policy ' : '';
  const message = verdict.group === undefined ? `${policy}${verdict.verdict.toUpperCase()}: ` : '';
  return [chain, `${message}IN=${bridge} OUT=${bridge} PHYSIN=${physIn} PHYSOUT=${physOut}`];
}

/** Inbound chains of guests are behind the bridge's decision, where the kernel has no input device; outbound ones are before it. */
function describeNftables(device: string, { vmid, direction }: Packet, verdict: Verdict, bridge: string): string[] {
  const devices = direction === 'in' ? `OUT=${bridge} PHYSOUT=${device}` : `IN=${bridge} PHYSIN=${device}`;
  const chain = `${verdict.group === undefined ? `guest-${vmid}` : `group-${verdict.group}`}-${direction}`;
  return [chain, `${verdict.verdict.toUpperCase()}: ${devices}`];
}

/**
 * A line of the firewall log. Hits inside a security group carry no guest id.
 * @param bridge that of the NIC with the nftables firewall; undefined with iptables
 */
export function firewallLogLine(
  packet: Packet,
  verdict: Verdict,
  level: number,
  type: GuestType,
  date: Date,
  bridge?: string,
): string {
  const { vmid } = packet;
  const device = `${type === 'qemu' ? 'tap' : 'veth'}${vmid}i${packet.nic.slice(3)}`;
  const [chain, text] =
    bridge === undefined
      ? describeIptables(device, packet, verdict)
      : describeNftables(device, packet, verdict, bridge);
  const ports = packet.dport === undefined ? '' : `SPT=${packet.sport ?? 0} DPT=${packet.dport} `;
  const body = `SRC=${packet.source} DST=${packet.dest} LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=0 DF PROTO=${packet.proto.toUpperCase()} ${ports}`;
  const line = `${verdict.group === undefined ? vmid : 0} ${level} ${chain} ${timestamp(date)} ${text} ${body}`;
  return line.slice(0, MAX_BYTES);
}
