import { isIP } from 'node:net';
import { env } from '../lib/env';
import { AppError } from '../lib/errors';
import { createAddressGuard } from '../providers/net/address-guard';

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
