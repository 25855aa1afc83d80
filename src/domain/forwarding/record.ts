import type { AuditRecord } from '../audit';
import { findServiceName } from '../firewall/data/services';

/** A conversation as it is stored, for its receiver. */
export type ForwardedConversation = {
  id: string;
  /** Grows with each change: of two records with one id, the one with the higher revision replaces the other. */
  revision: number;
  cluster_id: string;
  cluster_name: string | null;
  protocol: string;
  service_port: number | null;
  client: ForwardedEnd;
  server: ForwardedEnd;
  icmp_type: number | null;
  icmp_code: number | null;
  action: string;
  decision: string;
  bytes: number | null;
  packets: number | null;
  client_bytes: number | null;
  client_packets: number | null;
  server_bytes: number | null;
  server_packets: number | null;
  first_seen_at: string;
  last_seen_at: string;
  duration_ms: number;
  nodes: readonly { id: string; name: string | null }[];
};
export type ForwardedEnd = {
  ip: string;
  port: number | null;
  workload_id: string | null;
  workload_name: string | null;
  cidr: string | null;
};

/** What is sent: one flat object. `type`, `id`, `time` and `host` are the first fields of every record. */
export type ForwardedRecord = {
  type: 'audit' | 'conversation' | 'test';
  id: string;
  time: string;
  host: string;
  [field: string]: unknown;
};

/** @param host names the installation */
export function toAuditEvent(host: string, { id, at, ...record }: AuditRecord): ForwardedRecord {
  return { type: 'audit', id, time: at, host, ...record };
}

const formatEnd = (who: string, { ip, port, workload_id, workload_name, cidr }: ForwardedEnd) => ({
  [`${who}_ip`]: ip,
  [`${who}_port`]: port,
  [`${who}_workload_id`]: workload_id,
  [`${who}_workload`]: workload_name,
  [`${who}_subnet`]: cidr,
});

/** @param host names the installation */
export function toConversationEvent(host: string, given: ForwardedConversation): ForwardedRecord {
  const { id, revision, last_seen_at, first_seen_at, duration_ms, action, decision, protocol, service_port } = given;
  const { cluster_id, cluster_name, icmp_type, icmp_code, bytes, packets } = given;
  const { client_bytes, client_packets, server_bytes, server_packets } = given;
  return {
    ...{ type: 'conversation', id, time: last_seen_at, host, revision, action },
    reason: decision !== 'observed' ? 'logged' : action === 'allowed' ? 'replied' : 'not_known',
    ...{ protocol, service_port },
    service: service_port === null ? null : findServiceName(protocol, service_port),
    ...formatEnd('client', given.client),
    ...formatEnd('server', given.server),
    ...{ bytes, packets, client_bytes, client_packets, server_bytes, server_packets, icmp_type, icmp_code },
    ...{ first_seen_at, last_seen_at, duration_ms, cluster_id, cluster: cluster_name },
    nodes: given.nodes.map(({ id: nodeId, name }) => name ?? nodeId),
  };
}

/** A record that shows that a receiver is reached. */
export const createTestEvent = (host: string, id: string, time: string, sender: string): ForwardedRecord => ({
  ...{ type: 'test', id, time, host },
  message: `${sender} sent this record to test the destination. No action is needed.`,
});

/** One line of ASCII: characters beyond it are escaped, so that no receiver has to know the encoding. */
export const formatJson = (record: ForwardedRecord): string =>
  JSON.stringify(record).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const KEPT = ['type', 'id', 'time', 'host', 'seq', 'revision'];

/**
 * The record as one line of at most `max` bytes: what is larger loses its longest fields, and names them in `omitted`.
 * @returns the line, and whether it was shortened
 */
export function formatWithin(record: ForwardedRecord, max: number): { line: string; shortened: boolean } {
  const line = formatJson(record);
  if (line.length <= max) return { line, shortened: false };
  const fields = Object.keys(record)
    .filter((name) => !KEPT.includes(name))
    .map((name) => ({ name, size: JSON.stringify(record[name] ?? null).length }))
    .sort((a, b) => b.size - a.size);
  const omitted: string[] = [];
  for (const { name } of fields) {
    omitted.push(name);
    const rest = Object.fromEntries(Object.entries(record).filter(([field]) => !omitted.includes(field)));
    const shorter = formatJson({ ...(rest as ForwardedRecord), omitted });
    if (shorter.length <= max) return { line: shorter, shortened: true };
  }
  const bare = Object.fromEntries(Object.entries(record).filter(([field]) => KEPT.includes(field)));
  return { line: formatJson({ ...(bare as ForwardedRecord), omitted: ['all'] }), shortened: true };
}

/** Facility and severity of each type (RFC 5424, 6.2.1): log audit (13) or local0 (16); notice (5) or informational (6). */
const PRIORITIES = { audit: 13 * 8 + 5, conversation: 16 * 8 + 6, test: 16 * 8 + 6 } as const;

/** A part of the header: printable ASCII without spaces, `-` for none. */
const formatName = (text: string, max: number): string => text.replace(/[^\x21-\x7e]/g, '').slice(0, max) || '-';

/** A syslog message by RFC 5424. Its text is the record as JSON. */
export function formatSyslog(record: ForwardedRecord, maxBytes: number): { message: string; shortened: boolean } {
  const host = formatName(record.host, 255);
  const header = `<${PRIORITIES[record.type]}>1 ${record.time} ${host} fabric - ${record.type} - `;
  const { line, shortened } = formatWithin(record, maxBytes - header.length);
  return { message: header + line, shortened };
}

/** Frames a message by its length (RFC 6587, 3.4.1; RFC 5425, 4.3). It is ASCII, so characters are bytes. */
export const frameSyslog = (message: string): string => `${message.length} ${message}`;
