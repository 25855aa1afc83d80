import { setTimeout as delay } from 'node:timers/promises';
import { db, type Tx } from '../../db/client';
import type { Lease } from '../../jobs/queries/run-leases';
import { RunLease } from '../../jobs/run-lease';
import type { ClusterFirewallFact } from '../../providers/hypervisor/firewall-types';
import type { HypervisorProvider } from '../../providers/hypervisor/types';
import { type DeploymentRow, deploymentLeases } from '../queries/deployments';
import { claimGuest, type GuestFirewallRow, releaseGuest, renewGuests } from '../queries/guest-firewalls';
import { publishDeploymentChange } from './outcome';

const CLAIM_PAUSE_MS = 250;
/** Maximum age of the state shared by all guests when a guest is written to. */
const CLUSTER_MS = 2_000;
/** How long another writer of a guest is waited for. */
const CLAIM_MS = 120_000;

export type HeldDeployment = DeploymentRow & Lease;
type Progress = Pick<DeploymentRow, 'progress_done' | 'progress_total' | 'writes'> &
  Partial<Pick<DeploymentRow, 'policy_version'>>;

type Context = {
  /** Aborts when the worker has to end. */
  signal: AbortSignal;
  openProvider: () => HypervisorProvider;
  pause?: (ms: number) => Promise<void>;
};

/** One worker's work on one deployment: its lease, the guests that it writes to and holds alone, its progress. */
export class DeploymentSession {
  readonly lease: RunLease<Progress>;
  done = 0;
  total: number | null = null;
  writes: number;
  readonly #guests = new Set<string>();
  readonly #context: Context;
  #provider: HypervisorProvider | undefined;
  #cluster: { at: number; snapshot: Promise<ClusterFirewallFact> } | undefined;

  constructor(
    readonly deployment: HeldDeployment,
    context: Context,
  ) {
    this.writes = deployment.writes;
    this.#context = context;
    this.lease = new RunLease(deployment, {
      what: 'deployment',
      ids: { deployment_id: deployment.id, policy_id: deployment.policy_id },
      leases: deploymentLeases,
      outer: context.signal,
      progress: () => ({ progress_done: this.done, progress_total: this.total, writes: this.writes }),
      announce: (tx) => publishDeploymentChange(tx, deployment),
      renewMore: (tx) => this.#renewGuests(tx),
    });
    this.signal.addEventListener('abort', () => this.close(), { once: true });
  }

  /** Aborts when the worker has to end or has lost the deployment. */
  get signal(): AbortSignal {
    return this.lease.signal;
  }

  /** The cluster, opened at first use. */
  get provider(): HypervisorProvider {
    this.#provider ??= this.#context.openProvider();
    return this.#provider;
  }

  close(): void {
    this.#provider?.close();
  }

  async pause(ms: number): Promise<void> {
    this.signal.throwIfAborted();
    const { pause } = this.#context;
    await (pause ? pause(ms) : delay(ms, undefined, { signal: this.signal }));
    this.signal.throwIfAborted();
  }

  /** Becomes the one writer of a guest, after the one that is at it. Null when that takes too long, or the guest is gone. */
  async holdGuest(workloadId: string): Promise<GuestFirewallRow | null> {
    for (const deadline = performance.now() + CLAIM_MS; ; ) {
      this.lease.assertHeld();
      const row = await claimGuest(db, workloadId, this.deployment.lease_owner);
      if (row) {
        this.#guests.add(workloadId);
        return row;
      }
      if (performance.now() > deadline) return null;
      await delay(CLAIM_PAUSE_MS, undefined, { signal: this.signal });
    }
  }

  /** The state shared by all guests, read within the last moments; guests processed concurrently share one read. */
  clusterFirewall(): Promise<ClusterFirewallFact> {
    const at = performance.now();
    if (!this.#cluster || at - this.#cluster.at > CLUSTER_MS) {
      const entry = { at, snapshot: this.provider.firewallReader.readClusterFirewall() };
      entry.snapshot.catch(() => {
        if (this.#cluster === entry) this.#cluster = undefined;
      });
      this.#cluster = entry;
    }
    return this.#cluster.snapshot;
  }

  async leaveGuest(workloadId: string): Promise<void> {
    this.#guests.delete(workloadId);
    await releaseGuest(db, workloadId, this.deployment.lease_owner);
  }

  async #renewGuests(tx: Tx): Promise<boolean> {
    const guests = [...this.#guests];
    const kept = await renewGuests(tx, guests, this.deployment.lease_owner);
    // A guest that was left while this ran is no loss.
    return guests.every((id) => kept.has(id) || !this.#guests.has(id));
  }
}
