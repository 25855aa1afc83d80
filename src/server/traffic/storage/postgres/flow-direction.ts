import { type SQL, sql } from 'drizzle-orm';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';

const ICMP_ANSWER = `(t.protocol = 'icmp' and t.icmp_type in (0, 14, 16, 18)
  or t.protocol in ('icmpv6', 'ipv6-icmp') and t.icmp_type = 129)`;
const [SOURCE_EPHEMERAL, DESTINATION_EPHEMERAL] = ['source', 'destination'].map(
  (end) => `t.${end}_port >= ${EPHEMERAL_FROM}`,
);
/** Neither port looks like that of a service, and who opened is not known. */
export const OPEN = `(t.initiator is null and coalesce(${DESTINATION_EPHEMERAL} and ${SOURCE_EPHEMERAL}, false))`;

/** Whether a flow is shown as an answer. Where it is not known, both directions are shown as one. */
export const REPLY = `case t.initiator when 'source' then false when 'destination' then true else case
    when coalesce(${ICMP_ANSWER}, false) then true
    when ${OPEN} then t.source_ip > t.destination_ip
    else coalesce(${DESTINATION_EPHEMERAL} and not (${SOURCE_EPHEMERAL}), false) end end`;

/** SQL of `getServicePort`: which port of a flow is the service's. */
export const SERVICE_PORT: SQL = sql.raw(`case t.initiator
    when 'source' then t.destination_port
    when 'destination' then t.source_port
    else case
      when t.destination_port is null or t.destination_port < ${EPHEMERAL_FROM} then t.destination_port
      when t.source_port < ${EPHEMERAL_FROM} then t.source_port end
    end`);

/** The end of a flow that sorts first, and whether the flow comes from there. */
export const FORWARD: SQL = sql.raw(
  `((t.source_ip, coalesce(t.source_port, -1)) <= (t.destination_ip, coalesce(t.destination_port, -1)))`,
);
