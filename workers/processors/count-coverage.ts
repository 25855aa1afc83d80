import { countCoverage as count } from '@/server/services/rule-coverage/count-coverage';
import type { JobProcessors } from '../job-processors';

/** `coverage.count` */
export const countCoverage: JobProcessors['coverage.count'] = async (_, { signal }) => {
  await count(signal);
};
