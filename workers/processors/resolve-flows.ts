import { resolveFlowEnds } from '@/server/services/flows/resolve-ends';
import type { JobProcessors } from '../job-processors';

/** `flows.resolve` */
export const resolveFlows: JobProcessors['flows.resolve'] = async (_, { signal }) => {
  await resolveFlowEnds(signal);
};
