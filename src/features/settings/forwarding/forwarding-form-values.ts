import { FORWARDING_WAIT_HOURS, SYSLOG_BYTES } from '@/domain/choices';
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

export const EMPTY_DESTINATION: ForwardingValues = {
  name: '',
  kind: 'syslog',
  tenant_id: null,
  streams: ['audit', 'conversations'],
  host: '',
  port: 6514,
  transport: 'tls',
  max_message_bytes: SYSLOG_BYTES.default,
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
