import { z } from 'zod';
import { formatCidr, hasHostBits, parseCidr, toNetwork } from '../net/cidr';
import { formatIp, parseIp } from '../net/ip-address';
import { normalizeMac } from '../net/mac-address';

/** One IPv4 or IPv6 address; the output is its canonical text. */
export const AddressText = z
  .string()
  .trim()
  .max(45)
  .transform((text, ctx) => {
    const ip = parseIp(text);
    if (ip) return formatIp(ip);
    ctx.addIssue('Enter one IPv4 or IPv6 address, for example 10.0.0.5 or fd00::5.');
    return z.NEVER;
  });

/** A network `address/prefix` without host bits; the output is its canonical text. */
export const CidrText = z
  .string()
  .trim()
  .max(49)
  .transform((text, ctx) => {
    const cidr = text.includes('/') ? parseCidr(text) : null;
    if (!cidr) {
      ctx.addIssue('Enter a prefix with its length, for example 10.0.0.0/24 or fd00::/64.');
      return z.NEVER;
    }
    if (hasHostBits(cidr)) {
      ctx.addIssue(`Host bits are set. Enter ${formatCidr(toNetwork(cidr))}.`);
      return z.NEVER;
    }
    return formatCidr(cidr);
  });

/** A MAC address; the output is in lower case with colons, as stored. */
export const MacText = z
  .string()
  .trim()
  .max(17)
  .transform((text, ctx) => {
    const mac = normalizeMac(text);
    if (mac) return mac.toLowerCase();
    ctx.addIssue('Enter a MAC address, for example bc:24:11:00:00:01.');
    return z.NEVER;
  });

export const Hostname = z
  .string()
  .trim()
  .max(253, 'At most 253 characters.')
  .regex(
    /^$|^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?$/i,
    'Enter a host name, for example db1.example.org.',
  );

export const Description = z.string().trim().max(1000, 'At most 1000 characters.');

export const VlanTag = z.int('A whole number.').min(1, 'From 1 to 4094.').max(4094, 'From 1 to 4094.');

/** The version that was read: the change is refused when another user changed it first. */
export const Version = z.int().min(1);

/** A filter that tRPC sends as a boolean and a query string as text. */
export const booleanFilter = z
  .union([
    z.boolean(),
    z.enum(['true', 'false'], { error: 'One of true, false.' }).transform((text) => text === 'true'),
  ])
  .optional();
