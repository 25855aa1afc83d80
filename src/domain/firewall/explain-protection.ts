import type { AddressSet } from './address-set';
import type { AskedRules } from './compile-chain';
import type { CompiledRule } from './compiled-rule';
import { evaluateEnforcement } from './enforcement';
import { effectiveOptions } from './guest-options';
import type { FilterImplementation, LiveNic, LiveState } from './live-state';
import { possibleImplementations } from './node-options';
import { compileGuestChain } from './prepare-guest';
import type { ExplainedProtection, Protection, UnprotectedReason } from './protection';

const FAMILIES = [4, 6] as const;
const LAST_ADDRESS = { 4: (1n << 32n) - 1n, 6: (1n << 128n) - 1n } as const;

/** Whether the rule's addresses are all there are of the family: yes, no, or not known. */
function isAnyAddress(set: AddressSet | null, family: 4 | 6): 'yes' | 'no' | 'unknown' {
  if (set === null) return 'yes';
  const [span] = set[family];
  if (span && span.first === 0n && span.last === LAST_ADDRESS[family]) return 'yes';
  return set.rest;
}

/** Whether the rule matches every packet of the family: yes, no, or not known. */
function isUnconditional(rule: CompiledRule, family: 4 | 6): 'yes' | 'no' | 'unknown' {
  if (rule.protocol !== null) return 'no';
  const addresses = [isAnyAddress(rule.source, family), isAnyAddress(rule.destination, family)];
  if (addresses.includes('no')) return 'no';
  return rule.vague || addresses.includes('unknown') ? 'unknown' : 'yes';
}

/** Whether the rules accept every packet of the family, so that the default policy never decides. */
function acceptsEverything(rules: readonly CompiledRule[], family: 4 | 6): 'yes' | 'no' | 'unknown' {
  let open = false;
  for (const rule of rules) {
    const matches = isUnconditional(rule, family);
    if (matches === 'no') continue;
    if (matches === 'yes') return rule.action === 'accept' ? 'yes' : open ? 'unknown' : 'no';
    open ||= rule.action === 'accept' || rule.action === 'unknown';
  }
  return open ? 'unknown' : 'no';
}

/** A rule about TCP or UDP never matches every packet. Nearly all rules are such ones, and compiling them takes long. */
const mayBeUnconditional: AskedRules = ({ macro, proto }) => Boolean(macro) || (proto !== 'tcp' && proto !== 'udp');

const toExplained = (protection: Protection, ...reasons: UnprotectedReason[]): ExplainedProtection => ({
  protection,
  reasons,
});
const UNKNOWN = toExplained('unknown', 'unknown');

function explainForImplementation(
  state: LiveState,
  nic: LiveNic,
  implementation: FilterImplementation,
): ExplainedProtection {
  const { options, rules } = state.guest;
  if (!options || !rules) return UNKNOWN;
  const compile = (live: LiveState, family: 4 | 6, isAsked?: AskedRules) =>
    compileGuestChain(live, nic, implementation, 'in', family, undefined, isAsked);
  if (effectiveOptions(options).policy_in !== 'ACCEPT') {
    const open = FAMILIES.map((family) => acceptsEverything(compile(state, family, mayBeUnconditional), family));
    if (!open.includes('yes')) return open.includes('unknown') ? UNKNOWN : toExplained('default_deny');
    return toExplained('rules_default_accept', 'accepts_everything');
  }
  let mayHaveRules = false;
  for (const rule of rules) {
    // One rule in the chain suffices, and usually the first one is.
    const alone = { ...state, guest: { ...state.guest, rules: [rule] } };
    for (const { action } of FAMILIES.flatMap((family) => compile(alone, family))) {
      if (action !== 'unknown') return toExplained('rules_default_accept', 'default_accept');
      mayHaveRules = true;
    }
  }
  return mayHaveRules ? UNKNOWN : toExplained('no_rules', 'no_rules');
}

/**
 * How the interface is protected against inbound packets, from what was read, and why it is not protected. A default policy that denies
 * protects only as long as no rule without conditions accepts everything in front of it, in either family. The other way around a rule
 * that drops everything does not make a default of ACCEPT a denying one: the claim is never larger than the configuration.
 */
export function explainProtection(state: LiveState, nic: LiveNic): ExplainedProtection {
  const enforcement = evaluateEnforcement(state, nic);
  if (enforcement.status === 'off') return { protection: 'off', reasons: enforcement.reasons };
  if (enforcement.status === 'unknown') return UNKNOWN;
  const [first, ...others] = possibleImplementations(state.node).map((each) =>
    explainForImplementation(state, nic, each),
  );
  return first && others.every(({ protection }) => protection === first.protection) ? first : UNKNOWN;
}

/** The same without the reasons. */
export const computeProtection = (state: LiveState, nic: LiveNic): Protection =>
  explainProtection(state, nic).protection;
