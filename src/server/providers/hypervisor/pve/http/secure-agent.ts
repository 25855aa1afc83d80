import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

/** Shorter than the server's own 5 s, so that a request rarely meets a connection that is just being closed. */
const IDLE_MS = 4_000;

type Connected = (error: Error | null, stream: Duplex) => void;

/**
 * An https.Agent whose sockets come from `open`, which resolves only after the certificate was believed. Node writes a
 * request the moment it gets the socket, so this is the one place where "before the first byte" can be kept.
 */
export class SecureAgent extends Agent {
  readonly #open: () => Promise<Duplex>;

  constructor(open: () => Promise<Duplex>, { keepAlive }: Pick<AgentOptions, 'keepAlive'>) {
    super({ keepAlive, timeout: IDLE_MS, maxCachedSessions: 0, maxFreeSockets: 4 });
    this.#open = open;
  }

  override createConnection(_options: RequestOptions, callback?: Connected): undefined {
    this.#open().then(
      (socket) => callback?.(null, socket),
      // Node ignores the stream when there is an error; the type wants one.
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
  }
}
