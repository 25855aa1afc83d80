import { evaluate } from '../../firewall/evaluate';
import type { LiveRule } from '../../firewall/live-state';
import type { Packet } from '../../firewall/packet';
import { chainRules, type PreparedGuest } from '../../firewall/prepare-guest';
import { parseIp } from '../../net/ip-address';
import type { DormantEffect } from './dormant';
import { generateProbes } from './dormant-probes';

const WEIGHT: readonly DormantEffect[] = ['none', 'allows', 'unknown', 'cuts'];

/** The one of several effects that matters most. */
export const worstEffect = (effects: readonly DormantEffect[]): DormantEffect =>
  effects.reduce((worst, effect) => (WEIGHT.indexOf(effect) > WEIGHT.indexOf(worst) ? effect : worst), 'none');

/** Packets evaluated for one rule at one interface; with more kinds than that, its effect is taken for granted. */
const MAX_PROBES = 1_000;

const DIRECTIONS: Record<string, readonly ('in' | 'out')[]> = { in: ['in'], out: ['out'], group: ['in', 'out'] };

/** Whether a guest without anything stored would block anything in a direction after the apply. */
function deniesByDefault(empty: PreparedGuest, direction: 'in' | 'out', family: 4 | 6): boolean {
  const policy = direction === 'in' ? empty.options?.policy_in : empty.options?.policy_out;
  return policy !== 'ACCEPT' || chainRules(empty, direction, family).some(({ action }) => action !== 'accept');
}

function packetEffect(packet: Packet, position: number, after: PreparedGuest, empty: PreparedGuest): DormantEffect {
  const { verdict, decided_by: by } = evaluate(after, packet);
  // Which rule decides in the end is not known: it may be this one, behind one that may not match.
  if (by.kind === 'unknown') return 'unknown';
  if (by.kind !== 'rule' || by.scope !== undefined || by.position !== position) return 'none';
  if (verdict !== 'accept') return 'cuts';
  const otherwise = evaluate(empty, packet).verdict;
  return otherwise === 'accept' ? 'none' : otherwise === 'unknown' ? 'unknown' : 'allows';
}

/**
 * Effect of a dormant rule once it is active: `none` only if it changes the result of no packet that it could match.
 * Tests one packet of each kind that the rules distinguish, as representative of all of them.
 * @param position of the rule in the list after the apply
 */
export function ruleEffect(
  rule: LiveRule,
  position: number,
  after: PreparedGuest,
  empty: PreparedGuest,
): DormantEffect {
  const found: DormantEffect[] = [];
  let left = MAX_PROBES;
  for (const direction of DIRECTIONS[rule.type] ?? []) {
    for (const family of [4, 6] as const) {
      const parts = chainRules(after, direction, family).filter(({ place }) => place.position === position);
      for (const part of parts) {
        if (part.action === 'accept' && !deniesByDefault(empty, direction, family) && !after.options?.ips) continue;
        for (const packet of generateProbes(part, after, direction, family)) {
          if (left-- <= 0) return part.action === 'accept' ? worstEffect([...found, 'unknown']) : 'cuts';
          const effect = packetEffect(packet, position, after, empty);
          if (effect === 'cuts') return effect;
          if (effect !== 'none') found.push(effect);
          if (effect === 'allows' && rule.type !== 'group') break;
        }
      }
    }
  }
  return worstEffect(found);
}

/** What becomes of traffic from the addresses that a workload uses. */
export type SenderCheck = {
  readonly blocked: readonly string[];
  readonly unknown: readonly string[];
  readonly passing: readonly string[];
};

const ANYWHERE = { 4: parseIp('192.0.2.1'), 6: parseIp('2001:db8::1') } as const;

/** Whether the address filter itself could not be followed, or is there with one of two possible implementations only. */
const isFilterUnknown = ({ reason, places }: { reason: string; places: readonly unknown[] }): boolean =>
  (reason === 'unknown_reference' && places.length === 0) || reason === 'unknown_implementation';

/** Which of these addresses the interface may not send from. */
export function checkSenders(after: PreparedGuest, addresses: readonly string[]): SenderCheck {
  const check = { blocked: [] as string[], unknown: [] as string[], passing: [] as string[] };
  for (const text of new Set(addresses.map((address) => address.split('/')[0] ?? address))) {
    const source = parseIp(text);
    const destination = source && ANYWHERE[source.family];
    if (!source || !destination) continue;
    const packet = { direction: 'out', source, destination, protocol: 6, source_port: 40_000, destination_port: 443 };
    const { decided_by: by } = evaluate(after, packet as Packet);
    if (by.kind === 'builtin' && by.name === 'ip_filter') check.blocked.push(text);
    else if (by.kind === 'unknown' && isFilterUnknown(by)) check.unknown.push(text);
    else check.passing.push(text);
  }
  return check;
}
