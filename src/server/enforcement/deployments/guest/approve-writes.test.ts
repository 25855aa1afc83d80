import { type Simulator, startSimulator } from '@fabric/simulator/http-server';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomSource } from '@/domain/firewall/random-state.fixture';
import type { ClusterSnapshot } from '@/domain/firewall/snapshot';
import type { InputWorkload } from '@/server/enforcement/queries/policy-inputs';
import { directProvider, type Interference } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import type { GuestRef } from '@/server/providers/hypervisor/types';
import { getRunCount } from '@/test/thorough';
import { previewDifference } from '../../policies/preview/preview-guest';
import { addOtherRules, FIVE, makeIntent, restore, takeSnapshot } from '../testing/five-guests.fixture';
import { approveWrites } from './approve-writes';
import { GuestProblem } from './perform-step';
import { readGuestFilter } from './read-guest-filter';
import { reconcileGuest } from './reconcile-guest';

let simulator: Simulator;
const control = () => simulator.cluster();

beforeAll(async () => {
  simulator = await startSimulator({ scenario: smallLab, timeScale: 1 });
  addOtherRules(control());
});
afterAll(() => simulator?.close());

type Random = () => number;
const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

/** What people do at a cluster: to the guest, to what it refers to, and to what is none of its business. */
function edit(random: Random, vmid: number): void {
  const { firewall } = control();
  const port = 1000 + Math.floor(random() * 60_000);
  const file = () => firewall.guestFile(vmid) ?? '';
  const set = (text: string) => firewall.setFile(`firewall/${vmid}.fw`, text);
  const cluster = firewall.file('firewall/cluster.fw') ?? '';
  const config = control().guest(vmid).configText;
  const options = (line: string) =>
    set(
      file().includes('[OPTIONS]')
        ? file().replace('[OPTIONS]\n', `[OPTIONS]\n\n${line}`)
        : `[OPTIONS]\n\n${line}\n\n${file()}`,
    );
  pick(random, [
    () => firewall.insertRule(vmid, `IN DROP -p tcp -dport ${port} -log nolog # somebody`, 0),
    () => firewall.insertRule(vmid, `OUT ACCEPT -p udp -dport ${port} -log nolog`, 99),
    () => set(file().replace(/^(?:IN|OUT) .*\n/m, '')),
    () => set(file().replace(/^IN ACCEPT/m, 'IN DROP')),
    () => set(file().replace(/^IN /m, '|IN ')),
    () => options(pick(random, ['macfilter: 0', 'dhcp: 0', 'ipfilter: 1', 'policy_out: DROP', 'policy_in: REJECT'])),
    () => set(file().replace(/^enable: 1$/m, 'enable: 0')),
    () => set(`${file()}\n[IPSET ipfilter-net0]\n\n10.9.${port % 250}.0/24\n\n`),
    () => firewall.setFile('firewall/cluster.fw', cluster.replace('-dport 80,443', `-dport ${port}`)),
    () => firewall.setFile('firewall/cluster.fw', cluster.replace('10.20.0.0/24', `10.20.${port % 250}.0/24`)),
    () => control().setConfig(vmid, { net0: config.match(/net0: (.*)/)?.[1]?.replace(',firewall=1', '') }),
    () => control().migrate(vmid, pick(random, ['pve1', 'pve2', 'pve3'])),
  ])();
}

type Write = string;

/** Applies what was shown of a guest, with whatever happens before a call, and tells every write that was sent. */
async function applyPreview(guest: GuestRef, version: 1 | 2, fingerprint: string, interfere: (call: number) => void) {
  const writes: Write[] = [];
  let calls = 0;
  const watch: Interference = async (request, execute) => {
    interfere(calls++);
    if (request.method === 'GET') return execute();
    const { digest: _, ...params } = (request.params ?? {}) as Record<string, unknown>;
    writes.push(`${request.method} ${request.path.replace(/^.*\/(?:qemu|lxc)\//, '')} ${JSON.stringify(params)}`);
    return execute();
  };
  const provider = directProvider(control(), { interfere: watch });
  const intent = makeIntent(guest.vmid, version);
  const outcome = await reconcileGuest({
    provider,
    guest,
    fingerprint: null,
    intent,
    mayWrite: () => {},
    pause: async () => {},
    approve: approveWrites({
      fingerprint,
      workload: toWorkload(guest),
      intent,
      before: null,
      readCluster: async (): Promise<ClusterSnapshot> => provider.firewallReader.readClusterFirewall(),
      onChanged: async () => {},
    }),
  }).catch((error: unknown) => {
    if (error instanceof GuestProblem && error.skipped)
      return { status: 'skipped' as const, problems: [error.problem] };
    throw error;
  });
  return { outcome, writes, calls };
}

const toWorkload = ({ node, vmid }: GuestRef) =>
  ({ id: `w${vmid}`, vmid, node_name: node, addresses: [], nftables: false }) as unknown as InputWorkload;

const once = (writes: readonly Write[]) => writes.filter((write, i) => write !== writes[i - 1]);

/** What a preview shows of a guest. */
async function previewGuestState(guest: GuestRef, version: 1 | 2) {
  const clean = directProvider(control());
  const state = await readGuestFilter(clean, guest, null);
  const cluster = await clean.firewallReader.readClusterFirewall();
  const known = { workload: toWorkload(guest), state: state.snapshot, cluster };
  return previewDifference(state, makeIntent(guest.vmid, version), known);
}

describe('an apply of what a preview showed', () => {
  it('sends the writes that the preview led to, a beginning of them, or none', async () => {
    const start = takeSnapshot(control());
    const tally = { ok: 0, skipped: 0, stopped: 0 };
    for (let seed = 0; seed < getRunCount(32, 90); seed++) {
      const random = randomSource(seed);
      restore(control(), start);
      const guest = pick(random, FIVE);
      const version = pick(random, [1, 2] as const);
      // An unplanned state.
      for (let n = Math.floor(random() * 4); n > 0; n--) edit(random, guest.vmid);
      if (random() < 0.3) await applyPreview(guest, 1, (await previewGuestState(guest, 1)).fingerprint, () => {});
      const begun = takeSnapshot(control());
      const { fingerprint } = await previewGuestState(guest, version);
      const calm = await applyPreview(guest, version, fingerprint, () => {});
      expect(['ok', 'unchanged', 'partial'], `seed ${seed}`).toContain(calm.outcome.status);

      // The same again with an edit: before the first request, or right before some call.
      restore(control(), begun);
      const moment = random() < 0.4 ? 0 : Math.floor(random() * calm.calls);
      const edited = await applyPreview(guest, version, fingerprint, (call) => {
        if (call === moment) edit(random, guest.vmid);
      });
      // Who takes the last write back has it written once more.
      const [sent, all] = [once(edited.writes), once(calm.writes)];
      expect(sent, `seed ${seed}`).toEqual(all.slice(0, sent.length));
      const { status, problems } = edited.outcome;
      if (status === 'skipped') {
        tally.skipped += 1;
        expect(problems[0]?.code).toBe('changed_since_preview');
      } else if (status === 'failed') {
        tally.stopped += 1;
        expect(problems.at(-1)?.code, `seed ${seed}`).toBe('changed_since_preview');
      } else {
        tally.ok += 1;
        expect([0, all.length], `seed ${seed}`).toContain(sent.length);
      }
      if (all.length === 0) expect(sent).toEqual([]);
    }
    expect(Math.min(...Object.values(tally)), JSON.stringify(tally)).toBeGreaterThan(5);
  });
});
