import { parseEndFilter } from '@/domain/flow/flow-end';
import { formatTypedPorts, parseTypedPorts } from '@/domain/net/port-range';
import { msg } from '@/lib/i18n/translator';
import { plainChoice, type Typed, typed } from '../list/filters';

const address: Typed = (t) => ({
  placeholder: '10.0.0.0/24',
  maxLength: 64,
  check: (text) =>
    parseEndFilter(text) ? null : t('Enter an address or prefix such as 10.0.0.0/24, or internal or external.'),
});

/** A filter by address, prefix, `internal` or `external`. */
export const addressFilter = (label: string) => typed(label, address);

/** Ports and ranges of the service, as typed or pasted. */
export const PORT_FILTER = typed(msg('Port'), (t) => ({
  placeholder: '80, 443, 8000-8010',
  maxLength: 1000,
  check: (text) =>
    parseTypedPorts(text, true) ? null : t('Enter ports from 0 to 65535, or ranges such as 8000-8010.'),
  format: (text) => formatTypedPorts(text, true),
}));

/** The protocols that most flows have; a link may give any other. */
export const PROTOCOL_FILTER = plainChoice(msg('Protocol'), ['tcp', 'udp', 'icmp', 'icmpv6', 'sctp']);
