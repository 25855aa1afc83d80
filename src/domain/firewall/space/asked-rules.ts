import type { AskedRules } from '../compile-chain';
import { compileRule } from '../compile-rule';
import type { LiveRule } from '../live-state';
import { type Box, getProtocolKind } from './box';
import { type Condition, ruleCuts } from './cut';
import { overlap } from './spans';

/** Whether some packet of a box may meet what a condition says about services. */
function mayMeet({ protocols, icmp, destination_ports, source_ports }: Condition, box: Box): boolean {
  return box.protocols.some((protocol) => {
    if (protocols && !protocols.includes(protocol)) return false;
    const kind = getProtocolKind(protocol, box.family);
    if (kind === 'icmp') return !icmp || overlap(icmp, box.icmp);
    if (kind === 'other') return true;
    return (
      (!destination_ports || overlap(destination_ports, box.destination_ports)) &&
      (!source_ports || overlap(source_ports, box.source_ports))
    );
  });
}

const NOWHERE = { position: 0 };

/** Answers by the text of what rules say about services: thousands of rules say the same. */
function buildFilter(box: Box): AskedRules {
  const known = new Map<string, boolean>();
  return (rule, { family, scopes }) => {
    const { macro = '', proto = '', dport = '', sport = '', 'icmp-type': icmp = '' } = rule;
    const text = `${scopes.implementation}\n${macro}\n${proto}\n${dport}\n${sport}\n${icmp}`;
    const found = known.get(text);
    if (found !== undefined) return found;
    const service: LiveRule = { ...rule, action: 'ACCEPT', source: undefined, dest: undefined };
    const asked = compileRule(service, NOWHERE, family, scopes)
      .flatMap((compiled) => ruleCuts(compiled, family, []))
      .some(({ when }) => mayMeet(when, box));
    if (known.size >= MAX_TEXTS) known.clear();
    known.set(text, asked);
    return asked;
  };
}

/** Texts and services that are kept. */
const MAX_TEXTS = 20_000;
const MAX_SERVICES = 16;

/** Protocols from which on a question is about nearly all rules. */
const MANY = 16;

const filters = new Map<string, AskedRules>();

const spansText = (spans: readonly { readonly first: number; readonly last: number }[]) =>
  spans.map(({ first, last }) => `${first}-${last}`).join();

export type AskedService = { readonly key: string; readonly isAsked: AskedRules };

/** Which rules may match some packet of a box, whatever its addresses; null: the box is about too many services to leave out any. */
export function findAskedRules(box: Box): AskedService | null {
  const { family, protocols, icmp, destination_ports, source_ports } = box;
  if (protocols.length >= MANY) return null;
  const spans = [icmp, destination_ports, source_ports].map(spansText).join(' ');
  const key = `${family} ${protocols.join()} ${spans}`;
  const isAsked = filters.get(key) ?? buildFilter(box);
  filters.delete(key);
  filters.set(key, isAsked);
  for (const oldest of filters.keys()) {
    if (filters.size <= MAX_SERVICES) break;
    filters.delete(oldest);
  }
  return { key, isAsked };
}
