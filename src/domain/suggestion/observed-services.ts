import { findServiceName } from '../firewall/data/services';
import { EPHEMERAL_FROM } from '../flow/service-port';
import type { ObservedEnd, ObservedPair } from './observed';

/** Distinct callers that make a port of an address the service, where nothing else says so. */
const MIN_CALLERS = 3;
/** High ports for few conversations each, at one server: more than these are opened for single conversations. */
const MIN_DYNAMIC = 10;
const MAX_DYNAMIC_USES = 2;

const formatSocket = ({ ip }: ObservedEnd, port: number, protocol: string) => `${protocol} ${ip} ${port}`;

/** For each address and port, from how many addresses and ports it was seen to be used. */
function countCallers(pairs: readonly ObservedPair[]): ReadonlyMap<string, number> {
  const callers = new Map<string, Set<string>>();
  const note = (end: ObservedEnd, other: ObservedEnd, protocol: string) => {
    if (end.port === null || other.port === null) return;
    const socket = formatSocket(end, end.port, protocol);
    const known = callers.get(socket) ?? new Set();
    callers.set(socket, known.add(`${other.ip} ${other.port}`));
  };
  for (const { client, server, protocol, is_client_known } of pairs) {
    if (is_client_known) continue;
    note(client, server, protocol);
    note(server, client, protocol);
  }
  return new Map([...callers].map(([socket, { size }]) => [socket, size]));
}

/** A pair with the end that serves, and its port. Null: neither end looks like a service. */
export type ServedPair = ObservedPair & { readonly service_port: number };

const swap = (pair: ObservedPair): ObservedPair => ({ ...pair, client: pair.server, server: pair.client });

/**
 * Which end of a conversation serves, and at which port: the one that was called, as far as an agent reported it. Otherwise the only
 * one whose port is that of a known service, then the one that several callers used, then the one whose port is not ephemeral.
 */
export function createServiceFinder(pairs: readonly ObservedPair[]): (pair: ObservedPair) => ServedPair | null {
  const callers = countCallers(pairs);
  const serve = (pair: ObservedPair, port: number | null): ServedPair | null =>
    port === null ? null : { ...pair, service_port: port };
  return (pair) => {
    const { client, server, protocol, service_port, is_client_known } = pair;
    // Storage keeps both ports only where who opened is not certain.
    if (is_client_known || client.port === null || server.port === null) return serve(pair, service_port);
    const isKnown = ({ port }: ObservedEnd) => port !== null && findServiceName(protocol, port) !== null;
    if (isKnown(server) !== isKnown(client)) {
      return isKnown(server) ? serve(pair, server.port) : serve(swap(pair), client.port);
    }
    const ofServer = callers.get(formatSocket(server, server.port, protocol)) ?? 0;
    const ofClient = callers.get(formatSocket(client, client.port, protocol)) ?? 0;
    if (ofServer >= MIN_CALLERS && ofServer > 2 * ofClient) return serve(pair, server.port);
    if (ofClient >= MIN_CALLERS && ofClient > 2 * ofServer) return serve(swap(pair), client.port);
    return serve(pair, service_port);
  };
}

/** Servers and high ports that were opened for single conversations, such as those of FTP and RPC. */
export function findDynamicPorts(pairs: readonly ServedPair[]): (pair: ServedPair) => boolean {
  const uses = new Map<string, Map<number, number>>();
  for (const { server, protocol, service_port, conversations, held_out } of pairs) {
    if (service_port < EPHEMERAL_FROM) continue;
    const key = `${protocol} ${server.ip}`;
    const ports = uses.get(key) ?? new Map<number, number>();
    uses.set(key, ports.set(service_port, (ports.get(service_port) ?? 0) + conversations + held_out));
  }
  const dynamic = new Map<string, ReadonlySet<number>>();
  for (const [key, ports] of uses) {
    const few = [...ports].filter(([, count]) => count <= MAX_DYNAMIC_USES).map(([port]) => port);
    if (few.length >= MIN_DYNAMIC) dynamic.set(key, new Set(few));
  }
  return ({ server, protocol, service_port }) => dynamic.get(`${protocol} ${server.ip}`)?.has(service_port) ?? false;
}
