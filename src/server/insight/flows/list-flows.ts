import type { FlowListInput, FlowPage } from '@/domain/flow/flow';
import type { Scope } from '../../auth/scope';
import { flowStore } from '../../traffic/storage/flow-store';
import { withVerdicts } from './flow-verdicts';
import { selectFlows } from './select-flows';

/**
 * One page of the flows within reach that were active in the time range, the newest first. Never an expired one.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 */
export async function listFlows(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  input: FlowListInput,
): Promise<FlowPage> {
  const { selection } = await selectFlows(scope, input);
  const page = await flowStore().list(selection, input);
  return { ...page, kept_since: selection.cutoff, items: await withVerdicts(page.items, rules, input.tenant_id) };
}
