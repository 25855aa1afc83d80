import type { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Client, InvalidCredentialsError, ResultCodeError } from 'ldapts';
import { UpstreamError } from '../../lib/errors';
import { createAddressGuard, guardedLookup, RefusedAddressError } from '../net/address-guard';

/**
 * A directory that could not be asked. `unreachable`, `tls`: no server answers as it should, others may; `bind`: Fabric's own
 * account was refused; `query`: a filter or base is wrong; `ambiguous`: more than one account fits.
 */
export class LdapError extends UpstreamError {
  readonly timedOut = false;

  constructor(
    readonly reason: 'unreachable' | 'tls' | 'bind' | 'query' | 'ambiguous',
    message: string,
    readonly remedy: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'LdapError';
  }
}

export type LdapServer = {
  url: string;
  security: 'ldaps' | 'starttls' | 'none';
  ca_certificate: string | null;
};
type Options = { allow: readonly string[]; timeoutMs: number; resolve?: typeof systemLookup };

const DEFAULT_PORT = { 'ldap:': 389, 'ldaps:': 636 } as const;

/** The address that the guard allows for a host. @throws RefusedAddressError, or the error of the resolver */
function resolveAllowed(host: string, { allow, resolve }: Options): Promise<string> {
  const guard = createAddressGuard(allow);
  if (isIP(host) > 0) {
    const refusal = guard.refusal(host);
    return refusal === null ? Promise.resolve(host) : Promise.reject(new RefusedAddressError(host, refusal));
  }
  return new Promise((done, fail) => {
    guardedLookup(guard, resolve)(host, {}, (error, address) => (error ? fail(error) : done(String(address))));
  });
}

const TLS_ERROR = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/;

/** What went wrong with a connection, with a remedy. */
export function toLdapError(host: string, error: unknown): LdapError {
  if (error instanceof LdapError) return error;
  if (error instanceof RefusedAddressError) {
    return new LdapError(
      'unreachable',
      `${error.messageFor(host)}.`,
      'Use an address outside the loopback, link-local and metadata ranges, or add the range to FABRIC_ALLOW_PRIVATE_TARGETS.',
      error,
    );
  }
  const { code, message } = error as Error & { code?: string | number };
  if (typeof code === 'string' && TLS_ERROR.test(code)) {
    return new LdapError(
      'tls',
      `The certificate of ${host} is not trusted: ${message}.`,
      'Enter the certificate of the authority that signed it, and use the name that it was issued for.',
      error,
    );
  }
  if (error instanceof ResultCodeError) {
    return new LdapError(
      'query',
      `The directory refused the request: ${message || error.name} (code ${error.code}).`,
      'Check base DNs, filters and attributes, and what the bind account may read.',
      error,
    );
  }
  return new LdapError(
    'unreachable',
    `Cannot connect to ${host}: ${typeof code === 'string' ? code : message}.`,
    'Check the URL, and that routes and firewalls let Fabric reach it.',
    error,
  );
}

/**
 * Opens a connection to exactly the address that the guard allowed, encrypted before anything is sent, except without TLS,
 * which only loopback gets. Binds when given an account.
 * @throws LdapError; `bind` when the account is refused
 */
export async function openConnection(
  server: LdapServer,
  account: { dn: string; password: string },
  options: Options,
): Promise<Client> {
  const { protocol, hostname, port } = new URL(server.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  let client: Client | null = null;
  try {
    // An empty password would be an anonymous bind, which succeeds for everyone (RFC 4513, 5.1.2).
    if (account.dn === '' || account.password === '') throw new InvalidCredentialsError('empty');
    const address = await resolveAllowed(host, options);
    const tls: ConnectionOptions = {
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(server.ca_certificate !== null && { ca: server.ca_certificate }),
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
    };
    const target = isIP(address) === 6 ? `[${address}]` : address;
    const encrypted = protocol === 'ldaps:';
    client = new Client({
      url: `${protocol}//${target}:${port || DEFAULT_PORT[encrypted ? 'ldaps:' : 'ldap:']}`,
      timeout: options.timeoutMs,
      connectTimeout: options.timeoutMs,
      ...(encrypted && { tlsOptions: tls }),
      strictDN: false,
    });
    if (server.security === 'starttls') await client.startTLS(tls);
    await client.bind(account.dn, account.password);
    return client;
  } catch (error) {
    await closeConnection(client);
    if (error instanceof InvalidCredentialsError) {
      throw new LdapError(
        'bind',
        'The directory refused the bind account.',
        'Check the bind DN and its password.',
        error,
      );
    }
    throw toLdapError(host, error);
  }
}

/** Ends a connection, whatever state it is in. */
export async function closeConnection(client: Client | null): Promise<void> {
  await client?.unbind().catch(() => undefined);
}
