import type { PlanStep } from '@/domain/policy/plan/guest-filter';
import type { HypervisorProvider } from '../../../providers/hypervisor/types';
import { GuestProblem } from './guest-problem';
import type { ReadGuest } from './read-guest-filter';

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
      return writer.createRule(ref, { ...step.rule.content, comment: step.rule.comment, enable: step.enable });
    case 'move_rule':
      return writer.moveRule(ref, at(step.pos), step.to);
    case 'enable_rule':
      return writer.setRuleEnabled(ref, at(step.pos), true);
    case 'delete_rule':
      return writer.deleteRule(ref, at(step.pos));
    case 'set_options':
      return writer.setOptions(ref, step.changes, digests.options);
    case 'set_nic_flag': {
      const result = await writer.setNicFirewall(ref, step.nic, step.enabled);
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
