import type { lookup as systemLookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { cidrContains, parseCidr } from '@/domain/net/cidr';
import { parseIp, unmapIp } from '@/domain/net/ip-address';
import { type AddressGuard, createAddressGuard, guardedLookup, RefusedAddressError } from '../net/address-guard';
import { OidcError } from './oidc-error';

type Options = {
  /** CIDRs that may be connected to although they are loopback or link-local; only there plain http is spoken. */
  allow: readonly string[];
  timeoutMs?: number;
  maxBytes?: number;
  resolve?: typeof systemLookup;
};
type Init = {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
};

const NULL_BODY = new Set([101, 204, 205, 304]);

/** Plain http sends secrets in the clear: only to addresses that the operator named. */
function createPlainHttpGuard(allow: readonly string[]): AddressGuard {
  const named = allow.map(parseCidr);
  return {
    refusal(text) {
      const ip = parseIp(text.split('%')[0] ?? '');
      const target = ip && unmapIp(ip);
      const found = target && named.some((cidr) => cidr !== null && cidrContains(cidr, target));
      return found ? null : 'without TLS';
    },
  };
}

function toRequestBody(body: unknown): string | Uint8Array | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('expected a text, binary or form body');
}

/** Reads an answer to its end. @throws OidcError when it is larger than `maxBytes` */
async function readAll(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      message.destroy();
      throw new OidcError(
        'invalid',
        `The response of the sign-in provider is larger than ${maxBytes} bytes.`,
        'Check that the issuer is the address of an OpenID provider.',
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function toOidcError(url: URL, cause: unknown, timedOut: boolean): OidcError {
  if (cause instanceof OidcError) return cause;
  if (cause instanceof RefusedAddressError) {
    return new OidcError(
      'unreachable',
      `${cause.messageFor(url.hostname)}.`,
      'Use an https address outside the loopback, link-local and metadata ranges, or add the range to FABRIC_ALLOW_PRIVATE_TARGETS.',
      { cause },
    );
  }
  const { code, message } = cause as Error & { code?: string };
  return new OidcError(
    'unreachable',
    timedOut ? `${url.host} did not respond in time.` : `Cannot connect to ${url.host}: ${code ?? message}.`,
    'Check the issuer, and that routes, firewalls and certificates let this service reach it. Add a private certificate authority to NODE_EXTRA_CA_CERTS.',
    { cause, timedOut },
  );
}

/**
 * A `fetch` for user-supplied addresses: it connects only to what the address guard allows, to exactly the address
 * that was checked, follows no redirect, and limits time and size of the answer.
 */
export function createGuardedFetch({ allow, timeoutMs = 10_000, maxBytes = 1024 * 1024, resolve }: Options) {
  const guards = { 'https:': createAddressGuard(allow), 'http:': createPlainHttpGuard(allow) };
  return async (address: string, init: Init = {}): Promise<Response> => {
    const url = new URL(address);
    const guard = url.protocol === 'https:' ? guards['https:'] : guards['http:'];
    const signal = AbortSignal.timeout(timeoutMs);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    try {
      const literal = isIP(host) > 0 ? guard.refusal(host) : null;
      if (literal !== null) throw new RefusedAddressError(host, literal);
      const body = toRequestBody(init.body);
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const message = await new Promise<IncomingMessage>((done, fail) => {
        const request = send(url, {
          method: init.method ?? 'GET',
          headers: { ...init.headers, ...(body !== null && { 'content-length': Buffer.byteLength(body) }) },
          lookup: guardedLookup(guard, resolve),
          // A kept connection would go to an address that was checked for another request.
          agent: false,
          signal,
        });
        request.on('response', done).on('error', fail);
        request.end(body ?? undefined);
      });
      const bytes = await readAll(message, maxBytes);
      const headers = new Headers();
      for (const [name, value] of Object.entries(message.headers)) {
        for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
      }
      const status = message.statusCode ?? 502;
      return new Response(NULL_BODY.has(status) ? null : new Uint8Array(bytes), { status, headers });
    } catch (cause) {
      throw toOidcError(url, cause, signal.aborted);
    }
  };
}
