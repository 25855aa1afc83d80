import { readJobsOverview } from '../../operation/health';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Operations');

export const jobsRouter = router({
  overview: query({ access: { permission: 'job:read' }, run: ({ scope }) => readJobsOverview(scope) }),
});
