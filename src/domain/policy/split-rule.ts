import type { CompilableRule, DesiredSet, RuleContent } from './desired';
import { contentHash } from './marker';
import type { SecurityRuleInput } from './policy';

/** What the hypervisor takes in one rule. */
const MAX_ADDRESS_TEXT = 512;
const MAX_PORT_NUMBERS = 15;
/** Lists that would need more rules than this become a set of the guest. */
const MAX_ADDRESS_RULES = 2;

/** Addresses of the other side: every address, or a list of one family. */
export type PeerList = { readonly family: 4 | 6 | null; readonly cidrs: readonly string[] | 'any' };

/** Names of our sets on a guest begin with this. */
export const SET_PREFIX = 'fabric-';

function chunks<T>(items: readonly T[], size: (item: T) => number, most: number): T[][] {
  const result: T[][] = [];
  let used = most + 1;
  for (const item of items) {
    const cost = size(item);
    const open = result.at(-1);
    if (open && used + cost <= most) {
      open.push(item);
      used += cost;
    } else {
      result.push([item]);
      used = cost;
    }
  }
  return result;
}

/** Texts for the address field, and the set when there is one. `undefined` means every address. */
function addressTexts({ family, cidrs }: PeerList): { texts: (string | undefined)[]; set: DesiredSet | null } {
  if (cidrs === 'any') return { texts: [undefined], set: null };
  // Each element but the first costs a comma too; counting one for the first as well only makes lists one shorter.
  const lists = chunks(cidrs, (cidr) => cidr.length + 1, MAX_ADDRESS_TEXT);
  if (lists.length <= MAX_ADDRESS_RULES) return { texts: lists.map((list) => list.join(',')), set: null };
  const name = `${SET_PREFIX}${family === 6 ? 'v6-' : 'v4-'}${contentHash(cidrs.join(','))}`;
  return { texts: [`+guest/${name}`], set: { name, cidrs } };
}

/** Texts for a port field; a range counts as two numbers. `undefined` means every port. */
function portTexts(ports: readonly string[]): (string | undefined)[] {
  if (ports.length === 0) return [undefined];
  const lists = chunks(ports, (port) => (port.includes('-') ? 2 : 1), MAX_PORT_NUMBERS);
  return lists.map((list) => list.map((port) => port.replace('-', ':')).join(','));
}

const PROTOCOLS: Readonly<Record<SecurityRuleInput['protocol'], readonly (string | undefined)[]>> = {
  any: [undefined],
  tcp: ['tcp'],
  udp: ['udp'],
  'tcp/udp': ['tcp', 'udp'],
  icmp: ['icmp'],
  icmpv6: ['icmpv6'],
  sctp: ['sctp'],
};

const ACTIONS = { accept: 'ACCEPT', drop: 'DROP', reject: 'REJECT' } as const;

/** The family that a protocol exists in; null: both. */
export const protocolFamily = (protocol: SecurityRuleInput['protocol']): 4 | 6 | null =>
  protocol === 'icmp' ? 4 : protocol === 'icmpv6' ? 6 : null;

/**
 * The live rules that one rule of a policy needs for one list of peers: one per protocol, and more where the
 * hypervisor's limits on addresses (512 characters) and ports (15 numbers) demand it. Together they match what the one
 * rule means, and nothing else.
 */
export function splitRule(
  rule: CompilableRule,
  type: 'in' | 'out',
  peers: PeerList,
): { contents: RuleContent[]; set: DesiredSet | null } {
  const { texts, set } = addressTexts(peers);
  const contents: RuleContent[] = [];
  for (const proto of PROTOCOLS[rule.protocol]) {
    for (const address of texts) {
      for (const sport of portTexts(rule.source_ports)) {
        for (const dport of portTexts(rule.destination_ports)) {
          contents.push({
            type,
            action: ACTIONS[rule.action],
            ...(proto !== undefined && { proto }),
            ...(address !== undefined && { [type === 'in' ? 'source' : 'dest']: address }),
            ...(sport !== undefined && { sport }),
            ...(dport !== undefined && { dport }),
            ...(rule.icmp_type !== null && { 'icmp-type': rule.icmp_type }),
            ...(rule.log !== 'nolog' && { log: rule.log }),
          });
        }
      }
    }
  }
  return { contents, set };
}
