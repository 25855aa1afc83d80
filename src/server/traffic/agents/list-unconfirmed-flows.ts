import type { UnconfirmedFlow, UnconfirmedFlowInput } from '@/domain/agent';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import { flowStore } from '../storage/flow-store';

/** Flows that wait until the place of their workload is known, or were refused. */
export const listUnconfirmedFlows = (
  _scope: Scope<'agent:read'>,
  input: UnconfirmedFlowInput,
): Promise<Page<UnconfirmedFlow>> => flowStore().unconfirmed.list(input);
