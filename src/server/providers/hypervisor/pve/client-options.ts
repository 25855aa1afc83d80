import type { Logger } from 'pino';
import type { ClusterAccess } from '../types';
import type { RenewedCertificate } from './entry-node';

/** Milliseconds. `connect` covers TCP and TLS; the others the exchange once the connection stands. */
export type Timeouts = { connect: number; read: number; agent: number; write: number };

/** A node forwards for 30 s before it abandons another, so a write waits longer than that for the outcome. */
export const DEFAULT_TIMEOUTS: Timeouts = { connect: 5_000, read: 10_000, agent: 15_000, write: 40_000 };

export type ClientOptions = {
  access: ClusterAccess;
  /** CIDRs that are allowed as targets though they are loopback, link-local or the like. */
  allowTargets: readonly string[];
  clock: { now(): Date };
  logger: Pick<Logger, 'info' | 'warn'>;
  /** A pinned certificate was replaced and the new one proved; store it, or the proof is repeated after a restart. */
  onCertificateRenewed?: (renewed: RenewedCertificate) => void;
  timeouts?: Partial<Timeouts>;
  /** Waits before a read is repeated; tests replace it. */
  pause?: (ms: number) => Promise<void>;
};
