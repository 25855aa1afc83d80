import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ApiUrl } from '@/domain/net/url';
import type { AddressGuard } from '../../net/address-guard';
import { type CertificateTrust, checkCertificate, type TrustBasis } from './http/certificate-trust';
import { type ExchangeRequest, exchange, type RawAnswer } from './http/exchange';
import { SecureAgent } from './http/secure-agent';
import { type OpenedSocket, openTlsSocket } from './http/tls-socket';
import { TransportError } from './http/transport-error';

/** A certificate that replaced the pinned one and was proved to be the cluster's. */
export type RenewedCertificate = { url: string; previous: string; current: string; basis: TrustBasis };

export type EntryNodeOptions = {
  target: ApiUrl;
  fingerprint: string | null;
  ca: string | null;
  nodeNames: readonly string[];
  guard: AddressGuard;
  lookup: LookupFunction;
  connectTimeoutMs: number;
  /** Asks the rest of the cluster whether this certificate is one of its own; called when a pin does not match. */
  vouch: (fingerprint: string) => Promise<boolean>;
  onRenewed: (renewed: RenewedCertificate) => void;
};

/** One address of the cluster's API: its connections and the trust in its certificate. */
export class EntryNode {
  readonly target: ApiUrl;
  /** What the last connection showed, trusted or not. */
  lastShown: { fingerprint: string; basis: TrustBasis | null } | null = null;
  readonly #options: EntryNodeOptions;
  readonly #reads: SecureAgent;
  readonly #writes: SecureAgent;
  /** Replaces the pin after a proved renewal, so that later connections need no new proof. */
  #fingerprint: string | null;
  #trustSystem = false;
  #closed = false;

  constructor(options: EntryNodeOptions) {
    this.#options = options;
    this.#fingerprint = options.fingerprint;
    this.target = options.target;
    const open = () => this.#open();
    this.#reads = new SecureAgent(open, { keepAlive: true });
    // A write never rides on an idle connection: the server may be closing it, and a reset would leave it unknown
    // whether the write was carried out.
    this.#writes = new SecureAgent(open, { keepAlive: false });
  }

  /** The active pin, or null. */
  get fingerprint(): string | null {
    return this.#fingerprint;
  }

  exchange(request: Omit<ExchangeRequest, 'host' | 'port'>): Promise<RawAnswer> {
    const { host, port } = this.target;
    return exchange({ ...request, host, port }, request.method === 'GET' ? this.#reads : this.#writes);
  }

  /**
   * Connects, validates the certificate and disconnects; `lastShown` then describes it.
   * @throws TransportError
   */
  async probe(): Promise<void> {
    (await this.#open()).destroy();
  }

  close(): void {
    this.#closed = true;
    this.#reads.destroy();
    this.#writes.destroy();
  }

  #check(opened: OpenedSocket): CertificateTrust {
    const { ca, nodeNames } = this.#options;
    return checkCertificate(opened.shown, { fingerprint: this.#fingerprint, ca, nodeNames }, this.target.host);
  }

  /** A connection whose certificate is believed; nothing has been written to it. */
  async #open(): Promise<TLSSocket> {
    const { guard, lookup, connectTimeoutMs: timeoutMs, ca } = this.#options;
    if (this.#closed) throw closedError();
    const target = { host: this.target.host, port: this.target.port, guard, lookup, timeoutMs };
    let opened = await openTlsSocket(target, this.#trustSystem ? null : ca);
    let trust = this.#check(opened);
    if (trust.verdict === 'try_system_ca') {
      opened.socket.destroy();
      opened = await openTlsSocket(target, null);
      trust = this.#check(opened);
      this.#trustSystem = trust.verdict === 'trusted';
    }
    const shown = opened.shown.certificate.fingerprint256;
    this.lastShown = { fingerprint: shown, basis: trust.verdict === 'trusted' ? trust.basis : null };
    if (trust.verdict === 'changed' && (await this.#vouched(opened, shown)))
      trust = { verdict: 'trusted', basis: 'other_node' };
    if (trust.verdict !== 'trusted' || this.#closed) {
      opened.socket.destroy();
      throw trust.verdict === 'trusted' ? closedError() : this.#distrust(trust, shown);
    }
    this.#accept(shown, trust.basis);
    return opened.socket;
  }

  async #vouched(opened: OpenedSocket, fingerprint: string): Promise<boolean> {
    try {
      return await this.#options.vouch(fingerprint);
    } catch (error) {
      opened.socket.destroy();
      throw error;
    }
  }

  #accept(shown: string, basis: TrustBasis): void {
    this.lastShown = { fingerprint: shown, basis };
    const previous = this.#fingerprint;
    if (previous === null || previous === shown) return;
    this.#fingerprint = shown;
    this.#options.onRenewed({ url: this.target.url, previous, current: shown, basis });
  }

  #distrust(trust: CertificateTrust, fingerprint: string): TransportError {
    const { host } = this.target;
    const detail = { fingerprint, object: host };
    if (trust.verdict === 'changed') {
      return new TransportError(
        'tls_changed',
        `${host} presents another certificate than the pinned one: ${fingerprint} instead of ${this.#fingerprint}`,
        'If the certificate was renewed, compare the new fingerprint with `pvenode cert info` on the node and confirm it in the cluster settings. If it was not renewed, the connection may be intercepted (man-in-the-middle).',
        { sent: false },
        { ...detail, ...(this.#fingerprint !== null && { expectedFingerprint: this.#fingerprint }) },
      );
    }
    const reason = trust.verdict === 'untrusted' ? ` (${trust.reason.slice(0, 200)})` : '';
    return new TransportError(
      'tls_untrusted',
      `The certificate of ${host} is not trusted${reason}; its fingerprint is ${fingerprint}`,
      'Compare the fingerprint with `pvenode cert info` on the node and confirm it in the cluster settings.',
      { sent: false },
      detail,
    );
  }
}

const closedError = () =>
  new TransportError('unreachable', 'expected an open provider', 'Open a new provider.', { sent: false });
