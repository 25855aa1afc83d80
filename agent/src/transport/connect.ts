import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';

/** How the server proves who it is. Without either, the system's certificate authorities decide. */
export type Trust = {
  caFile: string | null;
  /** SHA-256 of the certificate, lower-case hex. */
  fingerprint: string | null;
};

const TIMEOUT_MILLISECONDS = 15_000;

/**
 * Connects to the server of an address and verifies it. Nothing has been sent on the socket when it is handed over.
 * @throws Error that names the remedy when the certificate is not trusted
 */
export function connect(url: URL, trust: Trust): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:';
    const socket = isTls ? connectTls(tlsOptions(host, port, trust)) : connectTcp({ host, port });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(new Error(`no connection to ${url.host} within 15 s`)), TIMEOUT_MILLISECONDS);
    socket.once('error', (error) => {
      clearTimeout(timer);
      fail(toConnectError(error, url));
    });
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      const wrong =
        isTls && trust.fingerprint !== null ? findPinMismatch(socket as TLSSocket, trust.fingerprint) : null;
      if (wrong !== null) return fail(new Error(wrong));
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

function tlsOptions(host: string, port: number, trust: Trust): ConnectionOptions {
  return {
    host,
    port,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    ...(trust.caFile !== null && { ca: readFileSync(trust.caFile) }),
    // A pinned certificate is often self-signed: the pin takes the place of the chain and is checked before any use.
    rejectUnauthorized: trust.fingerprint === null,
  };
}

function findPinMismatch(socket: TLSSocket, expected: string): string | null {
  const found = socket.getPeerCertificate().fingerprint256?.replaceAll(':', '').toLowerCase();
  if (found === expected) return null;
  return `the server presents another certificate than the pinned one (sha256 ${found ?? 'none'}): check which server answers there, then correct tls_fingerprint`;
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
]);

function toConnectError(error: Error & { code?: string }, url: URL): Error {
  const because = (text: string): Error => new Error(text, { cause: error });
  if (UNTRUSTED.has(error.code ?? '')) {
    return because(
      `the certificate of ${url.host} is not signed by a known authority: set ca_file, or tls_fingerprint to the certificate's SHA-256`,
    );
  }
  if (error.code === 'CERT_HAS_EXPIRED')
    return because(`the certificate of ${url.host} has expired: renew it on the server`);
  if (error.code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return because(`the certificate of ${url.host} is for another name: use the name in it as server_url`);
  }
  if (error.code === 'ENOTFOUND') return because(`cannot resolve the name ${url.hostname}: check server_url and DNS`);
  if (error.code === 'ECONNREFUSED')
    return because(`connection to ${url.host} refused: check server_url and the service`);
  return because(`cannot reach ${url.host}: ${error.message}`);
}
