import { compileChain } from './compile-chain';
import type { CompiledRule } from './compiled-rule';
import { trackedState } from './connection-state';
import { evaluateTracking } from './front-chain';
import type { LiveCluster, LiveNode, LiveRule, LiveVnet } from './live-state';
import { effectiveNodeOptions } from './node-options';
import {
  type Outcome,
  type Step,
  settle,
  sharedSteps,
  toAcceptVerdict,
  toCertainOutcome,
  toStep,
  unknown,
} from './node-steps';
import type { NodeNotEnforcedReason, NodeRulePlace } from './node-verdict';
import type { Packet } from './packet';
import { prepareNode } from './prepare-node';
import { buildRuleIndex, firstMatch, type RuleIndex } from './rule-index';
import type { ListScope } from './verdict';

/** A chain for forwarded traffic, as the nftables implementation makes it. Null: could not be read. */
export type ForwardChain = {
  readonly enabled: boolean | null;
  readonly off: NodeNotEnforcedReason;
  readonly drop_invalid: boolean | null;
  readonly policy: 'ACCEPT' | 'DROP' | null;
  /** Whose default policy it is. */
  readonly origin: ListScope;
  readonly index: (family: 4 | 6) => RuleIndex;
};

type Listed = { readonly rules: readonly LiveRule[] | null; readonly origin: ListScope };

function buildForwardIndex(cluster: LiveCluster, lists: readonly Listed[]): ForwardChain['index'] {
  const known = new Map<4 | 6, RuleIndex>();
  const scopes = { cluster, guest: null, implementation: 'nftables' } as const;
  return (family) => {
    const index =
      known.get(family) ??
      buildRuleIndex(
        // A forward rule that names an interface is left out.
        lists.flatMap(({ rules, origin }) =>
          compileChain(rules, { direction: 'forward', family, scopes, groups: cluster.groups, origin }),
        ),
        family,
      );
    known.set(family, index);
    return index;
  };
}

type Options = Readonly<Record<string, string | number>> | null | undefined;

function getForwardPolicy(options: Options): ForwardChain['policy'] {
  const { policy_forward = 'ACCEPT' } = options ?? { policy_forward: '' };
  return policy_forward === 'ACCEPT' || policy_forward === 'DROP' ? policy_forward : null;
}

/** What the node does with packets that it routes: its own rules first, then those of the data center. */
export function routedChain(cluster: LiveCluster, node: LiveNode | null): ForwardChain {
  return {
    enabled: node?.options ? effectiveNodeOptions(node.options).enable : null,
    off: 'node_firewall_off',
    drop_invalid: prepareNode(node, 'nftables').drop_invalid,
    policy: getForwardPolicy(cluster.options),
    origin: { scope: 'datacenter' },
    index: buildForwardIndex(cluster, [
      { rules: node?.rules ?? null, origin: { scope: 'node' } },
      { rules: cluster.rules ?? null, origin: { scope: 'datacenter' } },
    ]),
  };
}

/** Whether the firewall of a VNet is on; null: not read. */
export const vnetEnabled = ({ options }: LiveVnet): boolean | null => options && Number(options.enable ?? 0) !== 0;

/** What a node does with packets that pass a VNet. */
export function vnetChain(cluster: LiveCluster, name: string, vnet: LiveVnet, node: LiveNode | null): ForwardChain {
  const origin = { scope: 'vnet', name } as const;
  return {
    enabled: vnetEnabled(vnet),
    off: 'vnet_firewall_off',
    drop_invalid: prepareNode(node, 'nftables').drop_invalid,
    policy: getForwardPolicy(vnet.options),
    origin,
    index: buildForwardIndex(cluster, [{ rules: vnet.rules, origin }]),
  };
}

/** Both ends that forwarded traffic can have: nothing rejects there. */
function* unknownSteps(place?: NodeRulePlace): Generator<Step> {
  yield { verdict: 'accept', doubt: 'unknown_forward_rules', ...(place && { place }) };
  yield { verdict: 'drop', doubt: 'unknown_forward_rules', ...(place && { place }) };
}

function* chainSteps(chain: ForwardChain, packet: Packet): Generator<Step> {
  yield* sharedSteps((possible) => evaluateTracking(trackedState(packet), chain.drop_invalid, possible));
  const steps: Step[] = [];
  const getRulePlace = ({ place }: CompiledRule) => place as NodeRulePlace;
  const match = firstMatch(chain.index(packet.source.family), packet, (rule, what) => {
    const place = getRulePlace(rule);
    const doubt = what === 'packet' ? 'unknown_packet_detail' : 'unknown_reference';
    // The API stores no rule that rejects forwarded packets; what becomes of one is not known.
    if (rule.action === 'unknown' || rule.action === 'reject') steps.push(...unknownSteps(place));
    else steps.push({ verdict: rule.action, doubt, place });
  });
  yield* steps;
  if (match?.action === 'accept' || match?.action === 'drop') {
    yield toStep(match.action, { kind: 'rule', ...getRulePlace(match) });
    return;
  }
  if (match) yield* unknownSteps(getRulePlace(match));
  else if (chain.policy === null) yield* unknownSteps();
  const policy = chain.policy ?? 'DROP';
  yield toStep(policy === 'ACCEPT' ? 'accept' : 'drop', { kind: 'default', policy, ...chain.origin });
}

/** What a chain for forwarded traffic does with a packet. */
export function evaluateForwardChain(chain: ForwardChain, packet: Packet): Outcome {
  if (chain.enabled === false) return toCertainOutcome(toAcceptVerdict({ kind: 'not_enforced', reason: chain.off }));
  const found = settle(chainSteps(chain, packet));
  if (chain.enabled || (found.possible.size === 1 && found.possible.has('accept'))) return found;
  const reason = chain.off === 'node_firewall_off' ? 'unknown_node_options' : 'unknown_forward_rules';
  return { verdict: unknown(reason), possible: new Set([...found.possible, 'accept']) };
}
