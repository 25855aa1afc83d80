import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A year: browsers that connected over TLS keep using it. Without subdomains: Fabric does not control them. */
const STRICT_TRANSPORT = 'max-age=31536000';

/**
 * What a page may load and do: scripts that carry the nonce of this answer and what those load, everything else from here, no
 * frames, no plug-ins. Inline styles are allowed on elements, which is how figures get their sizes; `<style>` needs the nonce.
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "script-src-attr 'none'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** What the API answers is data: a browser that shows it loads nothing and runs nothing. */
export const API_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** What every answer tells a browser besides, also those that Next does not make. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Puts the policy and the other headers on the answer. Next reads the nonce from the request's header of the same name and writes it on its own scripts; a
 * client's header of that name is replaced.
 */
export function applySecurityHeaders(request: IncomingMessage, response: ServerResponse, api: boolean): void {
  const policy = api ? API_POLICY : pagePolicy(randomBytes(18).toString('base64'));
  delete request.headers['content-security-policy-report-only'];
  if (api) delete request.headers['content-security-policy'];
  else request.headers['content-security-policy'] = policy;
  response.setHeader('content-security-policy', policy);
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  if (request.headers['x-fabric-proto'] === 'https') response.setHeader('strict-transport-security', STRICT_TRANSPORT);
}
