import type { DeploymentProblem } from '@/domain/deployments';
import type { PlanStep } from '@/domain/policy/plan/guest-filter';
import { getWrittenContent } from '@/domain/policy/temporary-log';
import { ProviderError } from '../../../providers/hypervisor/errors';
import type { HypervisorProvider } from '../../../providers/hypervisor/types';
import type { ReadGuest } from './read-guest-filter';

/** A guest cannot be brought to the desired state, for a reason that can be shown. */
export class GuestProblem extends Error {
  constructor(
    readonly problem: DeploymentProblem,
    /** Nothing was to be done here, as opposed to something that failed. */
    readonly skipped = false,
  ) {
    super(problem.message);
  }
}

/** The error as text that may be stored and shown. */
export function toDeploymentProblem(error: unknown): DeploymentProblem {
  if (error instanceof GuestProblem) return error.problem;
  if (error instanceof ProviderError) {
    return { code: error.code, message: error.message.slice(0, 500), remedy: error.remedy.slice(0, 500) };
  }
  return {
    code: 'internal',
    message: 'The deployment to this workload stopped with an unexpected error.',
    remedy: 'Search the worker log for the deployment ID.',
  };
}

const SET_COMMENT = 'Addresses of a policy, kept by Fabric';

/**
 * Sends the one write of a step, guarded by what was read.
 * @throws GuestProblem when the interface cannot be changed now, ProviderError
 */
export async function performStep(provider: HypervisorProvider, state: ReadGuest, step: PlanStep): Promise<void> {
  const { firewallWriter: writer } = provider;
  const { ref, digests } = state;
  const at = (pos: number) => ({ pos, digest: digests.rules });
  switch (step.kind) {
    case 'create_set':
      return writer.createSet(ref, step.name, SET_COMMENT);
    case 'add_set_entry':
      return writer.addSetEntry(ref, step.name, step.cidr);
    case 'remove_set_entry':
      return writer.removeSetEntry(ref, step.name, step.cidr, digests.sets[step.name] ?? '');
    case 'delete_set':
      return writer.deleteSet(ref, step.name);
    case 'create_rule':
      return writer.createRule(ref, {
        ...getWrittenContent(step.rule),
        ...{ comment: step.rule.comment, enable: step.enable },
      });
    case 'move_rule':
      return writer.moveRule(ref, at(step.pos), step.to);
    case 'enable_rule':
      return writer.setRuleEnabled(ref, at(step.pos), true);
    case 'unlog_rule':
      return writer.removeRuleLog(ref, at(step.pos));
    case 'delete_rule':
      return writer.deleteRule(ref, at(step.pos));
    case 'set_options':
      return writer.setOptions(ref, step.changes, digests.options);
    case 'set_nic_flag': {
      const result = await writer.setNicFirewall(ref, step.nic, step.enabled, state.fingerprint);
      if (result.outcome === 'refused') {
        throw new GuestProblem({ code: result.reason, message: result.message, remedy: result.remedy });
      }
    }
  }
}

/** Reads again what a step may have changed; null digests never come of it. @throws ProviderError */
export async function readAfter(provider: HypervisorProvider, state: ReadGuest, step: PlanStep): Promise<ReadGuest> {
  const { firewallWriter: writer } = provider;
  const { ref, digests } = state;
  switch (step.kind) {
    case 'create_rule':
    case 'move_rule':
    case 'enable_rule':
    case 'unlog_rule':
    case 'delete_rule': {
      const { items, digest } = await writer.readRules(ref);
      return { ...state, rules: items, digests: { ...digests, rules: digest } };
    }
    case 'create_set':
    case 'add_set_entry':
    case 'remove_set_entry':
    case 'delete_set': {
      const set = await writer.readSet(ref, step.name);
      const { [step.name]: _entries, ...sets } = state.sets;
      const { [step.name]: _digest, ...setDigests } = digests.sets;
      if (set === null) return { ...state, sets, digests: { ...digests, sets: setDigests } };
      return {
        ...state,
        sets: { ...sets, [step.name]: set.entries },
        digests: { ...digests, sets: { ...setDigests, [step.name]: set.digest } },
      };
    }
    case 'set_options': {
      const { value, digest } = await writer.readOptions(ref);
      return { ...state, options: value, digests: { ...digests, options: digest } };
    }
    case 'set_nic_flag': {
      const config = await provider.inventory.readGuestConfig(ref);
      const live = config.nics.find(({ name }) => name === step.nic);
      const nics = state.nics.map((nic) =>
        nic.name === step.nic ? { ...nic, firewall: live?.firewall ?? false, editable: live?.pending === false } : nic,
      );
      return { ...state, ref: { ...ref, node: config.node }, nics };
    }
  }
}

/**
 * What a failed call means for what comes next: `again` after a look and a pause; `unknown`: it may have been done, so
 * look until that is clear; `guest_locked`: by a backup or migration, which may take hours; `fatal` for the guest;
 * `broken` for every guest of the cluster.
 */
export type FailureKind = 'again' | 'unknown' | 'guest_locked' | 'fatal' | 'broken';

const BROKEN = ['unreachable', 'tls_untrusted', 'tls_changed', 'unauthorized', 'target_refused', 'no_quorum'];
const FATAL = ['forbidden', 'invalid_parameter', 'not_found', 'not_running', 'agent_unavailable'];

export function failureKind(error: unknown): FailureKind {
  if (!(error instanceof ProviderError)) return 'fatal';
  if (error.detail.outcomeUnknown) return 'unknown';
  if (error.code === 'locked')
    return /^(?:VM|CT) is locked/.test(error.detail.providerMessage ?? '') ? 'guest_locked' : 'again';
  if (BROKEN.includes(error.code)) return 'broken';
  return FATAL.includes(error.code) ? 'fatal' : 'again';
}

/** A flag that cannot be set now, or not by us; the rest of the guest is not concerned. */
export function isNicProblem(error: unknown): boolean {
  const kind = failureKind(error);
  const code = (error as { code?: string }).code;
  return kind === 'guest_locked' || code === 'forbidden' || code === 'invalid_parameter';
}
