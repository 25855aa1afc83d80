import { type Simulator, startSimulator } from '@fabric/simulator/http-server';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '@/domain/firewall/evaluate';
import type { LiveState } from '@/domain/firewall/live-state';
import { possibleVerdicts } from '@/domain/firewall/oracle.fixture';
import type { Packet } from '@/domain/firewall/packet';
import { prepareGuest } from '@/domain/firewall/prepare-guest';
import { PLAIN_NODE } from '@/domain/firewall/random-state.fixture';
import { parseIp } from '@/domain/net/ip-address';
import type { Origin } from '@/domain/policy/plan/guest-filter';
import { NOTHING_WRITTEN } from '@/domain/policy/plan/switch-changes';
import { AnswerError } from '@/server/providers/hypervisor/pve/errors/classify';
import { TransportError } from '@/server/providers/hypervisor/pve/http/transport-error';
import { directProvider, type Interference } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import type { GuestRef, HypervisorProvider } from '@/server/providers/hypervisor/types';
import { getRunCount } from '@/test/thorough';
import {
  addOtherRules,
  FIVE,
  makeIntent,
  otherLines,
  policyLines,
  restore,
  type Snapshot,
  takeSnapshot,
} from '../testing/five-guests.fixture';
import { type GuestOutcome, reconcileGuest } from './reconcile-guest';

const SOURCES = ['10.3.0.5', '10.3.0.66', '10.3.0.9', '10.3.0.200', '10.3.2.7', '10.9.0.1', '10.20.0.3', '192.0.2.1'];
const KINDS = [
  { protocol: 6, destination_port: 22 },
  { protocol: 6, destination_port: 5432 },
  { protocol: 6, destination_port: 80 },
  { protocol: 17, destination_port: 53 },
];
const PACKETS: Packet[] = SOURCES.flatMap((text) => {
  const source = parseIp(text);
  const destination = parseIp('10.20.20.11');
  if (!source || !destination) throw new Error('not an address');
  return KINDS.map((kind): Packet => ({ direction: 'in', source, destination, source_port: 45_000, ...kind }));
});

let simulator: Simulator;
let clean: HypervisorProvider;
let cluster: Awaited<ReturnType<HypervisorProvider['firewallReader']['readClusterFirewall']>>;
/** Before version 1, with it, and with version 2. */
let labs: Snapshot[];
/** What is stored of each guest: how it was before the policy, and what was written to its switches. */
const origins = new Map<number, Origin>();

const control = () => simulator.cluster();

async function liveState(guest: GuestRef): Promise<{ state: LiveState; nics: { name: string; firewall: boolean }[] }> {
  const { rules, options, ipsets, aliases } = await clean.firewallReader.readGuestFirewall(guest);
  const { nics } = await clean.inventory.readGuestConfig(guest);
  const sets = Object.entries(ipsets ?? {}).map(([name, { entries }]) => [name, entries] as const);
  return {
    state: {
      cluster,
      guest: {
        rules: rules?.items ?? null,
        options: options?.value ?? null,
        ipsets: Object.fromEntries(sets),
        aliases,
      },
      node: PLAIN_NODE,
    },
    nics,
  };
}

/** What happens to every packet at every interface of a guest. */
async function verdicts(guest: GuestRef): Promise<string[]> {
  const { state, nics } = await liveState(guest);
  return nics.flatMap(({ name, firewall }) => {
    const prepared = prepareGuest(state, { name, firewall, mac: null });
    return PACKETS.map((packet) => evaluate(prepared, packet).verdict);
  });
}

/** The same by the second, literal reading of the filter; null where it is not enforced. */
async function oracle(guest: GuestRef): Promise<boolean[]> {
  const { state, nics } = await liveState(guest);
  return nics.flatMap(({ name, firewall }) =>
    PACKETS.map((packet) => {
      if (!firewall || !state.guest.options?.enable) return true;
      const possible = possibleVerdicts(state, { name, firewall, mac: null }, packet);
      return possible.size === 1 && possible.has('accept');
    }),
  );
}

