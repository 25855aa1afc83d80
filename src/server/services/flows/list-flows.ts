import type { Flow, FlowListInput } from '@/domain/flow/flow';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../repositories/flow-list';
import { selectFlows } from './select-flows';

/** One page of the flows within reach that were active in the time range, the newest first. Never an expired one. */
export async function listFlows(scope: Scope<'flow:read'>, input: FlowListInput): Promise<Page<Flow>> {
  const { selection } = await selectFlows(scope, input);
  return repository.listFlows(selection, input);
}
