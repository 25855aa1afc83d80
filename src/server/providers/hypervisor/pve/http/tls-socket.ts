import { X509Certificate } from 'node:crypto';
import { isIP, type LookupFunction } from 'node:net';
import { checkServerIdentity, connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { cache } from '../../../../lib/cache';
import { type AddressGuard, RefusedAddressError } from '../../../net/address-guard';
import type { ShownCertificate } from './certificate-trust';
import { TransportError } from './transport-error';

export type TlsTarget = { host: string; port: number; guard: AddressGuard; lookup: LookupFunction; timeoutMs: number };

const formatTarget = ({ host, port }: TlsTarget) => `${host} port ${port}`;

function connectError(target: TlsTarget, cause: Error & { code?: string }, tcpConnected: boolean): TransportError {
  const facts = { sent: false };
  if (cause instanceof RefusedAddressError) {
    return new TransportError(
      'target_refused',
      cause.messageFor(target.host),
      'Enter an address outside the loopback, link-local and metadata ranges, or add the range to FABRIC_ALLOW_PRIVATE_TARGETS.',
      facts,
      { cause, object: target.host },
    );
  }
  if (tcpConnected) {
    return new TransportError(
      'unreachable',
      `TLS handshake with ${formatTarget(target)} failed: ${cause.code ?? cause.message}`,
      'Check that this is the port of the Proxmox VE API (8006) and that no proxy in between terminates TLS.',
      { ...facts, reset: true },
      { cause, object: target.host },
    );
  }
  const text =
    cause.code === 'ENOTFOUND' || cause.code === 'EAI_AGAIN'
      ? `Cannot resolve the name ${target.host}`
      : `Cannot connect to ${formatTarget(target)}: ${cause.code ?? cause.message}`;
  return new TransportError(
    'unreachable',
    text,
    'Check the address, that the node is running, and that routes and firewalls let this service reach its port 8006.',
    facts,
    { cause, object: target.host },
  );
}

function connectTimeout(target: TlsTarget, tcpConnected: boolean): TransportError {
  return new TransportError(
    tcpConnected ? 'timeout' : 'unreachable',
    `No ${tcpConnected ? 'TLS response from' : 'connection to'} ${formatTarget(target)} within ${target.timeoutMs} ms`,
    'Check that the node is running and that routes and firewalls let this service reach its port 8006.',
    { sent: false },
    { object: target.host },
  );
}

/** Whom a connection trusts, by the authority of a cluster: making one takes longer than opening a connection with it. */
const contexts = cache<SecureContext>({ name: 'tls_contexts', maxEntries: 100 });

export type OpenedSocket = { socket: TLSSocket; shown: ShownCertificate };

/**
 * Opens a TLS connection and reports the certificate presented, without deciding anything: the caller must validate it
 * before a byte is written. `ca` null checks the chain against the system's authorities.
 * @throws TransportError `unreachable`, `timeout` or `target_refused`.
 */
export async function openTlsSocket(target: TlsTarget, ca: string | null): Promise<OpenedSocket> {
  const literal = isIP(target.host) > 0 ? target.guard.refusal(target.host) : null;
  if (literal !== null) throw connectError(target, new RefusedAddressError(target.host, literal), false);
  return new Promise((resolve, reject) => {
    let tcpConnected = false;
    // Node.js abandons an address after 250 ms when the name has another one; a slow link needs longer.
    const patience = { autoSelectFamilyAttemptTimeout: Math.max(250, Math.floor(target.timeoutMs / 3)) };
    const socket = connect({
      host: target.host,
      port: target.port,
      lookup: target.lookup,
      ...patience,
      ...(isIP(target.host) ? {} : { servername: target.host }),
      secureContext: contexts.load(ca ?? 'system', null, () => createSecureContext(ca === null ? {} : { ca })),
      ALPNProtocols: ['http/1.1'],
      // The chain is validated below, together with pin and names. A resumed session would show no certificate; none
      // is offered, because no `session` is passed.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    const onError = (error: Error) => fail(connectError(target, error, tcpConnected));
    const onClose = () => fail(connectError(target, new Error('the connection was closed'), tcpConnected));
    const timer = setTimeout(() => fail(connectTimeout(target, tcpConnected)), target.timeoutMs);
    const fail = (error: TransportError) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.once('connect', () => {
      tcpConnected = true;
    });
    socket.on('error', onError).on('close', onClose);
    socket.once('secureConnect', () => {
      const peer = socket.getPeerX509Certificate();
      if (!peer) return fail(connectError(target, new Error('the server sent no certificate'), true));
      clearTimeout(timer);
      socket.off('error', onError).off('close', onClose);
      // Until the request takes the socket over, an error must not end the process.
      socket.on('error', () => {});
      const certificate = new X509Certificate(peer.raw);
      // Not `socket.getPeerCertificate()`: after the call above node answers it with an empty object.
      const nameError = checkServerIdentity(target.host, certificate.toLegacyObject());
      resolve({
        socket,
        shown: {
          certificate,
          chain: ca === null ? 'system_ca' : 'cluster_ca',
          chainError: socket.authorized ? null : String(socket.authorizationError ?? 'not trusted'),
          nameError: nameError ? nameError.message : null,
        },
      });
    });
  });
}
