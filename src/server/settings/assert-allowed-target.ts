import { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import { env } from '../lib/env';
import { AppError } from '../lib/errors';
import { refuseField } from '../lib/refusals';
import { createAddressGuard, guardedLookup, RefusedAddressError } from '../providers/net/address-guard';

/** What every resolver makes of `localhost` and the names below it (RFC 6761). */
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Refuses to store a host that no connection would be made to. Other names are checked when they are resolved, at each
 * connection: what they lead to may change.
 * @param host name or address, an IPv6 address with or without brackets
 * @throws AppError `refused` naming the field and the remedy
 */
export function assertAllowedTarget(field: string, host: string, options: { publicOnly?: boolean } = {}): void {
  const guard = createAddressGuard(env().FABRIC_ALLOW_PRIVATE_TARGETS, options);
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isLocal = /(^|\.)localhost$/i.test(bare);
  const addresses = isLocal ? LOOPBACK : isIP(bare) > 0 ? [bare] : [];
  const reasons = addresses.map((address) => guard.refusal(address));
  const [reason] = reasons;
  if (reason === undefined || reasons.includes(null)) return;
  const message = `Connections to ${bare} are not allowed (${reason}). Use another address, or ask a server administrator to add it to FABRIC_ALLOW_PRIVATE_TARGETS.`;
  throw new AppError('refused', message, { errors: [{ field, message }] });
}

const RESOLVE_MS = 3000;

type Lookup = Parameters<typeof guardedLookup>[1];

/** What a connection to the name would go to: allowed addresses, a refusal, or null when the name cannot be resolved now. */
function resolve(host: string, lookup: Lookup): Promise<string[] | RefusedAddressError | null> {
  const guard = createAddressGuard(env().FABRIC_ALLOW_PRIVATE_TARGETS);
  return new Promise((done) => {
    const timer = setTimeout(() => done(null), RESOLVE_MS);
    guardedLookup(guard, lookup)(host, { all: true }, (error, addresses) => {
      clearTimeout(timer);
      if (error) return done(error instanceof RefusedAddressError ? error : null);
      done(Array.isArray(addresses) ? addresses.map(({ address }) => address) : [addresses]);
    });
  });
}

/** Addresses on the own network, to which clear text does not cross the internet. */
const isInside = (address: string): boolean =>
  createAddressGuard([], { publicOnly: true }).refusal(address.replace(/^\[|\]$/g, '')) !== null;

type Target = {
  /** Name or address, an IPv6 address with or without brackets. */
  host: string;
  /** What is wrong with sending in clear text to it through the internet; null: it is sent encrypted. */
  clear_text: string | null;
};

/**
 * Refuses to store a target that nothing would be sent to, by the guard of the connection itself, and one to which it would be sent
 * in clear text through the internet. A name that cannot be resolved now is accepted: the delivery reports it. With `publicOnly` names
 * are not resolved, because the answer would reveal which names exist in this network; each delivery checks them.
 * @throws AppError `refused` naming the field and the remedy
 */
export async function assertAllowedReceiver(
  field: string,
  { host: given, clear_text }: Target,
  { publicOnly = false, lookup = systemLookup }: { publicOnly?: boolean; lookup?: Lookup } = {},
): Promise<void> {
  const host = given.replace(/^\[|\]$/g, '');
  assertAllowedTarget(field, host, { publicOnly });
  const found = isIP(host) > 0 ? [host] : publicOnly ? null : await resolve(host, lookup);
  if (found instanceof RefusedAddressError) {
    throw refuseField(
      field,
      `${found.messageFor(host)}. Use another address, or ask a server administrator to add it to FABRIC_ALLOW_PRIVATE_TARGETS.`,
    );
  }
  if (clear_text !== null && !(found ?? []).some(isInside)) throw refuseField(field, clear_text);
}

/** The same for a URL. @throws AppError `refused` naming the field and the remedy */
export const assertAllowedHttpTarget = (
  field: string,
  { hostname: host, protocol }: URL,
  options: Parameters<typeof assertAllowedReceiver>[2] = {},
): Promise<void> => {
  const bare = host.replace(/^\[|\]$/g, '');
  const clear_text =
    protocol === 'http:' ? `http:// sends messages to ${bare} unencrypted over the internet. Use https://.` : null;
  return assertAllowedReceiver(field, { host, clear_text }, options);
};
