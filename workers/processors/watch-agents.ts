import { watchAgents as watch } from '@/server/services/agents/watch-agents';
import type { JobProcessors } from '../job-processors';

/** `agents.watch` */
export const watchAgents: JobProcessors['agents.watch'] = async () => {
  await watch();
};
