import { createHash } from 'node:crypto';
import { type ForwardedRecord, formatJson, formatSyslog, formatWithin, frameSyslog } from '@/domain/forwarding/record';
import { env } from '../lib/env';
import { sendStream } from '../providers/forwarding/send-stream';
import { createAddressGuard } from '../providers/net/address-guard';
import { postGuarded } from '../providers/net/guarded-post';
import { openHttp } from './destination-secrets';
import type { DestinationRow } from './queries/forwarding-destinations';

/** Of one connection or request. */
export const MAX_BATCH_BYTES = 1_000_000;

export type Payload = {
  bytes: Buffer;
  /** How many of the records it holds: the first ones. */
  records: number;
  shortened: number;
};

function formatRecord(
  { kind, max_message_bytes }: DestinationRow,
  record: ForwardedRecord,
  max: number,
): { text: string; shortened: boolean } {
  if (kind === 'http') {
    const { line, shortened } = formatWithin(record, max - 1);
    return { text: `${line}\n`, shortened };
  }
  if (kind !== 'syslog' || max_message_bytes === null) return { text: `${formatJson(record)}\n`, shortened: false };
  const { message, shortened } = formatSyslog(record, max_message_bytes);
  return { text: frameSyslog(message), shortened };
}

/** The first records as bytes, at least one of them. In an HTTP request none is larger than `max`, unless it is as short as it gets. */
export function buildPayload(row: DestinationRow, records: readonly ForwardedRecord[], max = MAX_BATCH_BYTES): Payload {
  const texts: string[] = [];
  let size = 0;
  let shortened = 0;
  for (const record of records) {
    const formatted = formatRecord(row, record, max);
    if (texts.length > 0 && size + formatted.text.length > max) break;
    texts.push(formatted.text);
    size += formatted.text.length;
    if (formatted.shortened) shortened += 1;
  }
  return { bytes: Buffer.from(texts.join(''), 'latin1'), records: texts.length, shortened };
}

/**
 * Sends a payload to a destination.
 * @throws DeliveryError when the receiver did not take all of it; the reason of `signal` when it aborts
 */
export async function sendPayload(row: DestinationRow, bytes: Buffer, signal?: AbortSignal): Promise<void> {
  const guard = createAddressGuard(env().FABRIC_ALLOW_PRIVATE_TARGETS);
  const given = { guard, ca: row.ca_certificates, ...(signal && { signal }) };
  const { host, port, transport } = row;
  if (host !== null && port !== null && transport !== null)
    return sendStream({ host, port, transport, ...given }, bytes);
  const { url, header_value } = openHttp(row);
  await postGuarded({
    ...given,
    url: new URL(url),
    body: bytes,
    headers: {
      'content-type': 'application/x-ndjson',
      'user-agent': 'Fabric-Forwarding/1',
      // The same for the same records, so that a receiver recognizes what it got twice.
      'fabric-batch': createHash('sha256').update(bytes).digest('hex').slice(0, 32),
      ...(row.header_name !== null && header_value !== null && { [row.header_name]: header_value }),
    },
  });
}
