import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import { ANSWERED_STATES } from '@/domain/flow-verdict';
import { type Part, raw } from './statement';

const ICMP_ANSWER = `(t.protocol = 'icmp' and t.icmp_type in (0, 14, 16, 18)
  or t.protocol in ('icmpv6', 'ipv6-icmp') and t.icmp_type = 129)`;
const isEphemeral = (end: 'source' | 'destination') => `t.${end}_port >= ${EPHEMERAL_FROM}`;
const ifKnown = (condition: string) => `ifNull(${condition}, false)`;

/** Neither port looks like that of a service, and who opened is not known. */
export const OPEN = `(isNull(t.initiator) and ${ifKnown(`${isEphemeral('destination')} and ${isEphemeral('source')}`)})`;

/** Whether a flow is shown as an answer. Where it is not known, both directions are shown as one. */
export const REPLY = `multiIf(${ifKnown(`t.initiator = 'source'`)}, false, ${ifKnown(`t.initiator = 'destination'`)}, true,
  ${ifKnown(ICMP_ANSWER)}, true, ${OPEN}, t.source_ip > t.destination_ip,
  ${ifKnown(`${isEphemeral('destination')} and not (${isEphemeral('source')})`)})`;

/** SQL of `getServicePort`: whether a flow is the answering direction. */
export const PORT_REPLY = `multiIf(${ifKnown(`t.initiator = 'source'`)}, false, ${ifKnown(`t.initiator = 'destination'`)}, true,
  ${ifKnown(`${isEphemeral('destination')} and t.source_port < ${EPHEMERAL_FROM}`)})`;

/** SQL of `getServicePort`: which port of a flow is the service's. */
export const SERVICE_PORT: Part = raw(`multiIf(${ifKnown(`t.initiator = 'source'`)}, t.destination_port,
  ${ifKnown(`t.initiator = 'destination'`)}, t.source_port,
  isNull(t.destination_port) or t.destination_port < ${EPHEMERAL_FROM}, t.destination_port,
  ${ifKnown(`t.source_port < ${EPHEMERAL_FROM}`)}, t.source_port, null)`);

const STATES = ANSWERED_STATES.map((state) => `'${state}'`).join(', ');

/** Whether replies were seen. */
export const IS_ANSWERED = ifKnown(`t.state in (${STATES})`);

export const TWO_GUESTS = `(t.source_workload_id <> toUUID('00000000-0000-0000-0000-000000000000')
  and t.destination_workload_id <> toUUID('00000000-0000-0000-0000-000000000000'))`;
