import type { IncomingMessage } from 'node:http';
import { PveError, parameterError } from '../pve-error';
import type { Params } from '../schema/param-spec';

/** Percent-decoding that leaves malformed escapes as they are, like the server does. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const decodeForm = (text: string) => percentDecode(text.replaceAll('+', ' '));

/** Form or query text; both `&` and `;` separate pairs, a repeated name becomes a NUL separated list. */
export function parseForm(text: string): Params {
  const params: Params = {};
  for (const pair of text.split(/[&;]/)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeForm(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decodeForm(pair.slice(equals + 1));
    params[name] = params[name] === undefined ? value : `${params[name]}\0${value}`;
  }
  return params;
}

const jsonValue = (name: string, value: unknown): string | undefined => {
  if (value === null) return undefined;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map((element) => jsonValue(name, element) ?? '').join(',');
  throw parameterError({ [name]: "type check ('string') failed" });
};

/** JSON body: one flat object; booleans become 1 and 0. */
export function parseJsonBody(text: string): Params {
  if (text.trim() === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new PveError(500, `malformed JSON string: ${cause instanceof Error ? cause.message : ''}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new PveError(500, 'request body is not a JSON object');
  }
  const params: Params = {};
  for (const [name, value] of Object.entries(parsed)) {
    const text = jsonValue(name, value);
    if (text !== undefined) params[name] = text;
  }
  return params;
}

/** Body bytes as text; resolves with what arrived when the client goes away. */
export function readBody(request: IncomingMessage, length: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = () => resolve(Buffer.concat(chunks).toString('utf8'));
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= length) done();
    });
    request.on('end', done);
    request.on('close', done);
  });
}
