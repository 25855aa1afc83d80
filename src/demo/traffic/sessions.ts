import { getGuestByName } from '../inventory/company';
import { outsideAddress } from './outside';
import { officeProfiles } from './profiles/office';
import { platformProfiles } from './profiles/platform';
import type { Ends, Profile } from './profiles/profile';
import { shopProfiles } from './profiles/shop';
import { troubleProfiles } from './profiles/trouble';
import { localTime, RHYTHMS } from './rhythm';
import { roll, rollInt, rollPick } from './roll';

export const PROFILES: readonly Profile[] = [
  ...shopProfiles,
  ...platformProfiles,
  ...officeProfiles,
  ...troubleProfiles,
];

/** Demo time is counted in slots; number 0 began in 1970. */
export const SLOT_MS = 15_000;

export const slotAt = (ms: number): number => Math.floor(ms / SLOT_MS);
export const startOfSlot = (slot: number): number => slot * SLOT_MS;

/** One end of a conversation; `site` and `vmid` when it is a guest. */
export type End = { address: string; site?: string; vmid?: number };

/** One conversation of the demo: opened by the client in `start_slot`, over after `slots`. */
export type Session = {
  profile: string;
  protocol: Profile['protocol'];
  client: End;
  server: End;
  /** Null for ICMP. */
  client_port: number | null;
  server_port: number | null;
  start_slot: number;
  slots: number;
  /** Of the whole conversation. */
  bytes_up: number;
  bytes_down: number;
  refused: boolean;
};

export type Slots = { /** First and last slot, both included. */ from: number; to: number };

const FIRST_PORT = 32_768;
const PORTS = 28_229;
/** Has no factor in common with PORTS: consecutive numbers are far apart, and none comes twice. */
const STRIDE = 7_919;

/** Number of the first lane of each profile. */
const firstLanes: number[] = [];
let laneCount = 0;
for (const { lanes } of PROFILES) {
  firstLanes.push(laneCount);
  laneCount += lanes;
}
/** Every lane has ports of its own, so that two conversations at a time never have the same ends and ports. */
const PORTS_PER_LANE = Math.floor(PORTS / laneCount);

function pickEnd(ends: Ends, isV6: boolean, choice: readonly number[]): End {
  if ('outside' in ends) return { address: outsideAddress(ends.outside, ...choice) };
  const { site, guest } = getGuestByName(rollPick(ends, ...choice));
  return { address: (isV6 && guest.address6) || guest.address, site: site.name, vmid: guest.vmid };
}

const isV6 = ({ from }: Profile) => 'outside' in from && from.outside === 'customers6';

/** A third to three times the middle, mostly near it. */
const around = (middle: number, dice: number) => Math.round(middle * 3 ** (2 * dice - 1));

function buildSession(seed: number, index: number, profile: Profile, lane: number, n: number): Session | null {
  const offset = rollInt(0, profile.period - 1, seed, index, lane, 1);
  const start_slot = n * profile.period + offset;
  const time = localTime(startOfSlot(start_slot));
  const chance = RHYTHMS[profile.rhythm](time);
  if (roll(seed, index, lane, n, 2) >= chance) return null;
  const port = ((firstLanes[index] ?? 0) + lane) * PORTS_PER_LANE + (n % PORTS_PER_LANE);
  // Lanes of `fixed` profiles go around the ends, so that every one of them has a lane.
  const pick = (ends: Ends, salt: number, around: number): End => {
    if (profile.fixed && Array.isArray(ends))
      return pickEnd([ends[around % ends.length] as string], isV6(profile), [0]);
    return pickEnd(ends, isV6(profile), [seed, index, lane, profile.fixed ? 0 : n, salt]);
  };
  const clients = Array.isArray(profile.from) ? profile.from.length : 1;
  // Otherwise two clients and four servers would make only two pairs each.
  const shift = clients > 1 ? Math.floor(lane / clients) : 0;
  const [shortest, longest] = profile.duration;
  const volume = RHYTHMS[profile.volume ?? 'always'](time);
  const isIcmp = profile.protocol === 'icmp';
  const client_port = isIcmp ? null : FIRST_PORT + ((port * STRIDE) % PORTS);
  return {
    profile: profile.name,
    protocol: profile.protocol,
    client: pick(profile.from, 3, lane),
    server: pick(profile.to, 4, lane + shift),
    client_port,
    server_port: isIcmp ? null : rollPick(profile.ports, seed, index, lane, n, 5),
    start_slot,
    slots: rollInt(shortest, longest, seed, index, lane, n, 6),
    bytes_up: around(profile.up * volume, roll(seed, index, lane, n, 7)),
    bytes_down: around(profile.down * volume, roll(seed, index, lane, n, 8)),
    refused: profile.refused === true,
  };
}

/**
 * All conversations that go on in some of the slots. The same seed and slots give the same conversations, whatever was
 * asked before; two that go on at the same time never have the same ends and ports.
 */
export function buildSessions(seed: number, { from, to }: Slots): Session[] {
  const sessions: Session[] = [];
  for (const [index, profile] of PROFILES.entries()) {
    const longest = profile.duration[1];
    for (let lane = 0; lane < profile.lanes; lane += 1) {
      const first = Math.floor((from - longest - profile.period + 1) / profile.period);
      const last = Math.floor(to / profile.period);
      for (let n = Math.max(0, first); n <= last; n += 1) {
        const session = buildSession(seed, index, profile, lane, n);
        if (!session || session.client.address === session.server.address) continue;
        const end = session.start_slot + session.slots;
        if (session.start_slot <= to && end > from) sessions.push(session);
      }
    }
  }
  return sessions;
}

export type Counts = { bytes: number; packets: number };

/** The smallest frame. */
const FRAME = 60;

/** What a conversation has transferred in one direction before a slot: whole packets, spread evenly over its slots. */
export function countsBefore(session: Session, direction: 'up' | 'down', slot: number): Counts {
  const elapsed = Math.min(Math.max(slot - session.start_slot, 0), session.slots);
  const [own, other] =
    direction === 'up' ? [session.bytes_up, session.bytes_down] : [session.bytes_down, session.bytes_up];
  // Full frames, and acknowledgements for what the other side sends.
  const all = Math.max(1, Math.ceil(own / 1400), Math.ceil(other / 2900));
  const packets = Math.ceil((all * elapsed) / session.slots);
  return { bytes: Math.ceil((Math.max(own, all * FRAME) * packets) / all), packets };
}
