import { request } from 'node:http';
import { type Config, ConfigError } from '../config';
import { connect, type Trust } from './connect';

export type Answer = {
  status: number;
  /** Value of the Retry-After header, if any. */
  retryAfter: string | undefined;
  /** Parsed JSON; undefined when the answer is something else. */
  body: unknown;
};

export type Server = { url: URL; trust: Trust };

const TIMEOUT_MILLISECONDS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Posts a JSON body and reads the answer. The connection is made, and the server verified, before the first byte.
 * @param token bearer token, null for none
 * @throws Error when no answer comes
 */
export async function post(
  { url, trust }: Server,
  path: string,
  body: Buffer,
  options: { token: string | null; isGzip: boolean; agentVersion: string },
): Promise<Answer> {
  const socket = await connect(url, trust);
  const basePath = url.pathname.replace(/\/$/, '');
  return new Promise((resolve, reject) => {
    // Plain http on a socket that is already encrypted.
    const call = request({
      createConnection: () => socket,
      method: 'POST',
      path: `${basePath}${path}`,
      headers: {
        host: url.host,
        'content-type': 'application/json',
        ...(options.isGzip && { 'content-encoding': 'gzip' }),
        'content-length': body.length,
        accept: 'application/json',
        'user-agent': `fabric-agent/${options.agentVersion}`,
        ...(options.token !== null && { authorization: `Bearer ${options.token}` }),
        connection: 'close',
      },
    });
    const timer = setTimeout(
      () => call.destroy(new Error(`no response from ${url.host} within 30 s`)),
      TIMEOUT_MILLISECONDS,
    );
    const end = (result: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      result();
    };
    call.once('error', (error) => end(() => reject(error)));
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MAX_ANSWER_BYTES) call.destroy(new Error(`the response of ${url.host} is larger than 1 MB`));
        else chunks.push(chunk);
      });
      response.once('error', (error) => end(() => reject(error)));
      response.once('end', () =>
        end(() =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
            body: parseJson(Buffer.concat(chunks)),
          }),
        ),
      );
    });
    call.end(body);
  });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The server to connect to. @throws ConfigError when none is configured */
export function getServer(config: Config): Server {
  if (config.server_url === null) {
    throw new ConfigError(['server_url is not set: set it to the address of the service in the configuration file']);
  }
  return { url: config.server_url, trust: { caFile: config.ca_file, fingerprint: config.tls_fingerprint } };
}
