import type { ClusterControl } from '@fabric/simulator/control/cluster-control';
import { type Simulator, startSimulator } from '@fabric/simulator/http-server';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { directProvider, type Interference } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import type { GuestRef } from '@/server/providers/hypervisor/types';
import { FIVE, makeIntent } from '../testing/five-guests.fixture';
import { reconcileGuest } from './reconcile-guest';

let simulator: Simulator;
const control = (): ClusterControl => simulator.cluster();

beforeAll(async () => {
  simulator = await startSimulator({ scenario: smallLab, timeScale: 1 });
});
afterAll(() => simulator?.close());

type Lab = { files: Map<string, string>; guests: Map<number, ReturnType<ClusterControl['guest']>>; config: string };

const reconcile = async (guest: GuestRef, version: 0 | 1 | 2, interfere?: Interference) => {
  const clean = directProvider(control(), { token: 'root' });
  const { creation_fingerprint } = await clean.inventory.readGuestConfig(guest);
  return reconcileGuest({
    provider: directProvider(control(), { token: 'root', ...(interfere && { interfere }) }),
    guest,
    fingerprint: creation_fingerprint,
    intent: makeIntent(guest.vmid, version),
    known: version === 1 ? undefined : { rules: true, options: true, sets: true },
    mayWrite: () => {},
    pause: async () => {},
  });
};

function take({ vmid }: GuestRef): Lab {
  const { state } = control();
  return { files: new Map(state.files), guests: new Map(state.guests), config: control().guest(vmid).configText };
}

function putBack({ vmid }: GuestRef, lab: Lab): void {
  const { state } = control();
  state.change(() => {
    state.files.clear();
    for (const [path, text] of lab.files) state.files.set(path, text);
    state.guests.clear();
    for (const [id, guest] of lab.guests) state.guests.set(id, guest);
    control().guest(vmid).configText = lab.config;
  });
}

const destroy = ({ vmid }: GuestRef): void => control().destroyGuest(vmid);

/** Another guest of the same kind gets the number, with an interface that is filtered as soon as its firewall is on. */
function reuse({ vmid, kind, node }: GuestRef): void {
  const nics = [{ bridge: 'vmbr0' }];
  control().reuseVmid({ vmid, type: kind, node, name: 'stranger', nics });
}

/** What is stored under a number, without what an empty file may consist of. */
const readContent = ({ vmid }: GuestRef) => ({
  file: (control().firewall.file(`firewall/${vmid}.fw`) ?? '')
    .split('\n')
    .filter((line) => !/^(?:\[RULES\])?$/.test(line)),
  config: control().state.guests.get(vmid)?.configText,
});

describe.each([
  ['is destroyed', destroy, 'not_found'],
  ['gets a successor with its number', reuse, 'another_guest'],
] as const)('a guest that %s while it is written to', (_, strike, code) => {
  it.each([
    ['created', 0, 1],
    ['replaced', 1, 2],
    ['cleaned up', 2, 0],
  ] as const)('leaves nothing under the number, whichever call it is, while rules are %s', async (__, from, to) => {
    for (const guest of FIVE) {
      const untouched = take(guest);
      onTestFinished(() => putBack(guest, untouched));
      if (from > 0) await reconcile(guest, 1);
      if (from > 1) await reconcile(guest, 2);
      const lab = take(guest);
      let calls = 0;
      await reconcile(guest, to, (___, execute) => {
        calls += 1;
        return execute();
      });
      for (let call = 0; call < calls; call++) {
        putBack(guest, lab);
        let number = 0;
        let writes = 0;
        let before: ReturnType<typeof readContent> | null = null;
        const outcome = await reconcile(guest, to, async (request, execute) => {
          if (number++ === call) {
            strike(guest);
            before = readContent(guest);
          }
          if (request.method !== 'GET') writes += 1;
          return execute();
        });
        const where = `guest ${guest.vmid}, call ${call} of ${calls}`;
        expect(readContent(guest), where).toEqual(before);
        // In the first and the last read of all, what is gone may have been read already, or be gone between two parts of the file.
        const reads = outcome.writes === 0 || call > calls - 8;
        const problem = outcome.status === 'failed' ? outcome.problems[0]?.code : 'none';
        expect([code, ...(reads ? ['not_found'] : []), ...(call > calls - 8 ? ['none'] : [])], where).toContain(
          problem,
        );
        // A flag whose interface is gone counts as sent.
        expect([writes, writes + 1], where).toContain(outcome.writes);
      }
    }
  });
});
