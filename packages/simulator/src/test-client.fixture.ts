import { request as httpsRequest } from 'node:https';
import type { NodeAddress } from './control/cluster-control';

export type RawAnswer = {
  status: number;
  reason: string;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
};

export type RawRequest = {
  token?: string;
  headers?: Record<string, string>;
  /** Sent as form unless a string. */
  body?: Record<string, string | number> | string;
  contentType?: string;
};

/** One request on a connection of its own, without any of the cleverness of a real client. */
export function rawRequest(
  node: NodeAddress,
  method: string,
  path: string,
  options: RawRequest = {},
): Promise<RawAnswer> {
  const form =
    typeof options.body === 'object' ? new URLSearchParams(stringValues(options.body)).toString() : options.body;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      `${node.url}/api2/json${path}`,
      {
        method,
        ca: node.caPem,
        agent: false,
        headers: {
          ...(options.token && { authorization: `PVEAPIToken=${options.token}` }),
          ...(form !== undefined && {
            'content-length': Buffer.byteLength(form),
            'content-type': options.contentType ?? 'application/x-www-form-urlencoded',
          }),
          ...options.headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            reason: response.statusMessage ?? '',
            headers: response.headers,
            text,
            json: parseJson(text),
          });
        });
      },
    );
    request.on('error', reject);
    request.end(form);
  });
}

const stringValues = (values: Record<string, string | number>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A client bound to one node and token. */
export const client = (node: NodeAddress, token: string) => ({
  get: (path: string, headers?: Record<string, string>) => rawRequest(node, 'GET', path, { token, headers }),
  post: (path: string, body?: RawRequest['body']) => rawRequest(node, 'POST', path, { token, body }),
  put: (path: string, body?: RawRequest['body']) => rawRequest(node, 'PUT', path, { token, body }),
  delete: (path: string) => rawRequest(node, 'DELETE', path, { token }),
});
