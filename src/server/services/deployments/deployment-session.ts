import { setTimeout as delay } from 'node:timers/promises';
import { db } from '../../db/client';
import { logger } from '../../lib/logger';
import type { ClusterFirewallFact } from '../../providers/hypervisor/firewall-types';
import type { HypervisorProvider } from '../../providers/hypervisor/types';
import { type DeploymentRow, LEASE_SECONDS, renewDeployment } from '../../repositories/deployments';
import { claimGuest, type GuestFirewallRow, releaseGuest, renewGuests } from '../../repositories/guest-firewalls';
import { deploymentChanged } from './deployment-changed';
import { DeploymentLost } from './deployment-lost';

const RENEW_MS = 5_000;
const PROGRESS_MS = 500;
const TICK_MS = 100;
/** Nothing is written any more when the leases could not be renewed for this long: they may be another's soon. */
const SAFE_MS = (LEASE_SECONDS - 10) * 1000;
const CLAIM_PAUSE_MS = 250;
/** How old a reading of what all guests share may be when a guest is written to. */
const CLUSTER_MS = 2_000;
/** How long another writer of a guest is waited for. */
const CLAIM_MS = 120_000;

export type HeldDeployment = DeploymentRow & { lease_owner: string };

/** One worker's hold on one deployment and the guests that it writes to: leases, progress, and whether it may go on. */
export class DeploymentSession {
  /** Aborts when the worker has to end or has lost the deployment. */
  readonly signal: AbortSignal;
  done = 0;
  total: number | null = null;
  writes: number;
  readonly #lost = new AbortController();
  readonly #guests = new Set<string>();
  readonly #wait: (ms: number) => Promise<void>;
  #dirty = true;
  #flushing: Promise<void> = Promise.resolve();
  #flushedAt = performance.now();
  #renewedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #cluster: { at: number; reading: Promise<ClusterFirewallFact> } | undefined;

  constructor(
    readonly deployment: HeldDeployment,
    readonly provider: HypervisorProvider,
    outer: AbortSignal,
    wait?: (ms: number) => Promise<void>,
  ) {
    this.signal = AbortSignal.any([outer, this.#lost.signal]);
    this.writes = deployment.writes;
    this.#wait = wait ?? (async (ms) => void (await delay(ms, undefined, { signal: this.signal })));
  }

  get owner(): string {
    return this.deployment.lease_owner;
  }

  start(): void {
    let busy = false;
    this.#timer = setInterval(() => {
      const since = performance.now() - this.#flushedAt;
      if (busy || !(since >= RENEW_MS || (this.#dirty && since >= PROGRESS_MS))) return;
      busy = true;
      this.#flushing = this.#flush().finally(() => {
        busy = false;
      });
    }, TICK_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushing;
  }

  /** Notes that a guest is done, or how many there are. */
  progress(): void {
    this.#dirty = true;
  }

  /** @throws when nothing may be written any more */
  mayWrite(): void {
    this.signal.throwIfAborted();
    if (performance.now() - this.#renewedAt > SAFE_MS) throw new DeploymentLost('the leases could not be renewed');
  }

  async pause(ms: number): Promise<void> {
    this.signal.throwIfAborted();
    await this.#wait(ms);
    this.signal.throwIfAborted();
  }

  /** Becomes the one writer of a guest, after the one that is at it. Null when that takes too long, or the guest is gone. */
  async holdGuest(workloadId: string): Promise<GuestFirewallRow | null> {
    for (const deadline = performance.now() + CLAIM_MS; ; ) {
      this.mayWrite();
      const row = await claimGuest(db, workloadId, this.owner);
      if (row) {
        this.#guests.add(workloadId);
        return row;
      }
      if (performance.now() > deadline) return null;
      await delay(CLAIM_PAUSE_MS, undefined, { signal: this.signal });
    }
  }

  /** What all guests share, read within the last moments; guests that are worked on at once share a reading. */
  clusterFirewall(): Promise<ClusterFirewallFact> {
    const at = performance.now();
    if (!this.#cluster || at - this.#cluster.at > CLUSTER_MS) {
      const entry = { at, reading: this.provider.firewallReader.readClusterFirewall() };
      entry.reading.catch(() => {
        if (this.#cluster === entry) this.#cluster = undefined;
      });
      this.#cluster = entry;
    }
    return this.#cluster.reading;
  }

  async leaveGuest(workloadId: string): Promise<void> {
    this.#guests.delete(workloadId);
    await releaseGuest(db, workloadId, this.owner);
  }

  async #flush(): Promise<void> {
    const told = this.#dirty;
    this.#dirty = false;
    const begun = performance.now();
    this.#flushedAt = begun;
    try {
      const guests = [...this.#guests];
      const held = await db.transaction(async (tx) => {
        const progress = { progress_done: this.done, progress_total: this.total, writes: this.writes };
        if (!(await renewDeployment(tx, this.deployment, told ? progress : {}))) return false;
        const kept = await renewGuests(tx, guests, this.owner);
        // A guest that was left while this ran is no loss.
        if (guests.some((id) => this.#guests.has(id) && !kept.has(id))) return false;
        if (told) await deploymentChanged(tx, this.deployment);
        return true;
      });
      if (held) this.#renewedAt = begun;
      else this.#lost.abort(new DeploymentLost('the deployment was taken over or deleted'));
    } catch (error) {
      logger.warn({ err: error, deployment_id: this.deployment.id }, 'the lease of a deployment could not be renewed');
    }
  }
}
