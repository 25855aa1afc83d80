import { EXCEPT } from '../policy/choices';
import { type Endpoint, escapeName, formatEndpoint, parseEndpoint, unescapeName } from '../policy/endpoint';

/** What an end of a policy test refers to: what policies can name, and nodes. */
export type TestEndpoint = Endpoint | { readonly kind: 'node'; readonly cluster: string; readonly name: string };

/** With `!` in front, an endpoint takes its addresses out of the end: `any`, `!network:pve1/admin` is everything outside of it. */
export const isExcepted = (text: string): boolean => text.startsWith(EXCEPT);
export const stripExcept = (text: string): string => (isExcepted(text) ? text.slice(EXCEPT.length) : text);

const MAX_LENGTH = 520;

/** Reads an endpoint of a policy, or `node:cluster/name`, each with or without `!`. The error says what to write instead. */
export function parseTestEndpoint(input: string): TestEndpoint | { error: string } {
  const text = stripExcept(input.trim()).trim();
  if (!text.startsWith('node:')) return parseEndpoint(text);
  if (text.length > MAX_LENGTH) return { error: `An endpoint has at most ${MAX_LENGTH} characters.` };
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return { error: 'An endpoint cannot contain control characters.' };
  const [cluster = '', name = '', ...more] = text
    .slice('node:'.length)
    .split('/')
    .map((part) => part.trim());
  if (cluster === '' || name === '' || more.length > 0) {
    return { error: 'Enter a node as node:cluster/name. Write a / in a name as %2F.' };
  }
  return { kind: 'node', cluster: unescapeName(cluster), name: unescapeName(name) };
}

/** The canonical text of what was typed; null when it is no endpoint. */
export function canonicalTestEndpoint(input: string): string | null {
  const parsed = parseTestEndpoint(input);
  if ('error' in parsed) return null;
  return (isExcepted(input.trim()) ? EXCEPT : '') + formatTestEndpoint(parsed);
}

export const formatTestEndpoint = (endpoint: TestEndpoint): string =>
  endpoint.kind === 'node'
    ? `node:${escapeName(endpoint.cluster)}/${escapeName(endpoint.name)}`
    : formatEndpoint(endpoint);