const run =
  (version: 0 | 1 | 2, interfere?: Interference, guests = FIVE) =>
  async (): Promise<GuestOutcome[]> => {
    const provider = directProvider(control(), { token: 'root', ...(interfere && { interfere }) });
    const outcomes: GuestOutcome[] = [];
    for (const guest of guests) {
      outcomes.push(
        await reconcileGuest({
          provider,
          guest,
          fingerprint: null,
          intent: makeIntent(guest.vmid, version, origins.get(guest.vmid)),
          ...(version !== 1 && { known: { rules: true, options: true, sets: true } }),
          origin: origins.get(guest.vmid) ?? { baseline: null, written: NOTHING_WRITTEN },
          onPlan: async (state) => {
            if (!origins.has(guest.vmid)) origins.set(guest.vmid, { baseline: state, written: NOTHING_WRITTEN });
            return origins.get(guest.vmid);
          },
          onSwitch: async (written) => {
            const { baseline } = origins.get(guest.vmid) ?? { baseline: null };
            origins.set(guest.vmid, { baseline, written });
          },
          mayWrite: () => {},
          pause: async () => {},
        }),
      );
    }
    return outcomes;
  };

/** Files and interfaces as they are, without what the hypervisor shuffles by itself. */
function result(guests = FIVE): string[] {
  return guests.map(({ vmid }) => {
    const file = (control().firewall.guestFile(vmid) ?? '').split('\n');
    const isOption = (line: string) => /^[a-z_]+: /.test(line);
    const options = file.filter(isOption).sort();
    const nics = control()
      .guest(vmid)
      .configText.split('\n')
      .filter((line) => line.startsWith('net'));
    return [...options, ...file.filter((line) => !isOption(line)), ...nics].join('\n');
  });
}

const findGuest = (path: string) => FIVE.find(({ vmid }) => path.includes(`/${vmid}/`));

type Expectation = {
  before: string[];
  after: string[];
  allowedBefore: boolean[];
  allowedAfter: boolean[];
  seen: Set<string>;
};

/**
 * Checks the guest after each write: a decision that is the same before and at the end must not differ in between. A
 * state that was already checked is not checked again.
 */
function watch(expected: Map<number, Expectation>, next: Interference, withOracle = false): Interference {
  return async (request, execute) => {
    try {
      return await next(request, execute);
    } finally {
      const guest = request.method === 'GET' ? undefined : findGuest(request.path);
      const known = guest && expected.get(guest.vmid);
      const state = guest && result([guest])[0];
      if (guest && known && state !== undefined && !(known.seen.has(state) && !withOracle)) {
        known.seen.add(state);
        // An unconfirmed write is looked for, not sent again.
        const written = policyLines(control(), guest.vmid).map((line) => line.replace(/^\|/, ''));
        expect(new Set(written).size, `guest ${guest.vmid} has a rule twice`).toBe(written.length);
        const now = await verdicts(guest);
        const strange = now.findIndex((verdict, i) => verdict !== known.before[i] && verdict !== known.after[i]);
        expect(strange, `guest ${guest.vmid} after ${request.method} ${request.path}`).toBe(-1);
        if (withOracle) {
          const allowed = await oracle(guest);
          const denied = allowed.findIndex((ok, i) => !ok && known.allowedBefore[i] && known.allowedAfter[i]);
          expect(denied, `guest ${guest.vmid}: a packet that both allow`).toBe(-1);
        }
      }
    }
  };
}

const pass: Interference = (_, execute) => execute();
/** Lets calls pass until the one with this number. */
const at = (number: number, strike: Interference): Interference =>
  (() => {
    let calls = 0;
    return (request, execute) => (calls++ === number ? strike(request, execute) : execute());
  })();

const reset = () =>
  new TransportError('unreachable', 'The connection broke', 'Try again.', { sent: true, reset: true });
