import type { ByteReader } from './byte-reader';
import { hasPorts, isIcmp } from './observation';

/** What the head of a sampled packet says. */
export type PacketHeader = {
  source_ip: string;
  destination_ip: string;
  /** IP protocol number. */
  protocol: number;
  /** Null for protocols without ports, for later fragments, and where the sample ends before them. */
  source_port: number | null;
  destination_port: number | null;
  icmp_type: number | null;
  icmp_code: number | null;
  vlan: number | null;
  /** IP bytes. */
  bytes: number;
};

const IPV4 = 0x0800;
const IPV6 = 0x86dd;
const VLAN_TAGS = [0x8100, 0x88a8];
/** More tags, and more headers before that of the protocol, are not followed. */
const MOST_TAGS = 3;
const MOST_EXTENSIONS = 8;
const FRAGMENT = 44;
const AUTHENTICATION = 51;
/** Extension headers whose second byte is their length in eights of bytes, without the first. */
const EXTENSIONS = [0, 43, 60, 135];

type Transport = Pick<PacketHeader, 'source_port' | 'destination_port' | 'icmp_type' | 'icmp_code'>;
const NO_TRANSPORT: Transport = { source_port: null, destination_port: null, icmp_type: null, icmp_code: null };

function readTransport(reader: ByteReader, protocol: number): Transport {
  if (hasPorts(protocol) && reader.left >= 4) {
    return { ...NO_TRANSPORT, source_port: reader.u16(), destination_port: reader.u16() };
  }
  if (isIcmp(protocol) && reader.left >= 2) return { ...NO_TRANSPORT, icmp_type: reader.u8(), icmp_code: reader.u8() };
  return NO_TRANSPORT;
}

type Ip = Omit<PacketHeader, 'vlan'>;

/** @param size the bytes of the packet on the wire: its own length is zero where an interface splits it later */
function readIpv4(reader: ByteReader, size: number): Ip | null {
  const first = reader.u8();
  const length = (first & 15) * 4;
  reader.skip(1);
  const total = reader.u16();
  reader.skip(2);
  const offset = reader.u16() & 0x1fff;
  reader.skip(1);
  const protocol = reader.u8();
  reader.skip(2);
  const [source_ip, destination_ip] = [reader.address(4), reader.address(4)];
  if (first >> 4 !== 4 || length < 20 || source_ip === null || destination_ip === null) return null;
  if (total !== 0 && total < length) return null;
  if (reader.left >= length - 20) reader.skip(length - 20);
  const transport = offset === 0 ? readTransport(reader, protocol) : NO_TRANSPORT;
  return { source_ip, destination_ip, protocol, ...transport, bytes: total || size };
}

function readIpv6(reader: ByteReader, size: number): Ip | null {
  const first = reader.u32();
  const payload = reader.u16();
  let protocol = reader.u8();
  reader.skip(1);
  const [source_ip, destination_ip] = [reader.address(16), reader.address(16)];
  if (first >>> 28 !== 6 || source_ip === null || destination_ip === null) return null;
  const ip = { source_ip, destination_ip, bytes: payload === 0 ? size : payload + 40 };
  for (let extensions = 0; extensions < MOST_EXTENSIONS; extensions += 1) {
    if (protocol === FRAGMENT && reader.left >= 8) {
      protocol = reader.u8();
      reader.skip(1);
      const offset = reader.u16() >> 3;
      reader.skip(4);
      if (offset !== 0) return { ...ip, protocol, ...NO_TRANSPORT };
    } else if ((EXTENSIONS.includes(protocol) || protocol === AUTHENTICATION) && reader.left >= 8) {
      const next = reader.u8();
      const units = reader.u8();
      const length = protocol === AUTHENTICATION ? (units + 2) * 4 : (units + 1) * 8;
      if (length < 8 || length - 2 > reader.left) return { ...ip, protocol: next, ...NO_TRANSPORT };
      reader.skip(length - 2);
      protocol = next;
    } else break;
  }
  return { ...ip, protocol, ...readTransport(reader, protocol) };
}

/** Reads an IP packet. @param size its bytes on the wire @returns null for anything else, or when its head is cut off */
export function readIpPacket(reader: ByteReader, version: 4 | 6, size: number): PacketHeader | null {
  const ip = version === 4 ? readIpv4(reader, size) : readIpv6(reader, size);
  return ip && { ...ip, vlan: null };
}

/** Reads the IP packet in an Ethernet frame. @param size bytes of the frame, without its checksum @returns as `readIpPacket` */
export function readEthernet(reader: ByteReader, size: number): PacketHeader | null {
  reader.skip(12);
  let type = reader.u16();
  let vlan: number | null = null;
  let head = 14;
  for (let tags = 0; tags < MOST_TAGS && VLAN_TAGS.includes(type); tags += 1) {
    // The outermost one is that of the port.
    const tag = reader.u16() & 0x0fff;
    vlan ??= tag || null;
    type = reader.u16();
    head += 4;
  }
  if (reader.isShort || (type !== IPV4 && type !== IPV6)) return null;
  const packet = readIpPacket(reader, type === IPV4 ? 4 : 6, Math.max(0, size - head));
  return packet && { ...packet, vlan };
}
