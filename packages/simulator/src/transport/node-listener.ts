import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ClusterState } from '../state/cluster-state';
import type { PveNode } from '../state/node';
import { handleRequest, type RequestContext } from './handle-request';
import type { Worker } from './workers';

const KEEP_ALIVE_MS = 5_000;
const REQUESTS_PER_CONNECTION = 100;

/** The HTTPS listener of one node. It disappears while the node is down and returns on the same address and port. */
export class NodeListener {
  readonly #node: PveNode;
  readonly #context: Omit<RequestContext, 'worker' | 'entry' | 'cluster'> & { cluster: ClusterState };
  readonly #sockets = new Map<Duplex, Worker>();
  #server: Server | undefined;
  #port = 0;

  constructor(node: PveNode, context: Omit<RequestContext, 'worker' | 'entry'>) {
    this.#node = node;
    this.#context = context;
  }

  get port(): number {
    return this.#port;
  }

  /** Starts to listen; rejects with EADDRINUSE when the port is taken. */
  async open(port: number): Promise<void> {
    const { servedCertificate } = this.#node;
    if (!servedCertificate) throw new Error(`${this.#node.name} has no certificate`);
    const server = createServer({
      key: servedCertificate.keyPem,
      cert: servedCertificate.certPem,
      // Limits of the product are checked by the handler, which answers like the product.
      maxHeaderSize: 65_536,
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
    server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
    server.on('connection', (socket) => {
      this.#sockets.set(socket, this.#node.workers.acceptingProxy());
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.on('secureConnection', (socket) => {
      socket.on('error', () => {});
      this.#sockets.set(socket, this.#node.workers.acceptingProxy());
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => {
      const worker = this.#sockets.get(request.socket) ?? this.#node.workers.acceptingProxy();
      void handleRequest({ ...this.#context, entry: this.#node, worker }, request, response);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, this.#node.ip, () => {
        server.off('error', reject);
        resolve();
      });
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Refuses new connections and cuts the existing ones. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets.keys()) socket.destroy();
    await closed;
  }

  /** Follows the node's reachability: a stopped or powered-off node has no listener. */
  async follow(): Promise<void> {
    const listens = this.#node.reachability === 'up' || this.#node.reachability === 'silent';
    if (!listens) await this.close();
    else if (!this.#server) await this.open(this.#port);
  }

  /** Presents the node's present certificate on new connections; established ones keep the old. */
  reloadCertificate(): void {
    const { servedCertificate } = this.#node;
    if (!servedCertificate) return;
    this.#server?.setSecureContext({ key: servedCertificate.keyPem, cert: servedCertificate.certPem });
  }
}
