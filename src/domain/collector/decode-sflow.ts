import { ByteReader } from './byte-reader';
import { type DecodedDatagram, hasPorts, type Observation } from './observation';
import { type PacketHeader, readEthernet, readIpPacket } from './packet-header';

const VERSION = 5;
/** Samples of packets; those with 32-bit interface numbers are "expanded". All others are counters of interfaces. */
const FLOW_SAMPLE = 1;
const EXPANDED_FLOW_SAMPLE = 3;
/** What a sample says about its packet. */
const RAW_HEADER = 1;
const SAMPLED_IPV4 = 3;
const SAMPLED_IPV6 = 4;
const EXTENDED_SWITCH = 1001;
/** Protocols of a raw header. */
const ETHERNET = 1;
const HEADER_IPV4 = 11;
const HEADER_IPV6 = 12;
const MOST_VLAN = 4094;

/** Opaque data is padded to four bytes; the last one of a datagram may lack them. */
const padded = (length: number) => Math.ceil(length / 4) * 4;

/** The next part with its kind; null when it does not fit. Parts of vendors have a kind of their own. */
function takePart(reader: ByteReader): { kind: number; content: ByteReader } | null {
  const kind = reader.u32();
  const length = reader.u32();
  if (reader.isShort || length > reader.left) return null;
  const content = reader.take(length);
  reader.skip(Math.min(padded(length) - length, reader.left));
  return { kind, content };
}

function readRawHeader(reader: ByteReader): PacketHeader | null {
  const protocol = reader.u32();
  const frame = reader.u32();
  const stripped = reader.u32();
  const length = reader.u32();
  if (reader.isShort) return null;
  const header = reader.take(Math.min(length, reader.left));
  // The checksum of a frame, and tags that were taken off before, are counted in it.
  const size = Math.max(0, frame - stripped);
  if (protocol === ETHERNET) return readEthernet(header, size);
  if (protocol === HEADER_IPV4) return readIpPacket(header, 4, size);
  return protocol === HEADER_IPV6 ? readIpPacket(header, 6, size) : null;
}

/** A packet of which the agent itself has read the header. */
function readSampledIp(reader: ByteReader, addressBytes: 4 | 16): PacketHeader | null {
  const bytes = reader.u32();
  const protocol = reader.u32();
  const [source_ip, destination_ip] = [reader.address(addressBytes), reader.address(addressBytes)];
  const ports = [reader.u32(), reader.u32()];
  if (reader.isShort || source_ip === null || destination_ip === null || protocol > 255) return null;
  const [source_port = null, destination_port = null] = hasPorts(protocol) ? ports.map((port) => port & 0xffff) : [];
  return {
    ...{ source_ip, destination_ip, protocol, source_port, destination_port, bytes },
    ...{ icmp_type: null, icmp_code: null, vlan: null },
  };
}

/** What a sample says about its packet: null for another packet than one of IP. `isWhole`: all announced parts are there. */
function readPacket(reader: ByteReader, parts: number): { packet: PacketHeader | null; isWhole: boolean } {
  let packet: PacketHeader | null = null;
  let vlan: number | null = null;
  for (let i = 0; i < parts; i += 1) {
    const part = takePart(reader);
    if (!part) return { packet: null, isWhole: false };
    const { kind, content } = part;
    // The header itself says more than what was made of it.
    if (kind === RAW_HEADER) packet = readRawHeader(content) ?? packet;
    else if (kind === SAMPLED_IPV4) packet ??= readSampledIp(content, 4);
    else if (kind === SAMPLED_IPV6) packet ??= readSampledIp(content, 16);
    else if (kind === EXTENDED_SWITCH) vlan = content.u32();
  }
  const known = vlan !== null && vlan > 0 && vlan <= MOST_VLAN ? vlan : null;
  return { packet: packet && { ...packet, vlan: packet.vlan ?? known }, isWhole: true };
}

/** One sample. @returns whether it could be read */
function readSample(reader: ByteReader, isExpanded: boolean, result: DecodedDatagram): boolean {
  // Number of the sample, and the interface that it was taken at.
  reader.skip(isExpanded ? 12 : 8);
  const rate = reader.u32();
  // Packets that could have been sampled, samples that were dropped, and both interfaces.
  reader.skip(isExpanded ? 24 : 16);
  const parts = reader.u32();
  if (reader.isShort || parts * 8 > reader.left) return false;
  const { packet, isWhole } = readPacket(reader, parts);
  if (!isWhole) return false;
  if (!packet) {
    result.skipped += 1;
    return true;
  }
  const observation: Observation = {
    ...packet,
    packets: 1,
    ...{ first_ms: null, last_ms: null, initiator: null },
    // Without a rate nothing can be estimated from it.
    sampling: rate === 0 ? null : rate,
  };
  result.observations.push(observation);
  return true;
}

/**
 * Decodes a datagram of sFlow 5 (sflow.org): samples of single packets, each an observation of one packet. Counters of interfaces are
 * left out. Never throws.
 * @returns null for anything else
 */
export function decodeSflow(bytes: Uint8Array): DecodedDatagram | null {
  const reader = new ByteReader(bytes);
  if (reader.u32() !== VERSION) return null;
  const family = reader.u32();
  if (family !== 1 && family !== 2) return null;
  const agent = reader.address(family === 1 ? 4 : 16);
  const subAgent = reader.u32();
  const sequence = reader.u32();
  // Up time.
  reader.skip(4);
  const samples = reader.u32();
  if (reader.isShort || agent === null) return null;
  const result: DecodedDatagram = {
    ...{ protocol: 'sflow', stream: `sflow ${agent} ${subAgent}`, sequence, advance: 1 },
    ...{ observations: [], unknown_templates: 0, skipped: 0, is_malformed: false },
  };
  for (let i = 0; i < samples; i += 1) {
    const part = takePart(reader);
    const isFlow = part?.kind === FLOW_SAMPLE || part?.kind === EXPANDED_FLOW_SAMPLE;
    if (part && (!isFlow || readSample(part.content, part.kind === EXPANDED_FLOW_SAMPLE, result))) continue;
    result.is_malformed = true;
    return result;
  }
  return result;
}
