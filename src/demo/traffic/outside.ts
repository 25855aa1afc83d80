import { rollInt } from './roll';

/**
 * Addresses outside. All of them are reserved for documentation and measurements (RFC 5737, 2544, 3849): no real
 * server is accused of anything.
 */
const NAMED = {
  payment_provider: ['198.51.100.20', '198.51.100.21'],
  mail_servers: ['198.51.100.35', '198.51.100.77', '198.51.100.140', '198.51.100.201'],
  name_servers: ['198.51.100.53', '198.51.100.54'],
  time_servers: ['198.51.100.123'],
  package_mirror: ['198.51.100.80'],
  code_hosting: ['198.51.100.90'],
  /** Where the web server that was broken into calls home. */
  command_server: ['203.0.113.77'],
  database_thief: ['203.0.113.199'],
  password_guesser: ['203.0.113.45'],
} as const;

export type OutsideName = keyof typeof NAMED | 'customers' | 'customers6' | 'home_offices' | 'web_sites' | 'scanners';

/** An address of the kind; the same numbers give the same address. */
export function outsideAddress(name: OutsideName, ...numbers: readonly number[]): string {
  const part = (from: number, to: number, salt: number) => rollInt(from, to, ...numbers, salt);
  switch (name) {
    case 'customers':
      return `198.18.${part(0, 254, 1)}.${part(1, 254, 2)}`;
    case 'customers6':
      return `2001:db8:${part(0xa000, 0xafff, 1).toString(16)}:${part(1, 0xff, 2).toString(16)}::${part(1, 0xfff, 3).toString(16)}`;
    case 'home_offices':
      return `198.19.${part(0, 15, 1)}.${part(1, 254, 2)}`;
    case 'web_sites':
      return `198.19.${part(128, 191, 1)}.${part(1, 40, 2)}`;
    case 'scanners':
      return `192.0.2.${part(1, 254, 1)}`;
    default: {
      const list = NAMED[name];
      return list[part(0, list.length - 1, 1)] ?? list[0];
    }
  }
}