/** The calls at which a fault is tried; each guest starts at a different call, so that together they cover all positions. */
type Choice = (methods: readonly string[], call: number, guest: number) => boolean;
const everyNth =
  (every: number): Choice =>
  (_, call, guest) =>
    (call + guest) % (getRunCount(4, 1) * every) === 0;
/** Failed reads are all repeated in the same way; a write fails in one of two ways, or in both when there is more time. */
const writes =
  (turn: 0 | 1): Choice =>
  (methods, call, guest) => {
    const before = methods.slice(0, call).filter((method) => method !== 'GET').length;
    return methods[call] === 'GET'
      ? everyNth(5)(methods, call, guest)
      : (before + guest + turn) % getRunCount(4, 1) === 0;
  };
/** Nothing is stored or written between two reads, so a kill at the second one leaves the same state as at the first. */
const allStates: Choice = (methods, call) => methods[call] !== 'GET' || methods[call - 1] !== 'GET';

/** What may go wrong, and at which calls it is tried. */
const FAULTS: [name: string, where: Choice, fault: Interference][] = [
  [
    'a 5xx',
    writes(0),
    async () => {
      throw new AnswerError({ status: 500, text: 'ipcc_send_rec[1] failed: Connection refused' });
    },
  ],
  [
    'a reset after the call',
    writes(1),
    async (_, execute) => {
      await execute();
      throw reset();
    },
  ],
  [
    'a timeout, nothing done',
    writes(0),
    async () => {
      throw new TransportError('timeout', 'No complete answer', 'Look at the node.', { sent: true });
    },
  ],
  [
    'a timeout of the node, the work done',
    everyNth(4),
    async (_, execute) => {
      await execute();
      throw new AnswerError({ status: 596, text: 'Connection timed out' });
    },
  ],
  [
    'a reset before the call',
    everyNth(4),
    async () => {
      throw reset();
    },
  ],
  [
    'a file that is being replaced',
    everyNth(1),
    async (request, execute) => {
      const guest = findGuest(request.path);
      if (guest && request.method === 'GET') control().firewall.readEmptyOnce(`firewall/${guest.vmid}.fw`);
      return execute();
    },
  ],
  [
    'a lock that is held',
    everyNth(4),
    async () => {
      throw new AnswerError({ status: 500, text: "cfs-lock 'firewall-vm-100' error: got lock request timeout" });
    },
  ],
];

beforeAll(async () => {
  simulator = await startSimulator({ scenario: smallLab, timeScale: 1 });
  clean = directProvider(control());
  cluster = await clean.firewallReader.readClusterFirewall();
  addOtherRules(control());
  labs = [takeSnapshot(control())];
  for (const version of [1, 2] as const) {
    await run(version)();
    labs.push(takeSnapshot(control()));
  }
});
afterAll(() => simulator?.close());

const SCENARIOS = [
  ['creating', 0, 1],
  ['replacing', 1, 2],
  ['cleaning up', 2, 0],
] as const;

