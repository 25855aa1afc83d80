import { gzipSync } from 'node:zlib';

export type Answer = { status: number; body: unknown };

/** Sends JSON to a path of the service, with a bearer token when there is one. Rejects when there is no answer. */
export type Post = (path: string, body: unknown, token?: string) => Promise<Answer>;

/** Only heartbeats may be compressed, and only these are large. */
const LARGE = 2_000;
const TIMEOUT_MS = 30_000;

/** Over HTTP; heartbeats compressed, as the agents do. */
export const httpPost =
  (baseUrl: string): Post =>
  async (path, body, token) => {
    const json = JSON.stringify(body);
    const gzip = json.length > LARGE;
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(gzip && { 'content-encoding': 'gzip' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: gzip ? gzipSync(json, { level: 1 }) : json,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
