import { FORWARDING_WAIT_HOURS, IPFIX_BYTES, SYSLOG_BYTES } from '@/domain/choices';
import type { ForwardingDestination, ForwardingKind } from '@/domain/forwarding/destination';
import { toTenantId } from '../../shared/tenant-options';

/** The form of a destination, with the fields of all kinds. */
export type ForwardingValues = {
  name: string;
  kind: ForwardingKind;
  /** Null while there is nothing to choose. */
  tenant_id: string | null;
  streams: string[];
  host: string;
  port: number | null;
  transport: 'tls' | 'tcp';
  max_message_bytes: number | null;
  /** Empty: the stored one. */
  url: string;
  header_name: string;
  /** Empty: the stored one. */
  header_value: string;
  ca_certificates: string;
  max_wait_hours: number | null;
  enabled: boolean;
};

/** What is usual for a kind, until something else is entered. */
type Usual = { port: number; max_message_bytes: number };
const SYSLOG_USUAL: Usual = { port: 6514, max_message_bytes: SYSLOG_BYTES.default };
const USUAL: Record<ForwardingKind, Usual> = {
  syslog: SYSLOG_USUAL,
  json: SYSLOG_USUAL,
  http: SYSLOG_USUAL,
  ipfix: { port: 4739, max_message_bytes: IPFIX_BYTES.default },
};

/** The value of a field after the kind was changed: the usual one of the new kind, or what was entered. */
export const changeUsual = (
  field: keyof Usual,
  value: number | null,
  from: ForwardingKind,
  to: ForwardingKind,
): number | null => (value === USUAL[from][field] ? USUAL[to][field] : value);

export const EMPTY_DESTINATION: ForwardingValues = {
  name: '',
  kind: 'syslog',
  tenant_id: null,
  streams: ['audit', 'conversations'],
  host: '',
  ...SYSLOG_USUAL,
  transport: 'tls',
  url: '',
  header_name: 'Authorization',
  header_value: '',
  ca_certificates: '',
  max_wait_hours: FORWARDING_WAIT_HOURS.default,
  enabled: true,
};

/** URL and header value are not shown again: an empty field leaves them unchanged. */
export const toDestinationValues = (destination: ForwardingDestination): ForwardingValues => ({
  ...EMPTY_DESTINATION,
  name: destination.name,
  kind: destination.kind,
  streams: destination.streams,
  host: destination.host ?? '',
  port: destination.port,
  transport: destination.transport ?? 'tls',
  max_message_bytes: destination.max_message_bytes,
  header_name: destination.header_name ?? 'Authorization',
  ca_certificates: destination.ca_certificates ?? '',
  max_wait_hours: destination.max_wait_hours,
  enabled: destination.enabled,
});

function toFields(values: ForwardingValues): object {
  const { name, kind, streams, host, port, transport, max_message_bytes, url, header_name, header_value } = values;
  const { ca_certificates, max_wait_hours, enabled } = values;
  if (kind === 'ipfix') return { name, max_wait_hours, enabled, host, port, max_message_bytes };
  const common = { name, streams, max_wait_hours, enabled, ca_certificates: ca_certificates.trim() || null };
  if (kind === 'http') {
    return {
      ...{ ...common, header_name },
      ...(url.trim() !== '' && { url }),
      ...(header_value.trim() !== '' && { header_value }),
    };
  }
  return { ...common, host, port, transport, ...(kind === 'syslog' && { max_message_bytes }) };
}

/** What creates a destination. A missing URL is for the schema to refuse. */
export const toDestinationInput = (values: ForwardingValues): object => ({
  ...toFields(values),
  kind: values.kind,
  ...(values.kind === 'http' && { url: values.url }),
  ...toTenantId(values.tenant_id),
});

/** What changes a destination, with the version it was read at. */
export const toDestinationUpdate = (values: ForwardingValues, { version }: { version: number }): object => ({
  ...toFields(values),
  version,
});
