/** Where the ports begin that systems give to the opening end of a connection (IANA: 49152, Linux: 32768). */
export const EPHEMERAL_FROM = 32_768;

export type ServicePort = {
  /** Port of the end that was called; null when the protocol has none or neither end looks like a service. */
  service_port: number | null;
  /** Whether the flow is the answering direction. */
  reply: boolean;
};

/**
 * Which port of a flow is the service's. Who opened the conversation decides when it is known; otherwise an ephemeral port
 * belongs to the caller. Two ephemeral ports name no service: each conversation would count as one of its own.
 */
export function getServicePort(flow: {
  source_port: number | null;
  destination_port: number | null;
  initiator?: 'source' | 'destination' | null;
}): ServicePort {
  const { source_port, destination_port, initiator } = flow;
  if (initiator === 'source') return { service_port: destination_port, reply: false };
  if (initiator === 'destination') return { service_port: source_port, reply: true };
  if (destination_port === null || destination_port < EPHEMERAL_FROM) {
    return { service_port: destination_port, reply: false };
  }
  if (source_port !== null && source_port < EPHEMERAL_FROM) return { service_port: source_port, reply: true };
  return { service_port: null, reply: false };
}