describe.each(SCENARIOS)('%s the rules of five guests', (_, from, to) => {
  let expected: Map<number, Expectation>;
  let calls: number;
  let desired: string[];

  const start = (version: number = from) => restore(control(), labs[version] as Snapshot);

  beforeAll(async () => {
    start();
    expected = new Map();
    for (const guest of FIVE) {
      const [before, allowedBefore] = [await verdicts(guest), await oracle(guest)];
      expected.set(guest.vmid, { before, after: [], allowedBefore, allowedAfter: [], seen: new Set() });
    }
    const foreign = FIVE.map(({ vmid }) => otherLines(control(), vmid));
    calls = 0;
    await run(to, (request, execute) => {
      calls += 1;
      return pass(request, execute);
    })();
    for (const guest of FIVE) {
      const known = expected.get(guest.vmid);
      if (known) Object.assign(known, { after: await verdicts(guest), allowedAfter: await oracle(guest) });
    }
    desired = result();
    const ended = takeSnapshot(control());
    // There were no edits: every guest that has no other policy is again as it was.
    if (to === 0) {
      start(0);
      const effect = (text: string | undefined) =>
        (text ?? '').split(/\n+/).filter((line) => line !== '' && line !== '[RULES]');
      const others = new Set([100]);
      for (const [at, text] of result().entries()) {
        if (others.has(FIVE[at]?.vmid ?? 0)) continue;
        // A flag of 0 and none at all are the same.
        expect(effect(desired[at]?.replace(',firewall=0', ''))).toEqual(effect(text));
      }
      restore(control(), ended);
    }
    expect(FIVE.map(({ vmid }) => otherLines(control(), vmid))).toEqual(foreign);
    for (const { vmid } of FIVE) expect(policyLines(control(), vmid)).toHaveLength(makeIntent(vmid, to).rules.length);
  });

  it('passes both evaluators after every write and writes nothing the second time', async () => {
    start();
    const outcomes = await run(to, watch(expected, pass, true))();
    expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('ok'));
    expect(result()).toEqual(desired);
    const again = await run(to)();
    expect(again.map(({ status, writes }) => [status, writes])).toEqual(Array(5).fill(['unchanged', 0]));
    expect(calls).toBeGreaterThan(60);
  });

  /** What a worker that is killed at a call leaves behind: the cluster and what is stored of the guest. */
  type Left = { lab: Snapshot; vmid: number; origin: Origin | undefined };
  const leave = ({ lab, vmid, origin }: Left) => {
    restore(control(), lab);
    if (origin) origins.set(vmid, origin);
    else origins.delete(vmid);
  };

  /** Guests do not depend on each other, so each is looked at alone: the calls of the whole all the same. */
  async function atCalls(
    where: Choice,
    check: (guests: GuestRef[], call: number, where: string) => Promise<void>,
    begin: (left: Left) => void = () => start(),
  ): Promise<void> {
    for (const [number, guest] of FIVE.entries()) {
      const methods: string[] = [];
      const left: Left[] = [];
      start();
      await run(
        to,
        (request, execute) => {
          methods.push(request.method);
          left.push({ lab: takeSnapshot(control()), vmid: guest.vmid, origin: origins.get(guest.vmid) });
          return pass(request, execute);
        },
        [guest],
      )();
      for (const [call, known] of left.entries()) {
        if (!where(methods, call, number)) continue;
        begin(known);
        await check([guest], call, `guest ${guest.vmid}, call ${call}`);
        expect(result([guest]), `guest ${guest.vmid}, call ${call}`).toEqual([desired[FIVE.indexOf(guest)]]);
      }
    }
  }

  it('may be killed at any call: nothing is cut off, and the next one ends with exactly the new rules', async () => {
    const next = async (guests: GuestRef[], _: number, where: string) => {
      const [outcome] = await run(to, watch(expected, pass), guests)();
      expect(['ok', 'unchanged'], where).toContain(outcome?.status);
    };
    // The states themselves are those after each write, which were checked above.
    await atCalls(allStates, next, leave);
  });

  it.each(FAULTS)('survives %s at any call', async (_, where, fault) => {
    await atCalls(where, async (guests, call) => {
      const [outcome] = await run(to, watch(expected, at(call, fault)), guests)();
      if (outcome?.status === 'ok') return;
      // What is not done is said, with a remedy; doing it again does it.
      expect(outcome?.problems[0]?.remedy).toEqual(expect.any(String));
      await run(to, watch(expected, pass), guests)();
    });
  });

  it('reports the error when it does not pass, and continues from there later', async () => {
    await atCalls(everyNth(3), async (guests, call, where) => {
      let count = 0;
      const broken: Interference = async (_, execute) => {
        if (count++ < call) return execute();
        throw new AnswerError({ status: 500, text: 'out of order' });
      };
      const [outcome] = await run(to, watch(expected, broken), guests)();
      // What is not needed may be unreadable: aliases of the guest.
      if (outcome?.status === 'ok') return;
      expect(outcome, where).toMatchObject({ problems: [{ code: 'server_error' }] });
      await run(to, watch(expected, pass), guests)();
    });
  });
});
