import { createHash } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { ClusterControl } from '@fabric/simulator/control/cluster-control';
import {
  type ClusterIdentity,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '@fabric/simulator/http-server';
import { z } from 'zod';
import { SITES } from '../inventory/company';
import { demoScenario } from '../inventory/scenario';
import { KeptFile } from '../kept-file';

/** The port of the real product; no one else listens on these loopback addresses, as a rule. */
const USUAL_PORT = 8006;
/** How often what changed in the clusters is written down. */
const KEEP_MS = 2_000;

const Certificate = z.object({
  certPem: z.string(),
  keyPem: z.string(),
  fingerprint256: z.string(),
  altNames: z.array(z.string()),
});
const Identity = z.object({
  authority: z.object({ caPem: z.string(), caKeyPem: z.string() }),
  nodes: z.record(z.string(), Certificate),
}) satisfies z.ZodType<ClusterIdentity>;
const Address = z.object({ port: z.int(), identities: z.record(z.string(), Identity) });

const Kept = z.object({
  /** Of the scenario: what is kept of another one does not fit. */
  world: z.string(),
  clusters: z.record(
    z.string(),
    z.object({
      files: z.record(z.string(), z.string()),
      guests: z.record(z.string(), z.object({ config: z.string(), started_at: z.number() })),
    }),
  ),
});

const world = createHash('sha256').update(JSON.stringify(SITES)).digest('hex');

const ATTEMPTS = 10;
const isPortInUse = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';

/** Firewall files and guest configurations, which clients can change, and since when the guests run. */
const exportContent = ({ state }: ClusterControl) => ({
  files: Object.fromEntries(state.files),
  guests: Object.fromEntries(
    [...state.guests].map(([vmid, guest]) => [String(vmid), { config: guest.configText, started_at: guest.startedAt }]),
  ),
});

function restore({ state, enforcement }: ClusterControl, kept: ReturnType<typeof exportContent>): void {
  state.files.clear();
  for (const [path, text] of Object.entries(kept.files)) state.files.set(path, text);
  for (const [vmid, { config, started_at }] of Object.entries(kept.guests)) {
    const guest = state.guests.get(Number(vmid));
    if (!guest) continue;
    guest.configText = config;
    guest.startedAt = started_at;
  }
  state.status.prime(state.clock.now());
  enforcement.compileNow();
}

const exportIdentity = ({ state }: ClusterControl): ClusterIdentity => ({
  authority: { caPem: state.authority.caPem, caKeyPem: state.authority.caKeyPem },
  nodes: Object.fromEntries(
    [...state.nodes.values()].flatMap(({ name, certificate }) => (certificate ? [[name, certificate]] : [])),
  ),
});

/** A port without a listener. */
async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.10.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** All clusters listen on one port, so that one number is all there is to keep. Who finds it taken moves to another. */
async function startOnOnePort(options: SimulatorOptions, requested: number): Promise<Simulator> {
  for (let port = requested, attempt = 0; ; attempt += 1) {
    try {
      return await startSimulator({ ...options, port });
    } catch (error) {
      if (!isPortInUse(error) || attempt >= ATTEMPTS) throw error;
      port = await findFreePort();
    }
  }
}

export type DemoSimulator = { simulator: Simulator; close(): Promise<void> };

/**
 * Starts the clusters of the demo at the address, with the certificates and in the state of the last start.
 * @param directory where the demo keeps its files
 * @throws Error of the system when this machine does not let it listen on 127.0.10.1 and the adjacent addresses
 */
export async function startDemoSimulator(directory: string): Promise<DemoSimulator> {
  const addressFile = new KeptFile(join(directory, 'simulator.json'), Address);
  const contentFile = new KeptFile(join(directory, 'clusters.json'), Kept);
  const known = addressFile.read();
  const options = { scenario: demoScenario, identities: known?.identities };
  const simulator = await startOnOnePort(options, known?.port ?? USUAL_PORT);
  const { clusters } = simulator;
  addressFile.write({
    port: clusters[0]?.nodes[0]?.port ?? 0,
    identities: Object.fromEntries(clusters.map((cluster) => [cluster.name, exportIdentity(cluster)])),
  });
  const before = contentFile.read();
  for (const cluster of clusters) {
    const kept = before?.world === world ? before.clusters[cluster.name] : undefined;
    if (kept) restore(cluster, kept);
  }
  const keep = () => {
    contentFile.write({
      world,
      clusters: Object.fromEntries(clusters.map((cluster) => [cluster.name, exportContent(cluster)])),
    });
  };
  keep();
  const timer = setInterval(keep, KEEP_MS);
  return {
    simulator,
    async close() {
      clearInterval(timer);
      keep();
      await simulator.close();
    },
  };
}
