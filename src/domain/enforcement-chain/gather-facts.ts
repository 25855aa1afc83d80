import { compileDoubt } from '../firewall/enforcement';
import { explainProtection } from '../firewall/explain-protection';
import { effectiveOptions } from '../firewall/guest-options';
import type { LiveNic, LiveState } from '../firewall/live-state';
import { possibleImplementations } from '../firewall/node-options';
import type { ChainFacts } from './evaluate-chain';
import { compareAge, type FilterTimes, type RulesetTimes } from './ruleset-age';

/** The same as if every switch were on and the node could compile: what the rules themselves say. */
export function switchOn({ cluster, guest, node }: LiveState): LiveState {
  let compiling = node;
  if (node) {
    const { compile_failure: _failure, compile_unknown: _unknown, ...others } = node;
    compiling = others;
  }
  return {
    cluster: { ...cluster, firewall_enabled: true },
    guest: { ...guest, options: guest.options && { ...guest.options, enable: 1 } },
    node: compiling,
  };
}

function defaultPolicy(state: LiveState, nic: LiveNic): ChainFacts['default_policy'] {
  const { protection, reasons } = explainProtection(switchOn(state), { ...nic, firewall: true });
  if (protection === 'default_deny') return 'deny';
  if (protection === 'unknown') return 'unknown';
  return reasons.includes('accepts_everything') ? 'accepts_everything' : 'accept';
}

export type GuestStatus = 'running' | 'stopped' | 'paused' | 'suspended' | 'unknown';

/** A suspended guest may be in memory or on disk. */
function isRunning(status: GuestStatus): boolean | null {
  if (status === 'stopped') return false;
  return status === 'running' || status === 'paused' ? true : null;
}

/** What was read of a guest and its node, and what is known about both from elsewhere. */
export type Readings = {
  readonly state: LiveState;
  readonly status: GuestStatus;
  readonly filter: FilterTimes | null;
  readonly ruleset: RulesetTimes | null;
};

/** What decides whether rules filter one interface. */
export function gatherFacts(
  { state, status, filter, ruleset }: Readings,
  nic: LiveNic & { readonly pending: boolean },
  seen: Pick<ChainFacts, 'report' | 'older_connections'>,
): ChainFacts {
  const doubt = compileDoubt(state.node);
  return {
    ...seen,
    cluster: state.cluster.firewall_enabled,
    guest: state.guest.options && effectiveOptions(state.guest.options).enable,
    nic: nic.firewall,
    nic_pending: nic.pending,
    running: isRunning(status),
    implementations: possibleImplementations(state.node),
    compile: doubt === null ? 'ok' : doubt === 'node_cannot_compile' ? 'failed' : 'doubt',
    age: compareAge(filter, ruleset),
    default_policy: defaultPolicy(state, nic),
  };
}
